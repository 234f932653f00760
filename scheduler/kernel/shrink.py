"""Which pods stay when a gang is placed with fewer than all, at least min_member.

The class with the most pods gives first, so that the few of a kind (a leader, a launcher) are kept; of equally large
classes the last one gives first; no class goes below its own minimum. In a class, the pods of the highest ranks go.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler.kernel.gang import PodClass


def shrink(classes: Sequence[PodClass], pods: int) -> tuple[int, ...]:
    """Pods of each class when `pods` are placed in all, which is not below the classes' minima together.

    A smaller number never leaves more pods of any class than a greater one does.
    """
    low, high = 0, max((one.count for one in classes), default=0)
    while low < high:
        level = (low + high) // 2
        if sum(_cut(one, level) for one in classes) >= pods:
            high = level
        else:
            low = level + 1
    counts = [_cut(one, low) for one in classes]
    excess = sum(counts) - pods
    for index in reversed(range(len(classes))):
        if excess > 0 and counts[index] == low and counts[index] > classes[index].minimum:
            counts[index] -= 1
            excess -= 1
    return tuple(counts)


def _cut(pod_class: PodClass, level: int) -> int:
    return max(pod_class.minimum, min(pod_class.count, level))

"""What `--tolerate` says, read: taints as kubectl writes them."""

from __future__ import annotations

import pytest

from cli.ending import BAD_INPUT, CommandError
from cli.whatif.question import read_gang
from cli.whatif.tolerations import read_tolerations
from scheduler.kernel.requirements import NOT_READY, UNSCHEDULABLE, Taint, Toleration

GPU = "nvidia.com/gpu"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nvidia.com/gpu", Toleration(GPU, "Exists")),
        ("nvidia.com/gpu:NoSchedule", Toleration(GPU, "Exists", "", "NoSchedule")),
        ("nvidia.com/gpu=present", Toleration(GPU, "Equal", "present")),
        ("nvidia.com/gpu=present:NoExecute", Toleration(GPU, "Equal", "present", "NoExecute")),
        ("dedicated=:PreferNoSchedule", Toleration("dedicated", "Equal", "", "PreferNoSchedule")),
        ("all", Toleration("", "Exists")),
        ("all=1", Toleration("all", "Equal", "1")),
    ],
)
def test_a_taint_becomes_what_tolerates_it(text: str, expected: Toleration) -> None:
    assert read_tolerations([text]) == (expected,)


def test_without_a_value_or_an_effect_each_is_tolerated() -> None:
    (any_value,) = read_tolerations(["team:NoSchedule"])
    assert any_value.tolerates(Taint("team", "blue"))
    assert not any_value.tolerates(Taint("team", "blue", "NoExecute"))
    (any_effect,) = read_tolerations(["team=blue"])
    assert any_effect.tolerates(Taint("team", "blue", "NoExecute"))
    assert not any_effect.tolerates(Taint("team", "red"))
    (everything,) = read_tolerations(["all"])
    assert all(everything.tolerates(Taint(key, "x")) for key in ("team", NOT_READY, UNSCHEDULABLE))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is no key of a taint"),
        (":NoSchedule", "'' is no key of a taint"),
        ("=present", "'' is no key of a taint"),
        ("nvidia.com/gpu:", "'' is no effect of a taint (NoSchedule, PreferNoSchedule, NoExecute)"),
        ("nvidia.com/gpu:noschedule", "noschedule is no effect of a taint"),
        ("nvidia.com/gpu:NoSchedule-", "NoSchedule- is no effect of a taint"),
        ("a:NoSchedule:NoExecute", "NoSchedule:NoExecute is no effect of a taint"),
        ("nvidia.com/gpu-", "nvidia.com/gpu- is no key of a taint"),
        ("nvidia.com/", "nvidia.com/ is no key of a taint"),
        ("/gpu", "/gpu is no key of a taint"),
        ("a/b/c", "a/b/c is no key of a taint"),
        ("NVIDIA.com/gpu", "NVIDIA.com/gpu is no key of a taint"),
        ("team blue", "team blue is no key of a taint"),
        ("k" * 64, "is no key of a taint"),
        ("p" * 254 + "/gpu", "is no key of a taint"),
        ("a=b=c", "b=c is no value of a taint"),
        ("a=" + "v" * 64, "is no value of a taint"),
        ("a=-", "- is no value of a taint"),
        ("a\nb", "'a\\nb' is no key of a taint"),
    ],
)
def test_what_is_no_taint_is_one_short_sentence(text: str, why: str) -> None:
    with pytest.raises(CommandError) as wrong:
        read_tolerations([text])
    said = wrong.value.sentence
    assert wrong.value.code == BAD_INPUT
    assert said.startswith("--tolerate ")
    assert why in said
    assert said.endswith("; write KEY[=VALUE][:EFFECT] as for kubectl taint, such as nvidia.com/gpu:NoSchedule, or all")
    assert "\n" not in said
    assert len(said) < 400


def test_every_pod_of_the_gang_tolerates_it() -> None:
    gang = read_gang("2x8gpu,1x2cpu", "soft", None, ["team=blue", "all"])
    expected = (Toleration("team", "Equal", "blue"), Toleration("", "Exists"))
    assert [one.requirements.tolerations for one in gang.classes] == [expected, expected]

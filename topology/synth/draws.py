"""Choices that follow from a seed alone: shuffles, samples and identities, the same on every machine and numpy.

The mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GAMMA = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_HALF = np.uint64((1 << 18) - 1)


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 well-mixed bits for each value; different values stay different."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def draw(seed: int, purpose: str, count: int) -> NDArray[np.uint64]:
    """`count` draws of 64 bits; each purpose has a stream of its own."""
    start = seed & _WORD
    for letter in purpose.encode():
        start = int(mix(np.array([start ^ letter], np.uint64))[0])
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GAMMA)
    return mix(np.uint64(start) + steps)


def shuffle(seed: int, purpose: str, count: int) -> NDArray[np.int64]:
    """The numbers below `count`, each once, in a drawn order."""
    return np.argsort(draw(seed, purpose, count), kind="stable")


def scramble(keys: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Numbers below 2**36 for keys below 2**36, one to one: identities whose order says nothing about the keys."""
    rounds = draw(seed, "scramble", 4)
    left, right = keys >> np.uint64(18), keys & _HALF
    for salt in rounds:
        left, right = right, left ^ (mix(right ^ salt) & _HALF)
    return (left << np.uint64(18)) | right

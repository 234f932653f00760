"""Reports as nobody should write them: what a schema admits is as far from the truth as the dice will have it."""

from __future__ import annotations

import random
from typing import Any

HOSTILE = (
    "", " ", "\x1b[31mred\x1b[0m", "node-00000 mlx5_0", "node-00001", "../../etc/passwd", "' OR 1=1 --", "\u202enode",
    "{{7*7}}", "<script>", "a" * 4000, "MF0;cf-leaf-001-1:MQM9700/U1", "Ünïcödé", "\n\r\t", "null", "%s%n", "0x0",
)  # fmt: skip
NUMBERS = (0, -1, 1, 255, 65536, 2**31, 2**53, -(2**53))


def spoiled(value: Any, dice: random.Random, share: float) -> Any:  # noqa: ANN401 - any JSON
    """The same with a share of its values replaced by others of their type, its lists cut, doubled or turned."""
    match value:
        case dict():
            return {key: spoiled(inner, dice, share) for key, inner in value.items() if dice.random() > share / 3}
        case list():
            inner = [spoiled(one, dice, share) for one in value]
            if inner and dice.random() < share:
                return dice.choice(([], inner[::-1], inner + inner, inner[: len(inner) // 2]))
            return inner
        case str() if dice.random() < share:
            return dice.choice((*HOSTILE, value.upper(), value[::-1], value[:-1], "0x" + "0" * 16))
        case int() if dice.random() < share:
            return dice.choice(NUMBERS)
        case _:
            return value

"""What a node description says: the host and device of an adapter, the name and model of a switch.

A description is free text that the operating system or the operator sets; it names, it never identifies. Drivers and
rdma-ndd write `<host> <device>`; adapters and switches that nobody named carry their product's text. MLNX-OS writes
`MF0;<name>:<model>/U<n>`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_DEVICE = re.compile(
    r"""HCA-\d+                                     # openibd's own numbering
      | (?:mlx[45]|hfi1|mthca|qib|efa|irdma|bnxt_re|mana|smi)_?(?:\w*_)?\d+
      | (?:ib|roce|iw|opa|rdma)(?:P\d+)?(?:p\d+s\d+|s\d+|o\d+|x[0-9a-f]{12})\w*   # rdma-core's persistent names
      | ib\d+""",
    re.ASCII | re.VERBOSE,
)
_PRODUCT = re.compile(
    r"MT\d{4,}\w*|(?:Connect-?X|Infini(?:Host|Scale)|BlueField)[-_\w]*|Quantum(?:-?[23X]\w*)?|Switch(?:IB|X)[-\w]*"
    r"|Mellanox|NVIDIA|QLogic|Voltaire|HCA",
    re.ASCII | re.IGNORECASE,
)
_PRODUCT_TEXT = re.compile(r"\b(?:Technologies|Voltaire|QLogic)\b|^Infiniscale|^Sun DCS", re.IGNORECASE)
_MANAGED_SWITCH = re.compile(r"MF\d+;(.*):([^:/]+)(?:/(.*?))?(?:/?U\d+)?", re.ASCII)


def host_name(description: str) -> tuple[str | None, str | None]:
    """The host and the device that an adapter's description names, each None where it names none.

    The host is the first word when the second is a device name (`gpu-07 mlx5_0`), or when it is the only word and
    itself no device and no product.
    """
    words = description.split(None, 2)
    if len(words) > 1:
        return (words[0], words[1]) if _is_device(words[1]) else (None, None)
    if not words or _PRODUCT.fullmatch(words[0]):
        return None, None
    return (None, words[0]) if _is_device(words[0]) else (words[0], None)


def switch_name(description: str) -> str:
    """The operator's name of a switch; "" where the description is only its product's text.

    `MF0;leaf-01:MQM9701/U1` is `leaf-01`. The boards of a director share the operator's name, so theirs stays behind
    it: `MF0;core:CS8500/L07/U2` is `core/L07/U2`.
    """
    text = description.strip()
    if match := _MANAGED_SWITCH.fullmatch(text):
        name, board = match[1].strip(), match[3]
        return f"{name}/{text.rpartition(f'{match[2]}/')[2]}" if name and board else name
    return "" if _PRODUCT_TEXT.search(text) else text


def switch_model(description: str) -> str | None:
    """The model in a managed switch's description (`MQM9701`); None where it tells none."""
    match = _MANAGED_SWITCH.fullmatch(description.strip())
    return match[2] if match else None


@lru_cache(maxsize=4096)
def _is_device(word: str) -> bool:
    return _DEVICE.fullmatch(word) is not None

"""What `--tolerate` says: taints as kubectl writes them, as tolerations of every pod of the gang."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cli.ending import CommandError
from cli.finding import as_typed
from scheduler.kernel.requirements import Toleration

ALL = "all"
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_FORM = f"write KEY[=VALUE][:EFFECT] as for kubectl taint, such as nvidia.com/gpu:NoSchedule, or {ALL}"
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
"""What a key has behind its prefix, and what a value is where it is not empty."""
_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_PREFIX = re.compile(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*")
_PREFIX_LENGTH = 253


def read_tolerations(texts: Sequence[str]) -> tuple[Toleration, ...]:
    """One toleration a text. CommandError for one that cannot be understood."""
    return tuple(map(_read, texts))


def _read(text: str) -> Toleration:
    """Without a value every value is tolerated, without an effect every effect."""
    if text == ALL:
        return Toleration(operator="Exists")
    taint, colon, effect = text.partition(":")
    key, equals, value = taint.partition("=")
    if colon and effect not in EFFECTS:
        raise _wrong(text, f"{_shown(effect)} is no effect of a taint ({', '.join(EFFECTS)})")
    if not _is_key(key):
        raise _wrong(text, f"{_shown(key)} is no key of a taint")
    if value and not _NAME.fullmatch(value):
        raise _wrong(text, f"{_shown(value)} is no value of a taint")
    return Toleration(key, "Equal" if equals else "Exists", value, effect)


def _is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= _PREFIX_LENGTH and _PREFIX.fullmatch(prefix)):
        return False
    return _NAME.fullmatch(name) is not None


def _wrong(text: str, why: str) -> CommandError:
    return CommandError(f"--tolerate {_shown(text)}: {why}; {_FORM}")


def _shown(text: str) -> str:
    return as_typed(text if len(text) <= 80 else f"{text[:79]}…")

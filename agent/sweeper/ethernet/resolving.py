"""Addresses of the targets that are names; one name may stand for all switches of a fabric."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from discovery.snmp.targets import Target

MAX_ADDRESSES = 1024
"""Of one name."""
PATIENCE = 10.0
"""Seconds for all names."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """Addresses, each once, in the order of the targets, and names that have none, each with the reason."""

    addresses: tuple[Target, ...]
    unknown: tuple[str, ...] = ()


async def resolve(targets: Sequence[Target]) -> Resolved:
    """All at once. Never raises: a name without an address is told."""
    found = await asyncio.gather(*(_addresses(target) for target in targets if not target.is_address))
    by_name = dict(zip((target for target in targets if not target.is_address), found, strict=True))
    addresses = dict.fromkeys(one for target in targets for one in _list(by_name.get(target, (target,))))
    return Resolved(tuple(addresses), tuple(answer for answer in found if isinstance(answer, str)))


def _list(answer: tuple[Target, ...] | str) -> tuple[Target, ...]:
    return () if isinstance(answer, str) else answer


async def _addresses(target: Target) -> tuple[Target, ...] | str:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(PATIENCE):
            rows = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_DGRAM)
    except TimeoutError:
        return f"{target.host}: the name service does not answer"
    except (OSError, UnicodeError) as error:
        return f"{target.host}: {getattr(error, 'strerror', None) or error}"
    hosts = sorted({str(row[4][0]).partition("%")[0] for row in rows})
    return tuple(Target(host, target.port) for host in hosts[:MAX_ADDRESSES])

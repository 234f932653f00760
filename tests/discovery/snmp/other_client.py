"""A walk by pysnmp: an SNMP client that shares nothing with ours."""

from __future__ import annotations

import warnings
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # pysnmp calls an old name of pysmi
    from pysnmp.hlapi.v3arch.asyncio import (
        CommunityData,
        ContextData,
        ObjectIdentity,
        ObjectType,
        SnmpEngine,
        UdpTransportTarget,
        bulk_walk_cmd,
    )


async def walk_with_pysnmp(port: int, community: str, base: str) -> dict[str, Any]:
    """The subtree as its object ids and values."""
    engine = SnmpEngine()
    try:
        target = await UdpTransportTarget.create(("127.0.0.1", port), timeout=2, retries=1)
        rows: dict[str, Any] = {}
        walk = bulk_walk_cmd(
            engine, CommunityData(community, mpModel=1), target, ContextData(), 0, 25,
            ObjectType(ObjectIdentity(base)), lexicographicMode=False, lookupMib=False,
        )  # fmt: skip
        async for error, status, _, bindings in walk:
            assert not error, error
            assert not status, status
            for name, value in bindings:
                rows[str(name)] = bytes(value) if hasattr(value, "asOctets") else int(value)
        return rows
    finally:
        engine.close_dispatcher()

"""Definitions that a demo made go with it, also where the API server forgets that it was told."""

from __future__ import annotations

from aiohttp import web

from cli.demo.cleaning import undefine
from tests.kube.wire import client_of, failure, listing

TOLD_UNTIL_IT_LISTENS = 3


def definition(**metadata: str) -> dict[str, object]:
    names = {"plural": "widgets", "kind": "Widget"}
    spec = {"group": "test", "scope": "Cluster", "names": names, "versions": [{"name": "v1"}]}
    return {"metadata": {"name": "widgets.test", "uid": "1", "resourceVersion": "1", **metadata}, "spec": spec}


async def test_each_is_deleted_until_it_is_gone() -> None:
    told, looks = 0, 0

    async def forgetful(request: web.Request) -> web.StreamResponse:
        nonlocal told, looks
        if request.method == "DELETE":
            told += 1
            return web.json_response({"kind": "Status", "status": "Success"})
        if request.path.endswith("/widgets"):
            return listing()
        looks += told == TOLD_UNTIL_IT_LISTENS
        if looks > 2:
            return listing()
        return listing(definition(deletionTimestamp="2026-03-01T00:00:00Z") if looks else definition())

    async with client_of(forgetful) as client:
        await undefine(client)
    assert (told, looks) == (TOLD_UNTIL_IT_LISTENS, 3)


async def test_one_of_whose_kind_there_is_an_object_stays() -> None:
    told = 0

    async def full(request: web.Request) -> web.StreamResponse:
        nonlocal told
        told += request.method == "DELETE"
        if request.path.endswith("/widgets"):
            return listing({"metadata": {"name": "one"}})
        return listing(definition())

    async with client_of(full) as client:
        await undefine(client)
    assert told == 0


async def test_one_whose_kind_is_not_served_yet_is_deleted() -> None:
    told = 0

    async def early(request: web.Request) -> web.StreamResponse:
        nonlocal told
        if request.path.endswith("/widgets"):
            return failure(404, "NotFound")
        told += request.method == "DELETE"
        return listing() if told else listing(definition())

    async with client_of(early) as client:
        await undefine(client)
    assert told == 1


async def test_an_established_one_whose_kind_this_server_does_not_serve_yet_is_left() -> None:
    """There may be objects of it: none is lost for want of an answer."""
    told = 0
    established = {"status": {"conditions": [{"type": "Established", "status": "True"}]}}

    async def behind(request: web.Request) -> web.StreamResponse:
        nonlocal told
        if request.path.endswith("/widgets"):
            return failure(404, "NotFound")
        told += request.method == "DELETE"
        return listing(definition() | established)

    async with client_of(behind) as client:
        await undefine(client)
    assert told == 0

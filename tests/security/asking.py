"""Plain requests under an account's name, and what is expected of their answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import quote

import aiohttp

from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from tests.cluster.control_plane import ControlPlane
from tests.cluster.tokens import Account
from tests.contract.api import Answer, Api

NODE_CLAIM = "authentication.kubernetes.io/node-name"
REPORTS = "/apis/hyperscout.io/v1alpha1"
NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS = (f"{REPORTS}/{kind}reports" for kind in ("node", "switch", "sweep"))
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
NODES = "/api/v1/nodes"


@asynccontextmanager
async def asking(plane: ControlPlane, token: str, more: Mapping[str, str] | None = None) -> AsyncIterator[Api]:
    """Requests with this token."""
    connector = aiohttp.TCPConnector(ssl=plane.tls())
    headers = {"Authorization": f"Bearer {token}", **(more or {})}
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
        yield Api(session, plane.url)


@asynccontextmanager
async def allowed_all(plane: ControlPlane, account: Account, node: str = "") -> AsyncIterator[Api]:
    """Requests of the account as if somebody had granted it everything: what is refused now, the policies refuse."""
    who = {"Impersonate-User": account.user, "Impersonate-Group": "system:masters"}
    claim = {f"Impersonate-Extra-{quote(NODE_CLAIM, safe='')}": node} if node else {}
    async with asking(plane, plane.token, who | claim) as api:
        yield api


def client_with(plane: ControlPlane, token: str) -> Client:
    """Our own client with this token."""
    return Client(Connection(plane.url, FixedCredentials(Access({"Authorization": f"Bearer {token}"}, plane.tls()))))


def allowed(answer: Answer) -> None:
    """The server did it."""
    assert answer.status in (200, 201), answer.body


def refused_by_rights(answer: Answer, verb: str) -> None:
    """RBAC does not let the account do such a thing at all."""
    assert (answer.status, answer.reason) == (403, "Forbidden"), answer.body
    assert f'cannot {verb} resource "' in answer.body["message"]


def refused_by_policy(answer: Answer, *said: str) -> None:
    """A policy does not let it do this, and says what it may do."""
    assert (answer.status, answer.reason) == (403, "Forbidden"), answer.body
    for words in ("ValidatingAdmissionPolicy 'hyperscout-", *said):
        assert words in answer.body["message"]

"""Before a process begins: is there a cluster, is it new enough, does it know our kinds, may we do what we must."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from cli.advice import bring_kinds
from cli.ending import LACKING, UNREACHABLE, CommandError
from kube.access import Right, missing_rights
from kube.client import Client
from kube.errors import ApiError, Forbidden, Unauthorized
from kube.resources import Resource

OLDEST = (1, 30)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a process cannot do without."""

    kinds: tuple[Resource[Any], ...]
    """Kinds of CustomResourceDefinitions."""
    rights: tuple[Right, ...]

    def and_also(self, rights: Sequence[Right]) -> Needs:
        """The same, and these rights."""
        return Needs(self.kinds, (*self.rights, *rights))


async def check(client: Client, needs: Needs) -> None:
    """CommandError, in a sentence, for the first thing that is missing."""
    server = client.connection.address
    try:
        _check_version(await client.version(), server)
        await _check_kinds(client, needs.kinds)
        _check_rights(await missing_rights(client, needs.rights))
    except (Unauthorized, Forbidden) as error:
        raise CommandError(f"the API server {server} does not let us in: {error}", UNREACHABLE) from error
    except ApiError as error:
        raise CommandError(_unreachable(server, error), UNREACHABLE) from error


def _unreachable(server: str, error: ApiError) -> str:
    if isinstance(error.__cause__, aiohttp.ClientSSLError):
        advice = "check certificate-authority-data and the address in the kubeconfig"
        return f"the certificate of the API server {server} is not accepted: {error.message}; {advice}"
    advice = "check the address in the kubeconfig, and that the server runs"
    return f"the API server {server} does not answer: {error.message}; {advice}"


def _check_version(version: str, server: str) -> None:
    oldest = ".".join(map(str, OLDEST))
    read = re.match(r"v?(\d+)\.(\d+)", version)
    if read is None:
        raise CommandError(f"the version {version!r} of the API server {server} is none that can be read", LACKING)
    if (int(read[1]), int(read[2])) < OLDEST:
        sentence = f"the API server {server} is Kubernetes {version}; hyperscout needs {oldest} or newer"
        raise CommandError(f"{sentence}: upgrade the cluster", LACKING)


async def _check_kinds(client: Client, kinds: Sequence[Resource[Any]]) -> None:
    served = await asyncio.gather(*(client.serves(kind) for kind in kinds))
    missing = [kind for kind, known in zip(kinds, served, strict=True) if not known]
    if missing:
        names = [f"{kind.plural}.{kind.group}" for kind in missing]
        raise CommandError(f"the cluster does not know {', '.join(names)}; {bring_kinds(names)}", LACKING)


def _check_rights(missing: Sequence[Right]) -> None:
    if missing:
        first = ", ".join(str(right) for right in missing[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise CommandError(f"not allowed: {first}{more}; grant it in the Role or ClusterRole of this account", LACKING)

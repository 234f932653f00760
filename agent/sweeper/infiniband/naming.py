"""What an operator calls switches and adapters: a node name map, the file of `ibnetdiscover --node-name-map`.

A line is a node GUID and a name in quotes: `0x2c5eab0300b87b40 "leaf-01"`. The map is applied here, by GUID and to
every place that names the node; the tool itself would leave the adapters' own blocks as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.sweeper.infiniband.subnets import Runs
from discovery.identity import Guid, guid
from discovery.reports import SwitchPort, SwitchReport

MAX_BYTES = 16 << 20
_LINE = re.compile(r'\s*0[xX]([0-9a-fA-F]{1,16})\s+"([^"]{1,255})"\s*(?:#.*)?')


@dataclass(slots=True)
class NodeNames:
    """Reads the file anew at each sweep; what cannot be read is told, and the last good names stay."""

    file: str = ""
    _names: Mapping[Guid, str] = field(default_factory=dict)

    def applied(self, runs: Runs) -> Runs:
        """The runs with the operator's names."""
        if not self.file:
            return runs
        notes = tuple(self._read())
        subnets = tuple(
            replace(subnet, reports=tuple(map(self._name, subnet.reports))) if self._names else subnet
            for subnet in runs.subnets
        )
        return replace(runs, subnets=subnets, notes=(*runs.notes, *notes))

    def _read(self) -> Iterator[str]:
        try:
            with Path(self.file).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            yield f"node name map {self.file}: {error.strerror or error}; the last names that were read stay"
            return
        if len(data) > MAX_BYTES:
            yield f"node name map {self.file}: larger than {MAX_BYTES >> 20} MiB; the last names that were read stay"
            return
        self._names, odd = read_names(data.decode("utf-8", "replace"))
        if odd:
            yield f'node name map {self.file}: {odd} lines are not of the form 0xGUID "name"'

    def _name(self, report: SwitchReport) -> SwitchReport:
        ports = tuple(map(self._name_peer, report.ports))
        description = self._names.get(report.guid, report.description) if report.guid else report.description
        return replace(report, description=description, ports=ports)

    def _name_peer(self, port: SwitchPort) -> SwitchPort:
        peer = port.peer
        if peer is None or peer.guid is None or peer.guid not in self._names:
            return port
        return replace(port, peer=replace(peer, description=self._names[peer.guid]))


def read_names(text: str) -> tuple[dict[Guid, str], int]:
    """The names by node GUID, and how many lines are neither names nor comments."""
    names: dict[Guid, str] = {}
    odd = 0
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        node = guid(int(found[1], 16)) if found else None
        if found and node:
            names[node] = found[2]
        else:
            odd += 1
    return names, odd

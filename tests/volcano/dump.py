"""What technicians do to a fabric, done to the text of its ibnetdiscover dump, both ends of every cable.

Only the ordinary spelling of the tool is understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_HEAD = re.compile(r'(?:Switch|Ca)\s+\d+ "([SH]-[0-9a-f]{16})"\s+# "([^"]*)"')
_PORT = re.compile(r'\[(\d+)\](?:\([0-9a-f]+\))?\s*"([SH]-[0-9a-f]{16})"\[(\d+)\]')


@dataclass(frozen=True, slots=True)
class Block:
    """One node of the dump: its lines, of which the first port lines come after the head."""

    lines: tuple[str, ...]

    @property
    def head(self) -> int:
        """Which line names the node."""
        return next(number for number, line in enumerate(self.lines) if _HEAD.match(line))

    @property
    def node(self) -> str:
        """As cables name it: `S-` or `H-` and the GUID."""
        return self._named(1)

    @property
    def description(self) -> str:
        """The node's own words."""
        return self._named(2)

    def _named(self, group: int) -> str:
        found = _HEAD.match(self.lines[self.head])
        assert found is not None
        return found[group]

    def cables(self) -> dict[int, str]:
        """By port number the node at the far end."""
        found = (_PORT.match(line) for line in self.lines)
        return {int(match[1]): match[2] for match in found if match}

    def free_port(self) -> int:
        """The first without a cable."""
        return next(number for number in range(1, 65) if number not in self.cables())

    def plugged(self, port: int, far: Block, far_port: int) -> Block:
        """A cable more; an adapter's line names its own port GUID, a switch's that of an adapter."""
        own, its = (f"({block.node[2:]})" if block.node.startswith("H-") else "" for block in (self, far))
        words = f'lid 1 lmc 0 "{far.description}"' if own else f'"{far.description}"'
        line = f'[{port}]{own}\t"{far.node}"[{far_port}]{its}\t\t# {words} lid 1 4xNDR'
        end = self.head + 1
        return replace(self, lines=(*self.lines[:end], line, *self.lines[end:]))

    def unplugged(self, far: str) -> Block:
        """Without its cables to a node."""
        kept = (line for line in self.lines if not ((found := _PORT.match(line)) and found[2] == far))
        return replace(self, lines=tuple(kept))


@dataclass(slots=True)
class Dump:
    """A dump that can be changed."""

    blocks: dict[str, Block]
    """By node."""

    @classmethod
    def of(cls, text: str) -> Dump:
        """Of the tool's output; what stands before the first node is left out."""
        parts = [Block(tuple(part.splitlines())) for part in text.split("\n\n")]
        return cls({part.node: part for part in parts if any(_HEAD.match(line) for line in part.lines)})

    def text(self) -> str:
        """As the tool would print it now."""
        return "\n\n".join("\n".join(block.lines) for block in self.blocks.values()) + "\n"

    def described(self, pattern: str) -> list[str]:
        """The nodes whose description has the pattern in it."""
        return [node for node, block in self.blocks.items() if re.search(pattern, block.description)]

    def add_unit(self, leaf: str, hosts: Sequence[str], spines: Sequence[str]) -> None:
        """A new leaf with a cable to every spine, and hosts with one adapter each on it."""
        switch = self._add(
            "S-2c5eab0300fff000", f'Switch\t65 "{{}}"\t\t# "MF0;{leaf}:MQM9701/U1" enhanced port 0 lid 1'
        )
        for number, name in enumerate(hosts):
            adapter = self._add(f"H-e09d7303ffff{number:04x}", f'Ca\t1 "{{}}"\t\t# "{name} mlx5_0"')
            self._cable(adapter, 1, switch)
        for spine in spines:
            self._cable(switch, self.blocks[switch].free_port(), spine)

    def move(self, host: str, unit: str) -> None:
        """Every adapter of a host is cabled to the leaf of the same rail in another unit."""
        adapters = self.described(rf"^{re.escape(host)} ")
        assert adapters, host
        for adapter in adapters:
            (leaf,) = self.blocks[adapter].cables().values()
            rail = re.search(r"IBLEAF-(\d+)-", self.blocks[leaf].description)
            assert rail is not None
            (other,) = self.described(rf"IBLEAF-{rail[1]}-{unit}:")
            self.blocks[leaf] = self.blocks[leaf].unplugged(adapter)
            self.blocks[adapter] = self.blocks[adapter].unplugged(leaf)
            self._cable(adapter, 1, other)

    def replace_switch(self, switch: str, guid: str) -> None:
        """Another box stands in its place, with the same cables, ports and description."""
        self.blocks = Dump.of(self.text().replace(switch[2:], guid)).blocks

    def _add(self, node: str, head: str) -> str:
        guid = f"0x{node[2:]}"
        kind = "switchguid" if node.startswith("S-") else "caguid"
        lines = ("vendid=0x2c9", "devid=0xd2f2", f"sysimgguid={guid}", f"{kind}={guid}({node[2:]})")
        self.blocks[node] = Block((*lines, head.format(node)))
        return node

    def _cable(self, lower: str, port: int, upper: str) -> None:
        free = self.blocks[upper].free_port()
        one, other = self.blocks[lower], self.blocks[upper]
        self.blocks[lower], self.blocks[upper] = one.plugged(port, other, free), other.plugged(free, one, port)

"""The tree of HyperNodes as a drawing for graphviz: `hyperscout map FILE -o dot | dot -Tsvg`."""

from __future__ import annotations

from collections.abc import Iterator

from cli.output import printable
from topology.conclude import Conclusion
from topology.hierarchy import HyperNode


def to_dot(conclusion: Conclusion) -> str:
    return "".join(line + "\n" for line in _lines(conclusion.hierarchy.hyper_nodes))


def _lines(hyper_nodes: tuple[HyperNode, ...]) -> Iterator[str]:
    yield "digraph hyperscout {"
    yield "  rankdir=TB; node [shape=box, style=rounded, fontname=sans];"
    for one in hyper_nodes:
        count = len(one.nodes)
        nodes = f"{count} node{'' if count == 1 else 's'}"
        yield f"  {_quoted(one.name)} [label={_quoted(one.name, f'tier {one.tier} ({one.tier_name})', nodes)}];"
    for one in hyper_nodes:
        if one.parent is not None:
            yield f"  {_quoted(one.parent)} -> {_quoted(one.name)};"
    yield "}"


def _quoted(*lines: str) -> str:
    """A quoted identifier or label; `\\n` between the lines is graphviz's own line break."""
    escaped = [printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'

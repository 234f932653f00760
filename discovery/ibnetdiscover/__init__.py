"""The ibnetdiscover probe's reader: a dump in, a `discovery.scan.Scan` out.

`columns` reads the lines that the tool itself writes, a chunk at a time; `lines` reads every other line through the
tolerant `grammar`. Both fill the tables of `rows`, which `blocks`, `nodes` and `cables` join into a scan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discovery.errors import BinaryInputError, NothingReadError, TooLargeError
from discovery.ibnetdiscover.blocks import gather_blocks
from discovery.ibnetdiscover.cables import MAX_NODES, join_cables
from discovery.ibnetdiscover.chunk import split
from discovery.ibnetdiscover.columns import read_chunk
from discovery.ibnetdiscover.lines import read_lines
from discovery.ibnetdiscover.nodes import join_nodes
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows, Tables, Texts, joined
from discovery.scan import Scan

MAX_BYTES = 500_000_000
CHUNK_BYTES = 1 << 21
"""Small enough that a chunk's columns stay in the processor's cache, large enough that numpy's fixed costs vanish."""

Progress = Callable[[int], None]
"""Is told how many bytes are done."""


def parse(data: bytes, source: str, progress: Progress | None = None) -> Scan:
    """Read one dump of ibnetdiscover (node blocks or `-p`).

    Lines that cannot be used are `Scan.problems`. Raises TooLargeError above 500 MB, BinaryInputError for bytes that
    are no text, and NothingReadError where the whole dump holds not one node.
    """
    return _scan(_read_tables(_text(data, source), progress), source)


def parse_by_lines(data: bytes, source: str) -> Scan:
    """As `parse`, but every line through the grammar: slower, and what `parse` is held equal to."""
    tables = Tables(Texts(_text(data, source)))
    read_lines(enumerate(tables.texts.dump.split(b"\n"), start=1), tables)
    return _scan(tables, source)


def _read_tables(data: bytes, progress: Progress | None) -> Tables:
    tables = Tables(Texts(data))
    line = 1
    for start, end in _chunks(data):
        chunk = split(data, start, end, line)
        rows = read_chunk(chunk)
        tables.attributes.append(rows.attributes)
        tables.headers.append(rows.headers)
        tables.ports.append(rows.ports)
        starts, ends = chunk.starts + chunk.offset, chunk.ends + chunk.offset
        read_lines(((line + number, data[starts[number] : ends[number]]) for number in rows.rest.tolist()), tables)
        line += len(starts)
        if progress:
            progress(end)
    return tables


def _chunks(data: bytes) -> Iterator[tuple[int, int]]:
    """Pieces of whole lines."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + CHUNK_BYTES) + 1 or len(data)
        yield start, end
        start = end


def _scan(tables: Tables, source: str) -> Scan:
    attributes, headers = joined(AttributeRows, tables.attributes), joined(HeaderRows, tables.headers)
    ports = joined(PortRows, tables.ports)
    blocks = gather_blocks(attributes, headers, ports, np.array(tables.broken_headers, np.int64))
    nodes, ends = join_nodes(blocks, ports, tables)
    if not len(nodes):
        raise NothingReadError(_nothing_read(tables, source))
    if len(nodes) > MAX_NODES:
        raise TooLargeError(f"{source}: more than {MAX_NODES:,} nodes; give one dump of ibnetdiscover a file")
    links = join_cables(ends, tables)
    if tables.marked:
        tables.problems.add(0, b"", "an output of --diff: it holds only what changed, not the whole fabric")
    return Scan(
        source=source,
        nodes=nodes,
        links=links,
        problems=tables.problems.in_order(),
        spelled=tables.spelled or None,
        complete=tables.complete and not tables.marked,
    )


def _text(data: bytes, source: str) -> bytes:
    """The dump with line feeds as line ends; refuses what is no text."""
    if len(data) > MAX_BYTES:
        raise TooLargeError(f"{source}: larger than {MAX_BYTES // 1_000_000} MB; give one dump of ibnetdiscover a file")
    if data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")):
        raise BinaryInputError(f"{source}: a compressed file; unpack it first")
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise BinaryInputError(f"{source}: text in UTF-32; save it as UTF-8 or plain ASCII")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BinaryInputError(f"{source}: text in UTF-16; save it as UTF-8 or plain ASCII")
    if b"\0" in data:
        raise BinaryInputError(f"{source}: binary, not the text that ibnetdiscover prints")
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _nothing_read(tables: Tables, source: str) -> str:
    data = tables.texts.dump
    if not data.strip():
        return f"{source}: empty; give it the output of ibnetdiscover"
    if b"# Initiated from node" in data:
        return (
            f"{source}: the header of a scan and no node behind it; "
            "run ibnetdiscover again as root on a port that is Active, and keep all of its output"
        )
    problems = tables.problems.in_order()
    first = f" (line {problems[0].line}: {problems[0].reason})" if problems else ""
    return f"{source}: not one line could be read{first}; give it the output of ibnetdiscover"

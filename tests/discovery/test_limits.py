"""What is no scan is refused with a sentence that says what to do; problems stay bounded."""

from __future__ import annotations

import gzip

import pytest

from discovery import ibnetdiscover
from discovery.errors import BinaryInputError, EvidenceError, NothingReadError, TooLargeError
from discovery.ibnetdiscover import parse
from discovery.ibnetdiscover.rows import MAX_PROBLEMS

LEAF = b'Switch\t41 "S-b8599f0300000001"\t\t# "leaf" enhanced port 0 lid 1 lmc 0\n'


@pytest.mark.parametrize(
    ("data", "error", "sentence"),
    [
        (b"", NothingReadError, "empty"),
        (b" \n\r\n", NothingReadError, "empty"),
        (b"hello\nworld\n", NothingReadError, "line 1: not a line of ibnetdiscover"),
        (b"vendid=0x2c9\ndevid=0x1021\n", NothingReadError, "not one line"),
        (b"#\n# Initiated from node 01 port 01\n", NothingReadError, "as root"),
        (b"\x7fELF\x02\x01\x01\0\0\0", BinaryInputError, "binary"),
        (LEAF + b"\0", BinaryInputError, "binary"),
        (gzip.compress(LEAF, mtime=0), BinaryInputError, "unpack"),
        (LEAF.decode().encode("utf-16"), BinaryInputError, "UTF-16"),
        (b'Switch 36 "S-0000000000000000"\n', NothingReadError, "without a GUID"),
    ],
)
def test_refusals(data: bytes, error: type[EvidenceError], sentence: str) -> None:
    with pytest.raises(error, match=sentence) as raised:
        parse(data, "some.txt")
    assert str(raised.value).startswith("some.txt: ")


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibnetdiscover, "MAX_BYTES", 50)
    with pytest.raises(TooLargeError, match="larger than"):
        parse(LEAF, "some.txt")


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert len(parse(b"\xef\xbb\xbf" + LEAF, "dump").nodes) == 1


def test_problems_are_counted_when_they_are_too_many_to_keep() -> None:
    scan = parse(LEAF + b"what\n" * (MAX_PROBLEMS + 5), "dump")
    assert len(scan.problems) == MAX_PROBLEMS + 1
    assert scan.problems[-1].line == 0
    assert "5 more" in scan.problems[-1].reason


def test_the_text_of_a_problem_is_short() -> None:
    scan = parse(LEAF + b"x" * 100_000 + b"\n", "dump")
    assert len(scan.problems[0].text) < 200

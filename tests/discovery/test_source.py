"""Sources give bytes up to a limit, and refuse with a sentence."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from discovery.errors import TooLargeError, UnreadableSourceError
from discovery.source import Fixture, Host, Source, no_folder
from tests.nobody import as_nobody, closed


def host(folder: Path, standard_input: bytes = b"") -> Host:
    return Host(io.BytesIO(standard_input), folder)


@pytest.fixture(params=["host", "fixture"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    """The same one file in both kinds of source."""
    (tmp_path / "dump").write_bytes(b"0123456789")
    return host(tmp_path) if request.param == "host" else Fixture({"dump": b"0123456789"})


def test_a_file_up_to_the_limit_is_read(source: Source) -> None:
    assert source.read("dump", 10) == b"0123456789"


def test_a_file_over_the_limit_is_refused(source: Source) -> None:
    with pytest.raises(TooLargeError, match="dump: larger than 9 bytes"):
        source.read("dump", 9)


def test_a_file_that_is_not_there_is_refused(source: Source) -> None:
    with pytest.raises(UnreadableSourceError, match="nowhere: "):
        source.read("nowhere", 10)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSourceError, match="directory"):
        host(tmp_path).read("", 10)


def test_a_dash_is_standard_input(tmp_path: Path) -> None:
    assert host(tmp_path, b"abc").read("-", 10) == b"abc"
    with pytest.raises(TooLargeError, match="standard input"):
        host(tmp_path, b"abc").read("-", 2)


def test_a_path_from_the_root_is_where_it_says_for_files_and_folders_alike(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    whole = Host(io.BytesIO())
    assert whole.read(str(tmp_path / "file"), 1) == b"x"
    assert whole.names(str(tmp_path)) == ("file",)
    assert whole.made(str(tmp_path / "file")) is not None


def test_why_something_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert no_folder(tmp_path) is None
    assert no_folder(file) == "that is no folder"
    assert no_folder(tmp_path / "none") == "there is no such folder"
    inside = closed(tmp_path) / "inside"
    with as_nobody():
        assert no_folder(inside) == "it cannot be looked at (Permission denied)"

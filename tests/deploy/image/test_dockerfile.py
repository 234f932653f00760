"""What the Dockerfile and its ignore file promise, as far as that can be read without building anything."""

from __future__ import annotations

import re
import tomllib

from tests.architecture.sources import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text().splitlines()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_base_is_an_argument_and_no_registry_is_named() -> None:
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", DOCKERFILE, re.MULTILINE))
    bases = set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))
    assert bases - stages == {"${BASE}"}
    (base,) = re.findall(r"^ARG BASE=(\S+)", DOCKERFILE, re.MULTILINE)
    assert "/" not in base
    assert "://" not in DOCKERFILE


def test_every_package_is_installed_with_its_hash_or_from_the_wheel_that_was_built() -> None:
    joined = DOCKERFILE.replace("\\\n", " ")
    installs = re.findall(r"pip[^&\n]* install [^&\n]*", joined)
    assert len(installs) == 3
    assert [one for one in installs if "--require-hashes" not in one and "--no-index --no-deps" not in one] == []


def test_the_image_is_built_from_the_packages_of_the_wheel_and_little_else() -> None:
    let_in = {line.removeprefix("!") for line in IGNORED if line.startswith("!")}
    packages = set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    files = {"pyproject.toml", PROJECT["project"]["readme"], "LICENSE", *re.findall(r"\S+\.lock", "\n".join(let_in))}
    assert let_in == packages | files
    assert {name for name in let_in if not (ROOT / name).exists()} == set()
    assert IGNORED.index("*") < min(IGNORED.index(f"!{name}") for name in let_in)

"""What is in the image: our commands and what they need, nothing that builds, no root."""

from __future__ import annotations

import json
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.deploy.image.container import Container

BUILDERS = ("pip", "pip3", "gcc", "cc", "make", "hatchling", "git")


def test_it_runs_as_nobody_in_particular_and_is_told_by_number_so_that_it_can_be_checked(container: Container) -> None:
    assert container.user == "65532:65532"
    assert container.entrypoint == ("hyperscout",)


def test_it_says_its_version(container: Container, tmp_path: Path) -> None:
    done = container.run("--version", given=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hyperscout 0.1.0\n", "")


def test_it_can_write_nowhere(container: Container, tmp_path: Path) -> None:
    done = container.run("-c", "id -u; touch /tmp/x || touch /opt/x || echo refused", given=tmp_path, entrypoint=["sh"])
    assert done.stdout.split() == ["65532", "refused"]


def test_nothing_that_builds_is_left_in_it(container: Container, tmp_path: Path) -> None:
    script = f"command -v {' '.join(BUILDERS)}; ls -d /source /tools /locks /wheels"
    assert container.run("-c", script, given=tmp_path, entrypoint=["sh"]).stdout == ""
    locked = (ROOT / "requirements-runtime.lock").read_text()
    script = "from importlib.metadata import distributions as d; import json; print(json.dumps([x.name for x in d()]))"
    python = str(next(iter(container.environment["PATH"].split(":")))) + "/python"
    names = json.loads(container.run("-c", script, given=tmp_path, entrypoint=[python]).stdout)
    assert [name for name in names if f"\n{name.lower().replace('_', '-')}==" not in f"\n{locked}"] == ["hyperscout"]


def test_the_sweepers_tools_are_in_it(container: Container, tmp_path: Path) -> None:
    for tool in ("ibnetdiscover", "perfquery"):
        assert "BUILD VERSION" in container.run("--version", given=tmp_path, entrypoint=[tool]).stderr


def test_a_map_is_drawn_from_a_file_beside_it(container: Container) -> None:
    fixtures = ROOT / "fixtures" / "synthetic"
    done = container.run("map", "/mnt/fabric.txt", "-o", "json", given=fixtures)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["hyperNodes"]) == 9
    done = container.run("whatif", "/mnt/fabric.txt", "--gang", "16x8gpu", "--hard", "leaf", given=fixtures)
    assert done.returncode == 0, done.stderr

"""What others brought: the charts of the commit before, and Volcano."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import yaml

from tests.cluster.fixtures import require
from tests.cluster.programs import VOLCANO_SCHEDULER
from tests.cluster.volcano import definitions
from tests.deploy.rendering import CHART, CRD_CHART, DEPLOY, Object

HYPER_NODE = "hypernodes.topology.volcano.sh"
POD_GROUP = "podgroups.scheduling.volcano.sh"
QUEUE = "queues.scheduling.volcano.sh"


def charts_of_the_commit_before(folder: Path) -> Path:
    """By git; where it knows none (a shallow clone, an archive), the charts of today under an older version."""
    git = ["git", "-C", str(DEPLOY.parent), "archive", "HEAD~1", "deploy/helm"]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode == 0:
        with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        return folder / "deploy" / "helm"
    for chart in (CHART, CRD_CHART):
        shutil.copytree(chart, folder / chart.name)
        file = folder / chart.name / "Chart.yaml"
        file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"version": "0.0.1"}))
    return folder


def definitions_of_volcano() -> list[Object]:
    """Those that we know too, and the one that tells that Volcano is there."""
    require(VOLCANO_SCHEDULER)
    return [one for one in definitions() if one["metadata"]["name"] in (HYPER_NODE, POD_GROUP, QUEUE)]


def chart_of_volcano(folder: Path) -> Path:
    """It brings Volcano's own definitions as Volcano's chart does, and nothing else."""
    chart = folder / "volcano"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("{apiVersion: v2, name: volcano, version: 1.14.1}\n")
    (chart / "templates" / "all.yaml").write_text('{{ .Files.Get "definitions.yaml" }}\n')
    (chart / "definitions.yaml").write_text(yaml.safe_dump_all(definitions_of_volcano()))
    return chart

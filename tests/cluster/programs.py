"""Which real programs the tests run, at which versions, and where one is found or built.

Each program comes from a Go module beside this file, which pins it. Looked for in this order: the folder that
KUBEBUILDER_ASSETS names (taken as it is), the cache (keyed on the version), PATH (where the version is the pinned one).
With CI=true a missing one is built; otherwise `python -m tests.cluster.build` builds it.

TESTED_KUBERNETES=1.30 puts another Kubernetes under all tests, that of the folder `kubernetes-1.30`; its API
server, controller manager and scheduler come from the cache alone. kubectl stays the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.go import build, cache_root, copy_of_source, say

_HERE = Path(__file__).parent
CHOICE = "TESTED_KUBERNETES"
_KUBERNETES = "kubernetes"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that a pinned Go module builds."""

    name: str
    module: str
    """The folder with the go.mod."""
    package: str
    source: str
    """The Go module whose version is the program's."""
    seconds: int
    """About how long building it takes on two cores with nothing compiled yet."""
    stamps: tuple[str, ...] = ()
    """What the linker sets where the program does not know its version: `variable=value`, with the version's parts."""
    asking: tuple[str, ...] = ("--version",)
    """What the program is asked for its version with."""
    definitions: str = ""
    """The folder of its source with the custom resource definitions that it cannot do without."""

    @property
    def folder(self) -> Path:
        """The Go module's folder."""
        return _HERE / self.module

    @property
    def version(self) -> str:
        """The pinned version, from the module file, such as v1.37.2."""
        found = re.search(
            rf"^\s*(?:require )?{re.escape(self.source)} (v\S+)", (self.folder / "go.mod").read_text(), re.M
        )
        if found is None:
            raise RuntimeError(f"{self.folder / 'go.mod'} requires no {self.source}")
        return found[1]

    @property
    def linker_flags(self) -> str:
        """Without symbols, and with its version."""
        version = self.version
        major, minor = version.removeprefix("v").split(".")[:2]
        parts = {"version": version, "major": major, "minor": minor}
        return " ".join(["-s -w", *(f"-X {stamp.format_map(parts)}" for stamp in self.stamps)])

    @property
    def cached(self) -> Path:
        """Where the built program is kept."""
        return cache_root() / "tools" / f"{self.module.partition('-')[0]}-{self.version}" / self.name

    @property
    def cached_definitions(self) -> Path:
        """Where its custom resource definitions are kept."""
        return self.cached.parent / "crds"


def _chosen() -> str:
    """The folder of the Kubernetes that is tested. Raises RuntimeError where there is none such."""
    chosen = os.environ.get(CHOICE)
    module = f"{_KUBERNETES}-{chosen}" if chosen else _KUBERNETES
    if not (_HERE / module / "go.mod").exists():
        others = ", ".join(sorted(path.name.partition("-")[2] for path in _HERE.glob(f"{_KUBERNETES}-*")))
        raise RuntimeError(f"{CHOICE}={chosen} is not pinned; leave it away, or choose one of: {others}")
    return module


def _kubernetes(name: str, seconds: int, module: str, *asking: str) -> Program:
    source, where = "k8s.io/kubernetes", "k8s.io/component-base/version"
    stamps = (f"{where}.gitVersion={{version}}", f"{where}.gitMajor={{major}}", f"{where}.gitMinor={{minor}}")
    return Program(name, module, f"{source}/cmd/{name}", source, seconds, stamps, asking or ("--version",))


def _volcano(name: str, command: str) -> Program:
    source = "volcano.sh/volcano"
    stamps, crds = (f"{source}/pkg/version.Version={{version}}",), "config/crd/volcano/bases"
    return Program(name, "volcano", f"{source}/cmd/{command}", source, 100, stamps, definitions=crds)


API_SERVER = _kubernetes("kube-apiserver", 285, _chosen())
CONTROLLER_MANAGER = _kubernetes("kube-controller-manager", 70, _chosen())
SCHEDULER = _kubernetes("kube-scheduler", 30, _chosen())
KUBECTL = _kubernetes("kubectl", 100, _KUBERNETES, "version", "--client")
ETCD = Program("etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3", 25)
KWOK = Program("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok", 70)
HELM_SOURCE = "helm.sh/helm/v4"
HELM_STAMPS = (f"{HELM_SOURCE}/internal/version.version={{version}}",)
HELM = Program("helm", "helm", f"{HELM_SOURCE}/cmd/helm", HELM_SOURCE, 180, HELM_STAMPS, ("version",))
VOLCANO_SCHEDULER = _volcano("vc-scheduler", "scheduler")
VOLCANO_CONTROLLERS = _volcano("vc-controller-manager", "controller-manager")

PROGRAMS = (
    API_SERVER,
    CONTROLLER_MANAGER,
    SCHEDULER,
    KUBECTL,
    ETCD,
    KWOK,
    HELM,
    VOLCANO_SCHEDULER,
    VOLCANO_CONTROLLERS,
)


def find(program: Program) -> Path | None:
    """A program that is there already, or None."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    chosen = program.module.startswith(f"{_KUBERNETES}-")
    candidates = [Path(assets) / program.name] if assets and not chosen else []
    for candidate in (*candidates, program.cached):
        if os.access(candidate, os.X_OK):
            return candidate
    on_path = shutil.which(program.name)
    return Path(on_path) if on_path and _says(Path(on_path), program) else None


def is_whole(program: Program) -> bool:
    """Whether it is there with all that belongs to it."""
    return find(program) is not None and (not program.definitions or program.cached_definitions.exists())


def provide(program: Program) -> Path:
    """Where it is; what is missing is built or fetched into the cache. Raises RuntimeError where that fails."""
    path = find(program) or _build_into_cache(program)
    if program.definitions:
        copy_of_source(program.folder, program.source, program.definitions, program.cached_definitions)
    return path


def _build_into_cache(program: Program) -> Path:
    say(f"building {program.name} {program.version}: about {program.seconds} s the first time")
    build(program.folder, program.package, program.cached, program.linker_flags)
    return program.cached


def how_to_get(*programs: Program) -> str:
    """What a test says that skips because programs are missing."""
    names = " ".join(program.name for program in programs)
    return (
        f"needs {names}: name their folder in KUBEBUILDER_ASSETS, or build them once with "
        f"`python -m tests.cluster.build {names}`"
    )


def _says(path: Path, program: Program) -> bool:
    """Whether a program that is asked for its version names the pinned one."""
    try:
        done = subprocess.run([str(path), *program.asking], capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    pinned = re.escape(program.version.removeprefix("v"))
    return re.search(rf"(?<![\w.])v?{pinned}(?![\w.+-])", done.stdout + done.stderr) is not None

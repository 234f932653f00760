"""A real control plane with a churning site on it, a watcher, and the controllers that are put through it."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.api import Api
from tests.chaos.churn import Churn
from tests.chaos.expectation import differences
from tests.chaos.ledger import Ledger
from tests.chaos.publisher import Publisher
from tests.chaos.replica import QUICK, Replica
from tests.chaos.watcher import Watcher
from tests.cluster.control_plane import ControlPlane
from tests.security.installed import account_of, install
from tests.security.manifests import SYSTEM

PATIENCE = 60.0


@dataclass(slots=True)
class Arena:
    """`replicas` are started by the test; all that run at the end are killed."""

    plane: ControlPlane
    churn: Churn
    watcher: Watcher
    kubeconfig: Path
    replicas: list[Replica] = field(default_factory=list)

    @property
    def api(self) -> Api:
        """The connection of the thread that makes the churn."""
        return self.churn.publisher.api

    def replica(self) -> Replica:
        """One controller more, not started."""
        found = Replica(self.kubeconfig, self.plane.folder / f"controller-{len(self.replicas)}.log")
        self.replicas.append(found)
        return found

    def settle(self, leader: Replica) -> None:
        """Sweep until the tree is as the site is drawn and the leader, that leads now, has looked at it.

        AssertionError where it does not come to that.
        """
        until = time.monotonic() + PATIENCE
        self.churn.forget()
        looks = leader.looks() + 2  # one may have begun before it led
        while True:
            self.churn.sweep()
            for _ in range(6):
                wrong = self.wrong()
                if not wrong and leader.looks() >= looks:
                    self.churn.ledger.settle()
                    return
                time.sleep(0.05)
            if time.monotonic() > until:
                leader.ask()
                raise AssertionError("\n".join((*wrong, *(one.last_words() for one in self.replicas))))

    def wrong(self) -> list[str]:
        """What is not as it should be, now."""
        self.watcher.catch_up(self.api)
        return list(differences(self.churn, dict(self.watcher.objects)))

    def judge(self) -> None:
        """AssertionError for the first thing that should never have been seen."""
        self.watcher.catch_up(self.api)
        assert self.watcher.faults == [], "\n".join(self.watcher.faults)


@contextmanager
def arena(plane: ControlPlane, folder: Path, seed: int) -> Iterator[Arena]:
    """The site's first sweep is published, and no controller runs yet. `plane` is a fresh one."""
    install(plane)
    folder.mkdir(parents=True, exist_ok=True)
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(plane.kubeconfig(account_of(plane, "hyperscout-controller").token(), SYSTEM))
    ledger = Ledger(hold=float(QUICK["times.nodeHold"]), patience=3)
    watcher = Watcher(Api(plane), ledger)
    watcher.start()
    churn = Churn(Publisher(Api(plane)), ledger, random.Random(seed))
    found = Arena(plane, churn, watcher, kubeconfig)
    try:
        churn.begin()
        yield found
    finally:
        watcher.stop()
        for replica in found.replicas:
            replica.kill()
        found.api.close()

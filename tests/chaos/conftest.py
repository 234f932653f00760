"""The one site that storms and silence come over, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.chaos.arena import Arena, arena
from tests.chaos.proxy import Proxy, no_trouble
from tests.chaos.replica import Replica
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require

SEED = 11


@dataclass(slots=True)
class Weather:
    """A site, a controller that reaches its API server through a proxy, and what may come over them."""

    site: Arena
    proxy: Proxy
    controller: Replica
    garbage: list[str] = field(default_factory=list)
    """Paths of objects that nobody should have written."""

    def calm(self) -> None:
        """Nothing is in the way any more: the tree comes right, and nobody ever saw a wrong one."""
        self.proxy.trouble = no_trouble
        self.proxy.flowing.set()
        while self.garbage:
            self.site.api.send("DELETE", self.garbage.pop())
        self.site.settle(self.controller)
        self.site.judge()


@pytest.fixture(scope="package")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weather]:
    """The tree of the first sweep stands."""
    require(*Settings().programs)
    folder = tmp_path_factory.mktemp("weather")
    with (
        ControlPlane(folder / "plane") as plane,
        Proxy(plane) as proxy,
        arena(plane, folder, SEED) as site,
    ):
        site.kubeconfig.write_text(site.kubeconfig.read_text().replace(plane.url, proxy.url))
        controller = site.replica()
        controller.start()
        controller.leads()
        found = Weather(site, proxy, controller)
        found.calm()
        yield found

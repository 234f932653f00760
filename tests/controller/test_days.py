"""What a day brings: ports that flap, never were up or died before a reboot, reboots, a subnet manager that fails over.

In simulated time, from samples of ports through the real machine and reports to conditions and Events.
"""

from __future__ import annotations

import pytest

from discovery.identity import guid
from discovery.reports import DOWN, FLAPPING, UNPROVISIONED, Port
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING
from tests.controller.days import Day, PortKey, Said
from tests.controller.site import Site
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

A, ROOT = "ib-leaf-cf-leaf-001", "ib-spine-cf-spine-001"
NODE, DEVICE = "node-00000", "mlx5_0"
HOUR = 3600.0


@pytest.fixture
def day() -> Day:
    day = Day()
    day.begin()
    return day


def device_of(day: Day, node: str, place: int = 0) -> str:
    return day.reports[node].spec.ports[place].device


def each_way(about: str, kind: str, reason: str) -> list[Said]:
    return [Said(f"{about} {kind}", reason, "False"), Said(f"{about} {kind}", "AllLinksUp", "True")]


@pytest.mark.parametrize(("minutes", "down"), [(2, 20.0), (6, 60.0), (20, 40.0)])
def test_a_port_that_flaps_for_an_hour_turns_each_condition_once_each_way(day: Day, minutes: int, down: float) -> None:
    port, begin = (NODE, device_of(day, NODE)), day.now

    def link(key: PortKey, now: float) -> str:
        away = now - begin <= HOUR and (now - begin) % (minutes * 60.0) < down
        return LINK_DOWN if key == port and away else LINK_UP

    day.link = link
    day.pass_time(HOUR)
    assert [said.status for said in day.turned] == ["False", "False"]
    day.pass_time(2 * HOUR, sample=60.0, look=300.0)
    assert sorted(day.turned, key=lambda said: said.about) == [
        *each_way(A, "LinksHealthy", day.turned[0].reason),
        *each_way(NODE, "FabricHealthy", day.turned[0].reason),
    ]
    assert len(day.events) == 4  # one each way at the HyperNode and at the Node


@pytest.mark.parametrize("minutes", [3, 15])
def test_the_only_link_of_a_node_that_flaps_makes_its_domain_unready_once(minutes: int) -> None:
    day = Day(site=Site(drawing=draw_tree(Tree((Unit(4, 1),) * 2, wiring="classic", tiers=2, spines=2))))
    day.begin()
    port, begin = (NODE, device_of(day, NODE)), day.now

    def link(key: PortKey, now: float) -> str:
        away = now - begin <= HOUR and (now - begin) % (minutes * 60.0) < 60.0
        return LINK_DOWN if key == port and away else LINK_UP

    day.link = link
    day.pass_time(HOUR)
    day.pass_time(HOUR, sample=60.0, look=300.0)
    assert "LinksFlapping" in day.reasons
    unit = next(said.about for said in day.events if said.about.startswith("ib-leaf"))
    assert [said.status for said in day.turned if said.about == f"{unit} Ready"] == ["False", "True"]
    assert len(day.turned) == len(day.events) == 6  # Ready, LinksHealthy and FabricHealthy


def test_a_port_that_never_was_up_on_a_device_that_no_peer_uses_is_nobodys_loss(day: Day) -> None:
    for node in day.site.nodes:
        day.others[node] = (Port(device="mlx5_9", port=1, portGuid=guid(0x9000 + int(node[-3:]))),)
    day.link = lambda key, _now: LINK_DOWN if key[1] == "mlx5_9" else LINK_UP
    day.pass_time(HOUR, look=300.0)
    assert {port.verdict for report in day.reports.values() for port in report.spec.ports[2:]} == {UNPROVISIONED}
    assert (day.turned, day.events) == ([], [])


def test_a_port_that_never_was_up_and_is_in_use_at_its_peers_is_missed_once(day: Day) -> None:
    for node in day.site.nodes:
        day.others[node] = (Port(device="mlx5_9", port=1, portGuid=guid(0x9000 + int(node[-3:]))),)
    day.link = lambda key, _now: LINK_DOWN if key == (NODE, "mlx5_9") else LINK_UP
    day.pass_time(HOUR, look=300.0)
    assert day.events == [Said(NODE, "NeverUp", "False")]
    day.link = lambda _key, _now: LINK_UP
    day.pass_time(60.0)
    assert day.events[1:] == [Said(NODE, "AllLinksUp", "True")]


@pytest.mark.parametrize("how", ["a reboot", "a new controller", "a new Node whose agent knows nothing"])
def test_a_cable_that_dies_before_a_reboot_stays_down_after_it(day: Day, how: str) -> None:
    port = (NODE, device_of(day, NODE))
    day.link = lambda key, _now: LINK_DOWN if key == port else LINK_UP
    day.pass_time(10.0)
    assert day.turned == []
    day.link = lambda key, _now: None if key[0] == NODE else LINK_UP  # it shuts down
    day.pass_time(300.0, look=60.0)
    day.boot([NODE])
    if how == "a new controller":
        day.restart()
    if how == "a new Node whose agent knows nothing":
        day.site.nodes.remove(NODE)
        del day.reports[NODE]
        day.look()
        day.site.nodes.append(NODE)
        for key in [key for key in day.histories if key[0] == NODE]:
            del day.histories[key]
    day.link = lambda key, _now: LINK_DOWN if key == port else LINK_UP
    day.pass_time(2 * HOUR, sample=10.0, look=60.0)
    found = next(found for found in day.reports[NODE].spec.ports if found.device == port[1])
    assert found.verdict == (UNPROVISIONED if "nothing" in how else DOWN)
    assert day.conditions[NODE, "FabricHealthy"] == "False"
    assert [said.status for said in day.turned if said.about.startswith(NODE)] == ["False"]


def test_two_hundred_and_eighty_eight_nodes_rebooted_three_times_in_a_day_make_no_flap() -> None:
    """Three times each, as firmware asks for: without knowing of boots each port would have come back three times."""
    day = Day(site=Site(drawing=draw_tree(Tree((Unit(36, 1),) * 8, wiring="classic", tiers=2, spines=2))))
    day.begin()
    assert len(day.site.nodes) == 288
    for wave in range(8):
        nodes = day.site.nodes[wave * 36 : wave * 36 + 36]
        day.watched = frozenset(nodes)
        for _ in range(3):
            day.resting = set(nodes)
            day.site.cut = {row for node in nodes for row in day.site.host_cables(node)}
            day.link = lambda _key, _now: None
            day.pass_time(600.0, sample=600.0, look=600.0, sweep=True)
            day.boot(nodes)
            day.link = lambda _key, _now: LINK_DOWN
            day.pass_time(40.0, sample=10.0, look=40.0)
            day.site.cut, day.resting = set(), set()
            day.link = lambda _key, _now: LINK_UP
            day.pass_time(2960.0, sample=740.0, look=1480.0, sweep=True)
    assert 23 * HOUR < day.now < 25 * HOUR
    assert FLAPPING not in day.words
    assert "LinksFlapping" not in day.reasons
    assert "SwitchLost" not in {said.reason for said in day.events}
    assert {status for (_, kind), status in day.conditions.items() if kind == "LinksHealthy"} == {"True"}


def test_a_subnet_manager_that_fails_over_for_five_minutes_is_one_event(day: Day) -> None:
    begin = day.now

    def link(key: PortKey, now: float) -> str:
        late = 20.0 * int(key[0][-1])  # one node sees it after the other
        return LINK_WAITING if late < now - begin <= 300.0 + late else LINK_UP

    day.link = link
    day.pass_time(HOUR)
    assert day.events == [Said(ROOT, "WaitingForSubnetManager")]
    assert day.turned == []
    day.link = lambda _key, _now: LINK_WAITING
    day.pass_time(300.0)
    assert len(day.events) == 2


def test_a_leaf_that_boots_three_times_is_told_at_the_switch_and_nobody_flaps(day: Day) -> None:
    leaf = day.site.switches_of(NODE)[0]
    switch = f"{int(day.site.drawing.nodes.guid[leaf]):016x}"
    rows = {row for node in day.site.nodes for row in day.site.host_cables(node)}
    below = {row for row in rows if int(day.site.drawing.cables.upper[row]) == leaf}
    there = {
        (node, device_of(day, node, place))
        for node in day.site.nodes
        for place, row in enumerate(day.site.host_cables(node))
        if row in below
    }
    for _ in range(3):
        day.link = lambda key, _now: LINK_DOWN if key in there else LINK_UP
        day.pass_time(120.0)
        day.link = lambda _key, _now: LINK_UP
        day.pass_time(60.0)
        assert day.conditions[A, "LinksHealthy"] == "True"
        day.pass_time(HOUR, sample=60.0, look=300.0)
    assert FLAPPING in day.words  # by the third time, as far as an agent can tell
    assert [said for said in day.events if said.reason == "SwitchLost"] == [Said(switch, "SwitchLost")] * 3
    assert {said.about for said in day.events} == {switch, A}  # the leaf domain is told to be unready, and ready again
    assert "LinksFlapping" not in day.reasons


@pytest.mark.parametrize("node", ["reboots", "is cordoned", "does nothing"])
def test_what_a_switch_calls_flapping_is_not_for_half_an_hour_after_its_node_rested_or_booted(
    day: Day, node: str
) -> None:
    if node == "reboots":
        day.boot([NODE])
    day.resting = {NODE} if node == "is cordoned" else set()
    day.pass_time(60.0)
    day.resting = set()
    day.say_at_switch(day.site.host_cables(NODE)[0], FLAPPING)
    day.pass_time(1800.0, sample=60.0, look=60.0)
    assert ("LinksFlapping" in day.reasons) == (node == "does nothing")
    day.pass_time(1800.0, sample=60.0, look=60.0)  # that is of now
    assert "LinksFlapping" in day.reasons


def test_links_that_are_seen_lost_one_after_the_other_are_one_loss_at_their_switch(day: Day) -> None:
    leaf = day.site.switches_of(NODE)[0]
    below = [
        (node, place) for node in day.site.nodes for place, on in enumerate(day.site.switches_of(node)) if on == leaf
    ]
    ports, begin = [(node, device_of(day, node, place)) for node, place in below], day.now

    def link(key: PortKey, now: float) -> str:
        return LINK_DOWN if key in ports and now - begin > 30.0 * ports.index(key) else LINK_UP

    day.link = link
    day.pass_time(240.0, look=10.0)
    assert [said.reason for said in day.events].count("SwitchLost") == 1
    told = [said.about for said in day.events if said.about in day.site.nodes]
    assert len(told) < len(ports) == 3  # 3 host links of the 5 at the leaf


def test_who_starts_anew_tells_nothing_again(day: Day) -> None:
    port = (NODE, device_of(day, NODE))
    day.link = lambda key, _now: LINK_DOWN if key == port else LINK_UP
    day.pass_time(120.0)
    told = list(day.events)
    assert len(told) == 2
    day.restart()
    day.pass_time(700.0)
    assert day.events == told

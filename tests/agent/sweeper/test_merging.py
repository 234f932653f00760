"""What stays of a fabric of which a part gave no answer; drawn by hand:

host A -- leaf 1 [1]        leaf 1 [8] -- spine [1]
host B -- leaf 2 [1]        leaf 2 [8] -- spine [2]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent.sweeper.infiniband.merging import merge
from agent.sweeper.infiniband.reading import Subnet
from agent.sweeper.infiniband.subnets import Runs
from agent.sweeper.judging import View
from discovery.ibnetdiscover.unanswered import EVERY_PORT, Doubt
from discovery.identity import Guid
from discovery.reports import HOST, SWITCH, UP, Peer, SwitchPort, SwitchReport
from discovery.vantage import OwnPort
from tests.agent.sweeper.played import without_port

A, B, LEAF_1, LEAF_2, SPINE = (Guid(f"{number:016x}") for number in (0xA, 0xB, 0x10, 0x20, 0x30))
WHY = "bad status 110; Connection timed out"


def cable(number: int, kind: str, guid: Guid, far: int, text: str) -> SwitchPort:
    peer = Peer(kind=kind, guid=guid, portGuid=guid, description=text, port=far)
    return SwitchPort(number=number, width=4, speed="HDR", verdict=UP, peer=peer)


def switch(guid: Guid, text: str, *ports: SwitchPort) -> SwitchReport:
    return SwitchReport(fabric="f", guid=guid, systemImageGuid=guid, description=text, portCount=40, ports=ports)


ONE = switch(LEAF_1, "leaf-1", cable(1, HOST, A, 1, "a mlx5_0"), cable(8, SWITCH, SPINE, 1, "spine"))
TWO = switch(LEAF_2, "leaf-2", cable(1, HOST, B, 1, "b mlx5_0"), cable(8, SWITCH, SPINE, 2, "spine"))
TOP = switch(SPINE, "spine", cable(1, SWITCH, LEAF_1, 8, "leaf-1"), cable(2, SWITCH, LEAF_2, 8, "leaf-2"))
OWN = {f"ib-{report.guid}": report for report in (ONE, TWO, TOP)}


def subnet(*reports: SwitchReport, trouble: tuple[str, ...] = (), port: str = "mlx5_0/1", **doubt: Any) -> Subnet:  # noqa: ANN401 - fields of a Doubt
    return Subnet(port, reports=reports, trouble=trouble, doubt=Doubt(**doubt))


def view_of(*subnets: Subnet) -> View:
    return merge(Runs(subnets), OWN).sweep.view


def test_a_host_behind_a_port_without_an_answer_stays_and_one_whose_port_is_down_goes() -> None:
    seen = (without_port(ONE, 1), without_port(TWO, 1), TOP)
    merged = merge(Runs((subnet(*seen, ports={LEAF_1: {1: WHY}}),)), OWN)
    assert merged.sweep.reports == OWN | {f"ib-{LEAF_2}": without_port(TWO, 1)}
    assert merged.unsure == {(LEAF_1, 1)}
    view = merged.sweep.view
    assert (view.trouble, view.spared, view.hosts) == ((), frozenset(), 1)
    assert view.notes == (f"no answer behind port 1 of leaf-1 ({WHY}): it counts as it was last seen",)


def test_a_switch_and_all_that_hangs_behind_it_are_spared_and_another_one_is_lost() -> None:
    view = view_of(subnet(ONE, without_port(TOP, 2), ports={SPINE: {2: WHY}}))
    assert (set(view.switches), set(view.spared), view.hosts) == ({LEAF_1, SPINE}, {LEAF_2}, 2)
    view = view_of(subnet(TWO, without_port(TOP, 1)))
    assert (set(view.switches), set(view.spared), view.hosts) == ({LEAF_2, SPINE}, set(), 1)
    view = view_of(subnet(TWO, ports={LEAF_2: {8: WHY}}))
    assert view.spared == {SPINE, LEAF_1}


def test_a_switch_of_which_nothing_is_known_but_itself_keeps_all_its_cables() -> None:
    merged = merge(Runs((subnet(replace(TOP, ports=()), ONE, TWO, ports={SPINE: {EVERY_PORT: WHY}}),)), OWN)
    assert merged.sweep.reports == OWN


def test_a_cable_that_is_seen_somewhere_else_is_not_kept_where_it_was() -> None:
    moved = replace(TWO, ports=(*TWO.ports, cable(2, HOST, A, 1, "a mlx5_0")))
    merged = merge(Runs((subnet(without_port(ONE, 1), moved, TOP, ports={LEAF_1: {1: WHY}}),)), OWN)
    assert merged.sweep.reports[f"ib-{LEAF_1}"] == without_port(ONE, 1)


def test_what_the_near_end_could_not_tell_of_a_cable_stays_as_it_was() -> None:
    bare = replace(ONE, ports=(replace(ONE.ports[0], width=None, speed=None), ONE.ports[1]))
    assert merge(Runs((subnet(bare, TWO, TOP, ports={LEAF_1: {1: WHY}}),)), OWN).sweep.reports == OWN


def test_nodes_that_did_not_tell_their_names_keep_them() -> None:
    peer = ONE.ports[0].peer
    assert peer is not None
    host = replace(ONE.ports[0], peer=replace(peer, description=""))
    nameless = replace(TOP, description=""), replace(ONE, ports=(host, ONE.ports[1])), TWO
    assert merge(Runs((subnet(*nameless, nameless=frozenset({SPINE, A})),)), OWN).sweep.reports == OWN


def test_a_subnet_that_fails_makes_the_sweep_partial_and_leaves_the_others_to_be_written() -> None:
    sweep = merge(Runs((subnet(ONE, TOP), subnet(trouble=("cut off",), port="mlx5_1/1"))), OWN).sweep
    assert sweep.view.trouble == ("mlx5_1/1: cut off",)
    assert (sweep.apart, sweep.poor) == (True, frozenset())
    sweep = merge(Runs((subnet(ONE), subnet(TOP, trouble=("cut off",), port="mlx5_1/1"))), OWN).sweep
    assert sweep.poor == {f"ib-{SPINE}"}
    assert not merge(Runs((subnet(ONE, trouble=("cut off",)),)), OWN).sweep.apart


def test_an_own_port_without_a_link_is_told_while_nobody_reaches_its_switch() -> None:
    idle = (OwnPort(device="mlx5_0", port=1, state="DOWN", active=False, port_guid=A),)
    lost = merge(Runs((subnet(TWO),), idle=idle), OWN).sweep.view
    assert lost.trouble == ("mlx5_0/1 is DOWN: the subnet behind it was not swept",)
    assert merge(Runs((subnet(ONE, TWO),), idle=idle), OWN).sweep.view.trouble == ()
    never = (replace(idle[0], port_guid=Guid("00000000000000ff")),)
    assert merge(Runs((subnet(TWO),), idle=never), OWN).sweep.view.trouble == ()


def test_the_chips_of_one_box_keep_their_names_while_one_of_them_is_not_seen() -> None:
    box = [replace(report, systemImageGuid=Guid("00000000000000cc")) for report in (ONE, TWO)]
    own = {f"ib-{report.guid}": report for report in box}
    assert merge(Runs((subnet(box[0]),)), own).sweep.reports.keys() == {f"ib-{LEAF_1}"}

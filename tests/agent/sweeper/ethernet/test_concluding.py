"""What the answers of an Ethernet fabric's switches prove, and what their silence does not."""

from __future__ import annotations

from collections.abc import Mapping

from agent.sweeper.ethernet.asking import Round
from agent.sweeper.ethernet.concluding import Gathered, conclude, count_hosts, identify
from agent.sweeper.judging import Known, Patience, judge
from agent.sweeper.reading import Sweep
from discovery.identity import ChassisId, Guid
from discovery.probing import found
from discovery.reports import COMPLETE, FAILED, HOST, PARTIAL, SWITCH, UP, Peer, SwitchPort, SwitchReport
from discovery.snmp import SwitchTables, Target
from discovery.snmp.tables import Remote, SwitchInterface

SPINE, *LEAVES = (ChassisId(f"02:00:00:00:00:{number:02x}") for number in range(21))
ADDRESSES = {chassis: Target(f"10.0.0.{number}") for number, chassis in enumerate((SPINE, *LEAVES), 1)}


def port(number: int, kind: str, chassis: ChassisId, name: str = "") -> SwitchPort:
    return SwitchPort(number=number, verdict=UP, peer=Peer(kind=kind, chassisId=chassis, description=name or None))


def leaf(chassis: ChassisId) -> SwitchReport:
    """Two hosts below, the spine above."""
    hosts = (port(number, HOST, ChassisId(f"host-{number}"), f"{chassis}-{number}") for number in (1, 2))
    return SwitchReport(chassisId=chassis, ports=(*hosts, port(49, SWITCH, SPINE)))


def spine(*below: ChassisId) -> SwitchReport:
    return SwitchReport(chassisId=SPINE, ports=tuple(port(number, SWITCH, one) for number, one in enumerate(below, 1)))


WHOLE = {SPINE: spine(*LEAVES)} | {one: leaf(one) for one in LEAVES}
OWN = {f"eth-{chassis}": report for chassis, report in WHOLE.items()}


def swept(reports: Mapping[ChassisId, SwitchReport], own: Mapping[str, SwitchReport] = OWN, late: int = 0) -> Sweep:
    answers = {ADDRESSES[chassis]: SwitchTables(chassis_id=chassis) for chassis in reports}
    silent = {target: "no answer" for target in ADDRESSES.values() if target not in answers}
    asked = Round({target: found("snmp", tables) for target, tables in answers.items()}, silent, late=late)
    return conclude(Gathered(asked, identify(answers), reports, (), own))


def without(*lost: ChassisId) -> dict[ChassisId, SwitchReport]:
    return {chassis: report for chassis, report in WHOLE.items() if chassis not in lost}


def outcome(sweep: Sweep) -> tuple[str, list[Guid]]:
    """After a whole sweep of the fabric."""
    known = judge(swept(WHOLE).view, Known(), Patience()).known
    judgement = judge(sweep.view, known, Patience())
    return judgement.outcome, [one.guid for one in judgement.missing]


def test_a_fabric_that_answers_is_whole() -> None:
    view = swept(WHOLE).view
    assert (len(view.switches), view.hosts, view.trouble, view.notes, view.spared) == (21, 40, (), (), frozenset())
    assert outcome(swept(WHOLE)) == (COMPLETE, [])


def test_a_switch_that_is_silent_but_heard_by_its_neighbours_is_not_missing() -> None:
    sweep = swept(without(LEAVES[0]))
    assert sweep.view.notes == (
        "1 of 21 targets did not answer (10.0.0.2: no answer)",
        "where there is no answer, look at the community or user, and at the access list (ACL) and view there",
    )
    assert outcome(sweep) == (COMPLETE, [])
    assert sweep.view.hosts == 40  # its hosts are known, and not lost with its answer


def test_a_switch_that_is_silent_and_that_no_neighbour_hears_any_more_is_missing() -> None:
    reports = without(LEAVES[0]) | {SPINE: spine(*LEAVES[1:])}
    assert outcome(swept(reports)) == (COMPLETE, [Guid(LEAVES[0])])


def test_a_switch_of_which_nobody_could_tell_is_not_missing() -> None:
    alone = SwitchReport(chassisId=LEAVES[0], ports=(port(1, HOST, ChassisId("host-1"), "gpu-1"),))
    own = OWN | {f"eth-{LEAVES[0]}": alone}
    reports = without(LEAVES[0]) | {SPINE: spine(*LEAVES[1:])}
    assert outcome(swept(reports, own)) == (COMPLETE, [])


def test_neighbours_that_hear_nobody_at_all_prove_nothing() -> None:
    """Their LLDP is away, and the switch's SNMP: that is two silences and no loss."""
    assert outcome(swept(without(LEAVES[0]) | {SPINE: spine()})) == (COMPLETE, [])


def test_neighbours_that_were_not_read_whole_prove_nothing() -> None:
    reports = without(LEAVES[0]) | {SPINE: spine(*LEAVES[1:])}
    answers = {ADDRESSES[one]: SwitchTables(chassis_id=one, whole=one != SPINE) for one in reports}
    asked = Round({target: found("snmp", tables) for target, tables in answers.items()}, {})
    assert outcome(conclude(Gathered(asked, identify(answers), reports, (), OWN))) == (COMPLETE, [])


def test_a_switch_that_answers_by_another_name_is_no_longer_there_by_its_first() -> None:
    bridge = ChassisId("02:00:00:00:01:00")
    own = OWN | {f"eth-{bridge}": SwitchReport(chassisId=bridge)}
    answers = {ADDRESSES[one]: SwitchTables(chassis_id=one) for one in WHOLE}
    answers[ADDRESSES[SPINE]] = SwitchTables(chassis_id=SPINE, bridge_address=bridge)
    asked = Round({target: found("snmp", tables) for target, tables in answers.items()}, {})
    view = conclude(Gathered(asked, identify(answers, WHOLE.keys() | {bridge}), WHOLE, (), own)).view
    assert (view.switches, view.spared) == (frozenset(map(Guid, WHOLE)), frozenset())


def test_too_many_silent_switches_make_the_sweep_partial_and_those_that_answered_are_written_all_the_same() -> None:
    sweep = swept(without(*LEAVES[:3]))
    assert outcome(sweep) == (PARTIAL, [])
    assert len(sweep.due(OWN.keys(), PARTIAL)) == 18


def test_a_fabric_that_is_silent_is_a_failed_sweep_that_says_why() -> None:
    sweep = swept({})
    judgement = judge(sweep.view, Known(switches=frozenset(map(Guid, WHOLE))), Patience())
    assert (judgement.outcome, judgement.missing) == (FAILED, ())
    assert judgement.reasons[0].startswith("21 of 21 targets did not answer (10.0.0.1: no answer, 10.0.0.2: no answer")


def test_a_sweep_that_was_cut_off_is_partial() -> None:
    assert outcome(swept(without(LEAVES[0]), late=1)) == (PARTIAL, [])


def test_one_switch_at_two_addresses_is_one_and_its_better_answer_counts() -> None:
    poor, whole = (
        SwitchTables(chassis_id=SPINE, name="spine", whole=False),
        SwitchTables(chassis_id=SPINE, name="spine"),
    )
    one = identify({Target("10.0.0.1"): poor, Target("10.0.0.2"): whole})
    assert (one.tables, one.notes) == ({SPINE: whole}, ())


def test_a_switch_without_lldp_is_whom_its_neighbours_hear_and_stays_that() -> None:
    ports = {
        1: SwitchInterface(index=1, kind=6, mac="00:00:00:00:00:aa"),
        2: SwitchInterface(index=2, kind=6, mac=LEAVES[0]),
    }
    silent = SwitchTables(name="cumulus", interfaces=ports)
    hearing = SwitchTables(chassis_id=SPINE, remotes=(Remote(port=1, chassis_id=LEAVES[0]),))
    answers = {Target("10.0.0.1"): silent, Target("10.0.0.2"): hearing}
    assert set(identify(answers).tables) == {LEAVES[0], SPINE}
    assert not identify({Target("10.0.0.1"): silent}).tables
    assert set(identify({Target("10.0.0.1"): silent}, {LEAVES[0]}).tables) == {LEAVES[0]}


def test_a_host_that_answers_and_tells_nothing_of_lldp_is_no_switch_and_is_told() -> None:
    host = SwitchTables(name="build-1", interfaces={1: SwitchInterface(index=1, kind=6, mac="00:00:00:00:00:aa")})
    answers = {ADDRESSES[SPINE]: SwitchTables(chassis_id=SPINE), Target("10.0.9.9"): host}
    asked = Round(
        {target: found("snmp", tables) for target, tables in answers.items()}, {Target("10.0.9.8"): "refused"}
    )
    one = identify(answers)
    assert (set(one.tables), one.mute) == ({SPINE}, (Target("10.0.9.9"),))
    view = conclude(Gathered(asked, one, {SPINE: WHOLE[SPINE]})).view
    assert len(view.switches) == 1
    assert view.notes[0] == "1 of 3 targets did not answer (10.0.9.8: refused)"
    assert view.notes[1].startswith("1 of 3 answer and tell nothing of LLDP: 10.0.9.9; no switch hears them")
    alone = conclude(
        Gathered(Round({Target("10.0.9.9"): found("snmp", host)}, {}), identify({Target("10.0.9.9"): host}), {})
    )
    judgement = judge(alone.view, Known(), Patience())
    assert (judgement.outcome, len(judgement.reasons)) == (FAILED, 1)


def test_two_switches_with_one_chassis_id_are_told() -> None:
    one, other = SwitchTables(chassis_id=SPINE, serial="A"), SwitchTables(chassis_id=SPINE, serial="B")
    (note,) = identify({Target("10.0.0.1"): one, Target("10.0.0.2"): other}).notes
    assert note == "10.0.0.2 and 10.0.0.1 are two switches with one chassis id, 02:00:00:00:00:00"


def test_a_switch_that_nothing_identifies_is_told_and_left_out() -> None:
    hearing = SwitchTables(name="x", remotes=(Remote(port=1, chassis_id=SPINE),))
    one = identify({Target("10.0.0.1"): hearing, Target("10.0.0.2"): SwitchTables(chassis_id=SPINE)})
    assert list(one.tables) == [SPINE]
    assert one.notes == ("1 targets (10.0.0.1) tell no chassis id and no MAC, so nothing identifies them",)


def test_a_switch_that_could_not_be_read_whole_overwrites_nothing() -> None:
    answers = {ADDRESSES[SPINE]: SwitchTables(chassis_id=SPINE, whole=False)}
    asked = Round({ADDRESSES[SPINE]: found("snmp", answers[ADDRESSES[SPINE]], "object ids do not rise")}, {})
    sweep = conclude(Gathered(asked, identify(answers), {SPINE: spine()}, (), OWN))
    assert sweep.view.notes == ("10.0.0.1: object ids do not rise",)
    assert not sweep.due({"eth-020000000000"}, COMPLETE)
    assert set(sweep.due((), COMPLETE)) == {"eth-020000000000"}


def test_hosts_are_counted_once_by_whatever_they_say_of_themselves() -> None:
    peers = (
        Peer(kind=HOST, chassisId=ChassisId("a"), description="gpu-1"),
        Peer(kind=HOST, chassisId=ChassisId("b"), description="gpu-1"),
        Peer(kind=HOST, chassisId=ChassisId("c")),
        Peer(kind=SWITCH, chassisId=ChassisId("d"), description="spine"),
    )
    report = SwitchReport(ports=(SwitchPort(number=1, peers=peers),))
    assert count_hosts([report]) == 2

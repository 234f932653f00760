"""A switch is one switch in sweeps in which it does not tell its chassis id."""

from __future__ import annotations

from dataclasses import replace

from agent.sweeper.ethernet.concluding import identify
from agent.sweeper.ethernet.recognising import Signs
from discovery.identity import ChassisId
from discovery.reports import SwitchPort, SwitchReport
from discovery.snmp import SwitchTables, Target
from discovery.snmp.tables import Remote, SwitchInterface

HERE, THERE = Target("10.0.0.1"), Target("10.0.0.2")
ONE, OTHER = ChassisId("aa:bb:cc:00:00:01"), ChassisId("aa:bb:cc:00:00:02")
BRIDGE = "aa:bb:cc:00:01:01"


def a_switch(chassis: ChassisId | None = ONE, last: int = 1, serial: str | None = None) -> SwitchTables:
    port = SwitchInterface(index=1, kind=6, mac=f"aa:00:00:00:00:{last:02x}")
    return SwitchTables(
        chassis_id=chassis, bridge_address=f"{BRIDGE[:-2]}{last:02x}", name=f"leaf-{last}", serial=serial,
        interfaces={1: port}, remotes=(Remote(port=1, system_name="somebody"),),
    )  # fmt: skip


def a_report(chassis: ChassisId, last: int = 1) -> SwitchReport:
    return SwitchReport(chassisId=chassis, ports=(SwitchPort(number=1, mac=f"aa:00:00:00:00:{last:02x}"),))


def after(*sweeps: dict[Target, SwitchTables]) -> Signs:
    signs = Signs()
    for answers in sweeps:
        signs.recall([a_report(ONE), a_report(OTHER, 2)])
        signs.learn(answers)
    return signs


def names(answers: dict[Target, SwitchTables], signs: Signs) -> set[ChassisId]:
    return set(identify(answers, {ONE, OTHER}, signs).tables)


def test_a_switch_whose_lldp_is_away_for_a_sweep_is_who_it_was() -> None:
    signs = after({HERE: a_switch()})
    assert names({HERE: a_switch(None)}, signs) == {ONE}
    assert names({THERE: a_switch(None)}, signs) == {ONE}  # by its MACs, at another address


def test_a_serial_number_is_enough_where_all_else_is_new() -> None:
    signs = after({HERE: a_switch(serial="MT1")})
    assert names({THERE: replace(a_switch(None, 9, "MT1"), name="renamed")}, signs) == {ONE}


def test_a_process_that_begins_knows_a_switch_by_the_ports_of_its_report() -> None:
    signs = Signs()
    signs.recall([a_report(ONE), a_report(OTHER, 2)])
    assert names({HERE: a_switch(None)}, signs) == {ONE}
    signs.recall([a_report(ONE), a_report(OTHER)])
    assert names({HERE: a_switch(None)}, signs) == {BRIDGE}  # two have such a port


def test_what_two_switches_have_in_common_is_no_sign() -> None:
    both = {HERE: a_switch(ONE, 1, "0"), THERE: a_switch(OTHER, 2, "0")}
    one = {HERE: a_switch(None, 1, "0"), THERE: a_switch(OTHER, 2, "0")}
    assert names(one, after(both)) == names(one, after(both, one, one)) == {ONE, OTHER}


def test_another_switch_at_the_address_is_another_switch() -> None:
    signs = after({HERE: a_switch()})
    assert names({HERE: a_switch(None, 9)}, signs) == {"aa:bb:cc:00:01:09"}


def test_a_switch_that_has_left_is_forgotten() -> None:
    signs = after({HERE: a_switch()})
    signs.recall([a_report(OTHER, 2)])
    assert names({HERE: a_switch(None)}, signs) == {BRIDGE}

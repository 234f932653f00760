"""What descriptions name: hosts and devices by the rules, never by hope; switch names as the operator wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.descriptions import host_name, switch_model, switch_name


@pytest.mark.parametrize(
    ("description", "host", "device"),
    [
        ("a08-p1-dgx-04-c01 mlx5_5", "a08-p1-dgx-04-c01", "mlx5_5"),
        ("b05-p1-dgx-05-c08 HCA-6", "b05-p1-dgx-05-c08", "HCA-6"),
        ("selene-cache-02 mlx5_1 ", "selene-cache-02", "mlx5_1"),
        ("Node01 ibp75s0f0", "Node01", "ibp75s0f0"),
        ("gpu7 rocep1s0", "gpu7", "rocep1s0"),
        ("gpu7 mlx5_bond_0", "gpu7", "mlx5_bond_0"),
        ("opa3 hfi1_0", "opa3", "hfi1_0"),
        ("node01 mlx5_0 port1", "node01", "mlx5_0"),
        ("ubuntu", "ubuntu", None),
        ("localhost HCA-1", "localhost", "HCA-1"),
        ("mlx5_0", None, "mlx5_0"),
        ("", None, None),
        ("   ", None, None),
        ("MT4129 ConnectX7   Mellanox Technologies", None, None),
        ("MT25408 ConnectX Mellanox Technologies", None, None),
        ("MT23108 InfiniHost Mellanox Technologies", None, None),
        ("Mellanox Technologies Aggregation Node", None, None),
        ("MT4129", None, None),
        ("ConnectX7", None, None),
        ("node01 (spare)", None, None),
        ("sunrise", "sunrise", None),
        ("ca-west-1", "ca-west-1", None),
        ("intelligence", "intelligence", None),
        ("ibm01", "ibm01", None),
    ],
)
def test_host_and_device(description: str, host: str | None, device: str | None) -> None:
    assert host_name(description) == (host, device)


@pytest.mark.parametrize(
    ("description", "name", "model"),
    [
        ("MF0;A09-P1-IBLEAF-04-04:MQM9701/U1", "A09-P1-IBLEAF-04-04", "MQM9701"),
        ("MF0;switch-de779e:SX6012/U1", "switch-de779e", "SX6012"),
        ("MF0;core:CS8500/L07/U2", "core/L07/U2", "CS8500"),
        ("MF0;row:3:leaf:MQM8700/U1", "row:3:leaf", "MQM8700"),
        ("ib-i1l1s01", "ib-i1l1s01", None),
        (" 5FB0406-spine-IB02 ", "5FB0406-spine-IB02", None),
        ("SwitchIB Mellanox Technologies", "", None),
        ("Quantum Mellanox Technologies", "", None),
        ("Infiniscale-IV Mellanox Technologies", "", None),
        ("ISR9024 Voltaire", "", None),
        ("", "", None),
    ],
)
def test_switch_name_and_model(description: str, name: str, model: str | None) -> None:
    assert (switch_name(description), switch_model(description)) == (name, model)


def test_the_two_asics_of_a_director_board_have_two_names() -> None:
    assert switch_name("MF0;core:CS8500/S01/U1") != switch_name("MF0;core:CS8500/S01/U2")


@given(st.text())
def test_any_text_has_an_answer(description: str) -> None:
    host, device = host_name(description)
    assert host is None or host in description
    assert device is None or device in description
    assert switch_name(description) == switch_name(description).strip()

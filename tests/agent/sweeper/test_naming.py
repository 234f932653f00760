"""The operator's node name map, applied by GUID wherever the node is named."""

from __future__ import annotations

from pathlib import Path

from agent.sweeper.infiniband.naming import NodeNames, read_names
from agent.sweeper.infiniband.subnets import Runs
from discovery.identity import Guid
from tests.agent.sweeper.test_merging import LEAF_1, ONE, SPINE, TOP, A, subnet


def test_lines_are_a_guid_and_a_quoted_name() -> None:
    names, odd = read_names('# switches\n\n0x10 "leaf one"\n0X00000000000000aa  "b" # new\n0x0 "none"\nleaf "x"\n')
    assert names == {LEAF_1: "leaf one", Guid("00000000000000aa"): "b"}
    assert odd == 2


def test_a_name_is_that_of_the_node_and_of_every_port_that_leads_to_it(tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_text('0x10 "first"\n0xa "host-a mlx5_0"\n')
    runs = NodeNames(str(file)).applied(Runs((subnet(ONE, TOP),)))
    leaf, spine = runs.subnets[0].reports
    assert (leaf.description, spine.description) == ("first", "spine")
    peers = {port.peer.guid: port.peer.description for port in (*leaf.ports, *spine.ports) if port.peer}
    assert (peers[A], peers[LEAF_1], peers[SPINE]) == ("host-a mlx5_0", "first", "spine")


def test_a_file_that_cannot_be_read_is_told_and_the_last_names_stay(tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_text('0x10 "first"\n')
    names = NodeNames(str(file))
    names.applied(Runs((subnet(ONE),)))
    file.unlink()
    runs = names.applied(Runs((subnet(ONE),)))
    assert runs.subnets[0].reports[0].description == "first"
    assert runs.notes == (f"node name map {file}: No such file or directory; the last names that were read stay",)

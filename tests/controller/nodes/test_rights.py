"""To write to Nodes beside their status is a right of its own, which only those settings take that ask for it."""

from __future__ import annotations

import pytest

from cli.processes.controller import needs
from controller.settings import NodeMarks
from tests.security.granted import grant_of, grants_of
from tests.security.manifests import SYSTEM, accounts_and_roles, of_kind

ALONE = set(needs(SYSTEM).rights)


@pytest.mark.parametrize(
    "marks", [NodeMarks(labels=True), NodeMarks(other_labels={"rack": "leaf"}), NodeMarks(taint="NoSchedule")]
)
def test_labels_and_the_taint_take_the_rights_of_one_role_more(marks: NodeMarks) -> None:
    more = set(needs(SYSTEM, marks).rights) - ALONE
    assert sorted(map(str, more)) == ["get nodes", "patch nodes"]
    (role,) = [
        role
        for role in of_kind("ClusterRole", accounts_and_roles())
        if role["metadata"]["name"] == "hyperscout-controller-nodes"
    ]
    assert set(grants_of(role["rules"])) == {grant_of(right) for right in more}


def test_without_them_nodes_are_written_in_their_status_only() -> None:
    asked = {str(right) for right in ALONE if right.resource.plural == "nodes"}
    assert asked == {"list nodes", "watch nodes", "patch nodes/status"}

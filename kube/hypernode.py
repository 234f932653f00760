"""HyperNode (topology.volcano.sh/v1alpha1), whole: foreign ones count too. Source: Volcano, `hypernode_types.go`."""

from __future__ import annotations

from kube.meta import Condition, LabelSelector, ObjectMeta, Wire


class ExactMatch(Wire, frozen=True, kw_only=True):
    """The name of the member."""

    name: str


class RegexMatch(Wire, frozen=True, kw_only=True):
    """A Go RE2 pattern that is searched in node names."""

    pattern: str


class MemberSelector(Wire, frozen=True, kw_only=True):
    """Exactly one of the three; labelMatch works for nodes only."""

    exact_match: ExactMatch | None = None
    regex_match: RegexMatch | None = None
    label_match: LabelSelector | None = None


class Member(Wire, frozen=True, kw_only=True):
    """Nodes or one HyperNode below; type is Node or HyperNode."""

    type: str
    selector: MemberSelector = MemberSelector()


class HyperNodeSpec(Wire, frozen=True, kw_only=True):
    """Tier 1 is the narrowest."""

    tier: int = 0
    tier_name: str = ""
    members: tuple[Member, ...] = ()


class HyperNodeStatus(Wire, frozen=True, kw_only=True):
    """Conditions are an atomic list: they are merged in code. nodeCount belongs to Volcano's controller."""

    conditions: tuple[Condition, ...] = ()
    node_count: int | None = None


class HyperNode(Wire, frozen=True, kw_only=True):
    """One domain of the fabric."""

    metadata: ObjectMeta = ObjectMeta()
    spec: HyperNodeSpec = HyperNodeSpec()
    status: HyperNodeStatus = HyperNodeStatus()

    def condition(self, type_: str) -> Condition | None:
        return next((condition for condition in self.status.conditions if condition.type == type_), None)

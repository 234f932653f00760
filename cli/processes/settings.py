"""What an operator may set about each process: the one place where keys, defaults, bounds and meanings stand.

A key is the path through the sections (`http.listen`). `loading` reads them from file, environment and flags,
`reference` makes docs/reference/settings.md of them.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, model_validator

from cli.processes.node_labels import OWN, THEIRS, check_labels, read_labels
from cli.processes.sections import (
    Address,
    Cluster,
    Count,
    Http,
    Lease,
    Log,
    Names,
    Seconds,
    Section,
    Share,
    read_switch,
    split_words,
)
from controller.settings import ControllerSettings, Debounce, NodeMarks, Patience, Times
from scheduler.settings import SchedulerSettings
from topology.conclude import Settings as TreeSettings
from topology.documents import is_kubernetes_name
from topology.health import Limits
from topology.hierarchy import DEFAULT_TIERS, check_tiers


def read_tiers(value: object) -> object:
    """A table of tiers: numbers by name, or `leaf=1,spine=2,core=3`. ValueError, in a sentence, if it is none."""
    if isinstance(value, str):
        value = dict(word.partition("=")[::2] for word in value.replace(" ", "").split(",") if word)
    if not isinstance(value, dict):
        return value
    table: dict[str, int] = {}
    for name, number in value.items():
        if isinstance(number, bool) or not str(number).isdecimal():
            raise ValueError(f"the number of tier {name} is {number!r}; a table is written leaf=1,spine=2,core=3")
        table[str(name)] = int(number)
    check_tiers(table)
    return table


def _object_name(name: str) -> str:
    if not is_kubernetes_name(name):
        raise ValueError(f"{name!r} can be no object's name: small letters, digits, - and . are what it is made of")
    return name


ObjectName = Annotated[
    str, AfterValidator(_object_name), Field(json_schema_extra={"pattern": "^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$"})
]
_TIER = "(nvlink|leaf|spine|core[0-9]*)"
LabelWord = Annotated[str, Field(json_schema_extra={"pattern": f"^({OWN}|{THEIRS}|{_TIER}=.+)$"})]
TIER_TABLE: dict[str, JsonValue] = {
    "propertyNames": {"pattern": f"^{_TIER}$"},
    "required": ["leaf", "spine", "core"],
    "additionalProperties": {"type": "integer", "minimum": 1},
}
"""What a schema can say of a table of tiers."""


class SchedulerHttp(Http):
    """The same on another port, for both may run on one host."""

    listen: Address = Field(default="127.0.0.1:8462", description="HOST:PORT to serve on; port 0 takes a free one")


class Tree(Section):
    """How the tree is built."""

    nvlink_tier: Annotated[Literal["auto", "on", "off"], BeforeValidator(read_switch)] = Field(
        default="auto", description="A tier of NVLink domains: on, off, or as the evidence says"
    )
    tiers: Annotated[dict[str, int], BeforeValidator(read_tiers)] = Field(
        default=dict(DEFAULT_TIERS),
        description="Number of each tier, rising upward; TIER=NUMBER with commas between in flags and the environment. "
        "Without nvlink there is no tier of NVLink domains",
        json_schema_extra=TIER_TABLE,
    )
    migrate_tiers: bool = Field(
        default=False,
        description="Whether HyperNodes that stand with other tier numbers get those of tree.tiers: the tree is taken "
        "down and built again. false: they keep theirs, and the log says so",
    )

    plain_ethernet: bool = Field(
        default=False,
        description="Whether Ethernet interfaces without an RDMA device make tiers, too, by what LLDP hears on them",
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        self.settings()
        return self

    def settings(self) -> TreeSettings:
        """As the topology room takes them."""
        return TreeSettings(self.tiers, {"auto": None, "on": True, "off": False}[self.nvlink_tier])


class LinkLimits(Section):
    """When a HyperNode is judged unwell."""

    unhealthy_links: Share = Field(
        default=Limits().unhealthy_links, description="Share of its own links; more of them unhealthy make it not Ready"
    )
    stale_reports: Share = Field(
        default=Limits().stale_reports,
        description="Share of its nodes' reports; more of them old make its evidence not fresh",
    )


class Waiting(Section):
    """How changes are gathered."""

    quiet: Seconds = Field(default=Debounce().quiet, description="Seconds without a change before a look")
    longest: Seconds = Field(
        default=Debounce().longest, description="Seconds of changes after which there is a look anyhow"
    )


class Ages(Section):
    """How long evidence lasts and things are held."""

    report_period: Seconds = Field(
        default=Times().report_period, description="Seconds between two heartbeats of an agent"
    )
    sweep_period: Seconds = Field(default=Times().sweep_period, description="Seconds between two sweeps")
    cold_start: Seconds = Field(
        default=Times().cold_start, description="Seconds that a source without a complete view holds up all writing"
    )
    node_hold: Seconds = Field(default=Times().node_hold, description="Seconds that a deleted Node keeps its place")
    link_hold: Seconds = Field(
        default=Times().link_hold, description="Seconds that a link that was lost has to be up again before it is well"
    )
    look_again: Seconds = Field(
        default=Times().look_again, description="Seconds after which there is a look without any change"
    )


class Sweeps(Section):
    """How many whole sweeps must agree."""

    moves: Count = Field(
        default=Patience().moves, description="Whole sweeps before a node is moved to another HyperNode"
    )
    missing: Count = Field(
        default=Patience().missing, description="Whole sweeps before a missing switch leaves the graph"
    )


class Nodes(Section):
    """What Nodes get beside the condition FabricHealthy; what is turned off again is removed."""

    labels: Annotated[tuple[LabelWord, ...], BeforeValidator(split_words), AfterValidator(check_labels)] = Field(
        default=(),
        description="Label Nodes with the names of their HyperNodes: hyperscout (keys hyperscout.io/TIER), topograph "
        "(its default keys), TIER=KEY; none: no labels",
    )
    taint: Annotated[Literal["off", "PreferNoSchedule", "NoSchedule"], BeforeValidator(read_switch)] = Field(
        default="off", description="Effect of the taint hyperscout.io/fabric-unhealthy, or off"
    )
    tainted_of_domain: Share = Field(
        default=NodeMarks().tainted_of_domain,
        description="Share of the nodes of a lowest HyperNode that may be tainted; at least one node",
    )
    tainted_of_cluster: Share = Field(
        default=NodeMarks().tainted_of_cluster, description="Share of all Nodes that may be tainted; at least one node"
    )

    def marks(self) -> NodeMarks:
        """As the controller takes them."""
        own, others = read_labels(self.labels)
        taint = "" if self.taint == "off" else self.taint
        return NodeMarks(own, others, taint, self.tainted_of_domain, self.tainted_of_cluster)


class ControllerOptions(Section):
    """All keys of `hyperscout controller`."""

    cluster: Cluster = Cluster()
    http: Http = Http()
    log: Log = Log()
    lease: Lease = Lease()
    sweepers: Names = Field(default=(), description="SweepReports to wait for at the start; none: those that are there")
    adopt: Annotated[tuple[ObjectName, ...], BeforeValidator(split_words)] = Field(
        default=(),
        description="HyperNodes of others to take over, by name; each becomes the domain that has its members, or is "
        "removed where none has",
    )
    tree: Tree = Tree()
    limits: LinkLimits = LinkLimits()
    debounce: Waiting = Waiting()
    times: Ages = Ages()
    patience: Sweeps = Sweeps()
    nodes: Nodes = Nodes()

    @model_validator(mode="after")
    def _outlasts(self) -> Self:
        self.http.check_outlasts(self.times.look_again, "times.lookAgain")
        return self

    def settings(self) -> ControllerSettings:
        """As the controller takes them."""
        return ControllerSettings(
            sweepers=self.sweepers,
            adopt=self.adopt,
            migrate_tiers=self.tree.migrate_tiers,
            plain_ethernet=self.tree.plain_ethernet,
            tree=self.tree.settings(),
            limits=Limits(**self.limits.model_dump()),
            debounce=Debounce(**self.debounce.model_dump()),
            times=Times(**self.times.model_dump()),
            patience=Patience(**self.patience.model_dump()),
            nodes=self.nodes.marks(),
        )


class Scheduling(Section):
    """Whose pods, and how patiently."""

    scheduler_names: Annotated[Names, Field(min_length=1)] = Field(
        default=tuple(sorted(SchedulerSettings().scheduler_names)),
        description="Pods with one of these as schedulerName are ours",
    )
    debounce: Seconds = Field(
        default=SchedulerSettings().debounce, description="Seconds from the first change to a pass"
    )
    resync: Seconds = Field(
        default=SchedulerSettings().resync, description="Seconds after which there is a pass without any change"
    )
    binds_at_once: Count = Field(default=SchedulerSettings().binds_at_once, description="Bindings side by side")
    status_interval: Seconds = Field(
        default=SchedulerSettings().status_interval, description="Seconds between two writes of one gang's status"
    )
    gang_bind_deadline: Seconds = Field(
        default=SchedulerSettings().gang_bind_deadline,
        description="Seconds that a gang may be partly bound before it is released",
    )
    avoid_node: Seconds = Field(
        default=SchedulerSettings().avoid_node,
        description="Seconds that a gang keeps away from a node that refused one of its pods",
    )


class SchedulerOptions(Section):
    """All keys of `hyperscout scheduler`."""

    cluster: Cluster = Cluster()
    http: SchedulerHttp = SchedulerHttp()
    log: Log = Log()
    lease: Lease = Lease()
    scheduling: Scheduling = Scheduling()

    def settings(self) -> SchedulerSettings:
        """As the scheduler takes them."""
        values = self.scheduling.model_dump()
        return SchedulerSettings(**(values | {"scheduler_names": frozenset(self.scheduling.scheduler_names)}))

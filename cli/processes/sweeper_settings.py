"""What an operator may set about the sweeper of a fabric."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from cli.processes.port_health import PortHealth
from cli.processes.sections import (
    Address,
    Cluster,
    Count,
    Http,
    Lease,
    Log,
    Names,
    RefusedKey,
    Seconds,
    Section,
    Share,
    split_words,
)
from discovery.snmp import Bounds, Target, read_targets
from discovery.snmp.targets import TooManyTargetsError

PortName = Annotated[str, Field(pattern="^[A-Za-z0-9_.-]{1,63}(:[0-9]{1,3})?$")]
PortNames = Annotated[tuple[PortName, ...], BeforeValidator(split_words)]


class SweeperHttp(Http):
    """On a port of its own."""

    listen: Address = Field(default="127.0.0.1:8464", description="HOST:PORT to serve on; port 0 takes a free one")


class Sweeping(Section):
    """Which fabric is swept, how, and what counts as a whole sweep."""

    name: str = Field(
        default="default",
        pattern="^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$",
        description="Name of this sweeper and of its SweepReport; one for each fabric",
    )
    kind: Literal["infiniband", "ethernet"] = Field(
        default="infiniband", description="What is swept: infiniband by its tool, ethernet by SNMP"
    )
    fabric: str = Field(default="", description="Name of the fabric in SwitchReports; none: that of the sweeper")
    tool: str = Field(default="ibnetdiscover", description="The program that sweeps")
    ports: PortNames = Field(
        default=(),
        description="InfiniBand ports to sweep from, such as mlx5_0:1,mlx5_4; none: all active ones, each subnet once",
    )
    sysfs_root: str = Field(default="/sys", description="Where the kernel's sysfs is read")
    node_name_map: str = Field(
        default="", description='File of names, a line each: 0x<node GUID> "<name>"; none: as the nodes call themselves'
    )
    period: Seconds = Field(default=300.0, description="Seconds between the beginnings of two sweeps")
    time_limit: Seconds = Field(default=120.0, description="Seconds after which the sweep of a subnet is cut off")
    most_lost: Share = Field(
        default=0.1, description="Share of the switches or hosts; a sweep that lost more of them at once is Partial"
    )
    accept_after: Count = Field(
        default=3, description="So many equal sweeps without an error make the smaller view the known one"
    )
    remove_after: Count = Field(
        default=50, description="Whole sweeps that miss a switch before its SwitchReport is deleted"
    )


class Snmp(Section):
    """Of an Ethernet fabric: whom to ask, and how patiently."""

    targets: Names = Field(
        default=(),
        description="Switches to ask: addresses, networks such as 10.0.0.0/24, DNS names (all their addresses), "
        "each with :PORT behind it (10.0.0.0/24:1161, [2001:db8::7]:1161) where that is not 161",
    )
    credentials: str = Field(
        default="/etc/hyperscout-snmp",
        description="Folder with a file community (v2c), or with user, auth-password and priv-password (v3), and "
        "auth-protocol (SHA, SHA-224, SHA-256, SHA-384, SHA-512) and priv-protocol (AES, AES-192, AES-256; -C behind "
        "it for Cisco's long keys) where they are not SHA and AES; read before every sweep",
    )
    most_targets: Count = Field(default=4096, description="Networks that hold more hosts than this are refused")
    at_once: Count = Field(default=32, description="Switches asked side by side")
    timeout: Seconds = Field(default=2.0, description="Seconds to wait for one answer")
    tries: Count = Field(default=3, description="Requests without an answer until a switch counts as silent")
    switch_time_limit: Seconds = Field(
        default=60.0, description="Seconds after which the walk of one switch is cut off"
    )
    repetitions: Count = Field(default=25, description="Rows asked for in one request")
    most_rows: Count = Field(default=100_000, description="Rows after which the walk of one switch is cut off")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        try:
            read_targets(self.targets, self.most_targets)
        except TooManyTargetsError as error:
            raise RefusedKey("snmp.targets", f"{error}, or set snmp.mostTargets higher") from error
        except ValueError as error:
            raise RefusedKey("snmp.targets", str(error)) from error
        return self

    def asked(self) -> tuple[Target, ...]:
        """As the sweeper takes them."""
        return read_targets(self.targets, self.most_targets)

    def bounds(self) -> Bounds:
        """As the probe takes them."""
        return Bounds(self.timeout, self.tries, self.switch_time_limit, self.repetitions, self.most_rows)


class Counting(Section):
    """The error counters of InfiniBand switch ports; they are never cleared."""

    tool: str = Field(default="perfquery", description="The program that reads them; none: they are not read")
    period: Seconds = Field(default=300.0, description="They are read after a sweep, at most once in so many seconds")
    time_limit: Seconds = Field(
        default=30.0, description="Seconds for all switches; those it was too short for come first the next time"
    )


class SweeperOptions(Section):
    """All keys of `hyperscout sweeper`."""

    cluster: Cluster = Cluster()
    http: SweeperHttp = SweeperHttp()
    log: Log = Log()
    lease: Lease = Lease()
    sweep: Sweeping = Sweeping()
    counters: Counting = Counting()
    snmp: Snmp = Snmp()
    health: PortHealth = PortHealth()

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        kind, targets = self.sweep.kind, self.snmp.targets
        if kind == "ethernet" and not targets:
            raise RefusedKey("sweep.kind", "nobody is named to ask; name the switches in snmp.targets")
        if kind != "ethernet" and targets:
            raise RefusedKey(
                "snmp.targets",
                f"a sweeper asks them where sweep.kind is ethernet, and it is {kind}; set one of the two",
            )
        return self

    @model_validator(mode="after")
    def _outlasts(self) -> Self:
        """Of a subnet with two waves of ports the second may begin when the first has taken all of its time."""
        if self.sweep.kind == "infiniband":
            self.http.check_outlasts(2 * self.sweep.time_limit, "twice sweep.timeLimit")
            self.http.check_outlasts(self.counters.time_limit, "counters.timeLimit")
        else:
            self.http.check_outlasts(self.snmp.switch_time_limit, "snmp.switchTimeLimit")
        return self

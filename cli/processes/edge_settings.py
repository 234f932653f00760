"""What an operator may set about the processes at the edge, agent and sweeper; light enough for the agent to import."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cli.processes.sections import Address, Cluster, Count, Http, Lease, Log, Seconds, Section, Share

Pause = Annotated[float, Field(ge=0)]


class AgentHttp(Http):
    """On the loopback address of the host: the agent shares its network."""

    listen: Address = Field(default="127.0.0.1:8463", description="HOST:PORT to serve on; port 0 takes a free one")


class Host(Section):
    """The node, and where it is looked at."""

    node: str = Field(default="", description="Name of the Node; none: this host's name, in lower case")
    sysfs_root: str = Field(default="/sys", description="Where the kernel's sysfs is read")
    proc_root: str = Field(default="/proc", description="Where the kernel's procfs is read")


class Sampling(Section):
    """How often the node is looked at."""

    period: Seconds = Field(default=10.0, description="Seconds between two looks at the node")
    start_spread: Pause = Field(
        default=20.0, description="The first look comes at a random moment within so many seconds"
    )


class AgentOptions(Section):
    """All keys of `hyperscout agent`."""

    cluster: Cluster = Cluster()
    http: AgentHttp = AgentHttp()
    log: Log = Log()
    host: Host = Host()
    sampling: Sampling = Sampling()


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
    fabric: str = Field(default="", description="Name of the fabric in SwitchReports; none: that of the sweeper")
    tool: str = Field(default="ibnetdiscover", description="The program that sweeps")
    device: str = Field(
        default="", description="The adapter to sweep from, such as mlx5_0; none: the tool's own choice"
    )
    port: Count | None = Field(
        default=None, description="The port of the adapter to sweep from; none: the first active"
    )
    period: Seconds = Field(default=300.0, description="Seconds between the beginnings of two sweeps")
    time_limit: Seconds = Field(default=120.0, description="Seconds after which a sweep is cut off")
    most_lost: Share = Field(
        default=0.1, description="Share of the switches or hosts; a sweep that lost more of them at once is Partial"
    )
    accept_after: Count = Field(
        default=3, description="So many equal sweeps without an error make the smaller view the known one"
    )
    remove_after: Count = Field(
        default=50, description="Whole sweeps that miss a switch before its SwitchReport is deleted"
    )


class SweeperOptions(Section):
    """All keys of `hyperscout sweeper`."""

    cluster: Cluster = Cluster()
    http: SweeperHttp = SweeperHttp()
    log: Log = Log()
    lease: Lease = Lease()
    sweep: Sweeping = Sweeping()

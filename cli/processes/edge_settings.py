"""What an operator may set about the processes at the edge, agent and sweeper; light enough for the agent to import."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from cli.processes.port_health import PortHealth
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
    split_words,
)


def split_command(value: object) -> object:
    """Flags and the environment give a command as one text."""
    return value.split() if isinstance(value, str) else value


Pause = Annotated[float, Field(ge=0)]
ProbeNames = Annotated[tuple[Literal["sysfs", "netlink", "lldp", "lldpd", "nvlink"], ...], BeforeValidator(split_words)]
Words = Annotated[tuple[str, ...], BeforeValidator(split_command)]
PortName = Annotated[str, Field(pattern="^[A-Za-z0-9_.-]{1,63}(:[0-9]{1,3})?$")]
PortNames = Annotated[tuple[PortName, ...], BeforeValidator(split_words)]


class AgentHttp(Http):
    """On the loopback address of the host: the agent shares its network."""

    listen: Address = Field(default="127.0.0.1:8463", description="HOST:PORT to serve on; port 0 takes a free one")


class Host(Section):
    """The node, and where it is looked at."""

    node: str = Field(default="", description="Name of the Node; none: this host's name, in lower case")
    sysfs_root: str = Field(default="/sys", description="Where the kernel's sysfs is read")
    proc_root: str = Field(default="/proc", description="Where the kernel's procfs is read")
    interfaces: Names = Field(
        default=("*",), description="The physical network interfaces that count, as shell patterns such as enp*"
    )


class Sampling(Section):
    """How often the node is looked at, and its report written."""

    period: Seconds = Field(default=10.0, description="Seconds between two looks at the node")
    quick: Seconds = Field(
        default=1.5, description="Seconds between two looks after a change; more than health.sampleSpacing"
    )
    start_spread: Pause = Field(
        default=20.0, description="The first write comes at a random moment within so many seconds"
    )
    change_spread: Pause = Field(
        default=0.3, description="A change is written at a random moment within so many seconds"
    )


class Probing(Section):
    """Which probes run on a node."""

    enabled: ProbeNames = Field(
        default=("sysfs", "netlink", "lldp", "lldpd", "nvlink"), description="Which probes run, by name"
    )
    time_limit: Seconds = Field(
        default=5.0, description="Seconds after which a look of sysfs, netlink or lldpd is cut off"
    )


class LldpDaemon(Section):
    """lldpd, where it runs on the node. The raw receiver needs none."""

    client: str = Field(default="lldpctl", description="Its client, of its own version")
    socket: str = Field(default="", description="Its socket; none: the first that is where distributions have it")


class Gpus(Section):
    """NVLink, as the driver of the GPUs tells it."""

    period: Seconds = Field(default=60.0, description="Seconds between two looks at the GPUs; each takes a process")
    time_limit: Seconds = Field(default=20.0, description="Seconds after which NVML or nvidia-smi is cut off")
    library: str = Field(
        default="", description="Folder that holds libnvidia-ml.so.1; none: where the dynamic linker finds it"
    )
    smi: Words = Field(
        default=(), description="Command that is asked where NVML cannot be used, such as nvidia-smi; none: nobody is"
    )


class AgentOptions(Section):
    """All keys of `hyperscout agent`."""

    cluster: Cluster = Cluster()
    http: AgentHttp = AgentHttp()
    log: Log = Log()
    host: Host = Host()
    sampling: Sampling = Sampling()
    probes: Probing = Probing()
    lldpd: LldpDaemon = LldpDaemon()
    nvlink: Gpus = Gpus()
    health: PortHealth = PortHealth()


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
    health: PortHealth = PortHealth()

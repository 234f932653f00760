"""What an operator may set about the agent; light enough for it to import."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from cli.processes.port_health import PortHealth
from cli.processes.sections import (
    Address,
    Cluster,
    Http,
    Log,
    Names,
    RefusedKey,
    Seconds,
    Section,
    split_words,
)


def split_command(value: object) -> object:
    """Flags and the environment give a command as one text."""
    return value.split() if isinstance(value, str) else value


MOST_OF_NAME = 253
"""Characters of the name of a Node."""
Pause = Annotated[float, Field(ge=0)]
ProbeNames = Annotated[tuple[Literal["sysfs", "netlink", "lldp", "lldpd", "nvlink"], ...], BeforeValidator(split_words)]
Words = Annotated[tuple[str, ...], BeforeValidator(split_command)]


_NODE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)


def check_node(name: str) -> str:
    """The name, or none; ValueError where no Node can be called so."""
    if name and (len(name) > MOST_OF_NAME or not _NODE.fullmatch(name)):
        raise ValueError(
            f"a Node's name is lower-case letters, digits, '-' and '.', {MOST_OF_NAME} at most, and begins and ends "
            "with a letter or digit"
        )
    return name


class AgentHttp(Http):
    """On the loopback address of the host: the agent shares its network."""

    listen: Address = Field(default="127.0.0.1:8463", description="HOST:PORT to serve on; port 0 takes a free one")


class Host(Section):
    """The node, and where it is looked at."""

    node: Annotated[str, AfterValidator(check_node)] = Field(
        default="", description="Name of the Node; none: this host's name, in lower case"
    )
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
        default=32.0, description="The first write comes at a random moment within so many seconds"
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

    @model_validator(mode="after")
    def _looks_count(self) -> Self:
        if self.sampling.quick < self.health.sample_spacing:
            raise RefusedKey(
                "sampling.quick", "it must be no shorter than health.sampleSpacing, or quick looks do not count"
            )
        longest = self.sampling.period + self.probes.time_limit
        self.http.check_outlasts(longest, "sampling.period and probes.timeLimit")
        return self

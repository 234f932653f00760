"""Where things lie in the folder of a recording. One folder a moment, named by seconds since the first."""

from __future__ import annotations

MANIFEST, EXPECTED, PROVENANCE = "recording.json", "expected.json", "PROVENANCE"

NODES, FABRICS, SNMP = "nodes", "fabrics", "snmp"
"""Folders of a moment: one below `nodes` for each node, one below `fabrics` for each sweeper."""
CLUSTER = "nodes.txt"
"""The Nodes of the cluster, one a line, with words about it behind."""

HOST, LINKS = "host.txt", "links.json"
LLDP_ANSWER, LLDP_FRAMES = "lldp.json", "lldp-frames.txt"
NVML, SMI, SMI_LINKS, SMI_ERRORS = "nvml.json", "nvidia-smi-q.txt", "nvidia-smi-nvlink-s.txt", "nvidia-smi-nvlink-e.txt"
FAILED = "failed.txt"
"""`probe: reason`, one a line: probes that gave nothing at that moment."""

SWEEP, MAP, WORDS, CODE = "ibnetdiscover", ".txt", ".err", ".code"
"""What the discovery tool printed on its two streams, and its exit code where that is not 0: `ibnetdiscover.txt`; where
it ran on several ports `ibnetdiscover-<device>-<port>.txt` and so on."""
CUT_OFF = "cut off"
"""In place of an exit code; where that is known ` after N s` stands behind it."""
COUNTERS = "perfquery.txt"
WALK = ".snmprec"

MAX_FILE = 64 << 20
"""Bytes of one file."""


def moment_name(seconds: int) -> str:
    """The folder of a moment; they sort as they follow each other."""
    return f"{seconds:06d}"


def is_moment(name: str) -> bool:
    """Whether a folder of that name is one."""
    return name.isascii() and name.isdecimal() and len(name) <= 9

"""The NVLink probe: which NVLink domain the GPUs of a node are in, and how their part of it and their links are.

    reader = GpuReader(smi_command=("nvidia-smi",))
    probed = await asyncio.to_thread(reader.read)      # Probed[Gpus]: blocks, bounded; never raises
    watch = Watch.of(last_report.nvlink, last_report.heartbeat)      # once, at the start
    nvlink, watch = keep_watch(probed.found.gpus, watch, Moment(now, boot_id))     # after every look that found

`nvml` asks the driver (nvidia-ml-py), in a process of its own that `child` starts; `smi` reads the text of nvidia-smi
where NVML is not usable; `label` reads the label of NVIDIA's feature discovery, for whoever may read the Node. All
three end in `gpus`, `fabric` says what the driver's numbers mean, `domain` what the GPUs of a node say together, and
`watching` how they are over time.
"""

from discovery.nvlink.gpus import COMPLETED, HEALTHY, IN_PROGRESS, LIMITED, NOT_STARTED, NOT_SUPPORTED, UNHEALTHY
from discovery.nvlink.label import CLIQUE_LABEL, parse_clique_label
from discovery.nvlink.probe import NAME, GpuReader, Gpus, SmiTexts, probed_of, read_domain
from discovery.nvlink.watching import Moment, Watch, keep_watch

__all__ = [
    "CLIQUE_LABEL",
    "COMPLETED",
    "HEALTHY",
    "IN_PROGRESS",
    "LIMITED",
    "NAME",
    "NOT_STARTED",
    "NOT_SUPPORTED",
    "UNHEALTHY",
    "GpuReader",
    "Gpus",
    "Moment",
    "SmiTexts",
    "Watch",
    "keep_watch",
    "parse_clique_label",
    "probed_of",
    "read_domain",
]

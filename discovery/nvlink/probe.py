"""The NVLink probe: the GPUs by NVML, else by the text of `nvidia-smi`; and what a report says of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from discovery.commands import CommandError, Commands
from discovery.nvlink import child, smi
from discovery.nvlink.domain import domain_of
from discovery.nvlink.gpus import Gpu, GpuLook
from discovery.nvlink.nvml import LIBRARY, NO_LIBRARY
from discovery.probing import Probed, absent, failed, found
from discovery.reports import ABSENT, FAILED, FOUND, NvLink
from discovery.source import no_folder

NAME = "nvlink"
SECONDS = 20.0
"""Attaching eight GPUs without persistence mode takes up to ten."""
_NO_DRIVER = "no NVIDIA driver, or another folder holds it"
_NONE_HERE = (6, 9, 12, 127)
"""How it ends without a GPU, a driver, its library (nvidia-smi's manual) or where there is no such program (the shell's
127); any other end says nothing of what there is."""


@dataclass(frozen=True, slots=True)
class Gpus:
    """What was found."""

    gpus: tuple[Gpu, ...]
    nvlink: NvLink
    """As a report says it."""


@dataclass(frozen=True, slots=True)
class SmiTexts:
    """What nvidia-smi prints: `-q`, `nvlink -s`, `nvlink -e`."""

    query: str
    links: str = ""
    errors: str = ""

    def look(self) -> GpuLook:
        """As a look; Absent where no GPU is in it."""
        links = smi.parse_links(self.links, self.errors)
        gpus = tuple(smi.with_links(gpu, links) for gpu in smi.parse_query(self.query))
        return GpuLook(outcome=FOUND, gpus=gpus) if gpus else GpuLook(outcome=ABSENT, reason="nvidia-smi shows no GPU")


@dataclass(slots=True)
class GpuReader:
    """Looks at the GPUs of this host, one look at a time.

    A look costs a process of about a tenth of a second of CPU, so once a minute is often enough; while it runs, the
    driver cannot be unloaded.
    """

    seconds: float = SECONDS
    """For NVML, and for each call of nvidia-smi."""
    smi_command: tuple[str, ...] = ()
    """Such as `("nvidia-smi",)` or `("chroot", "/host", "nvidia-smi")`: asked where NVML is not usable; () never."""
    library: str = ""
    """Folder that was named for NVML; "": none was. That it holds none is no failure: not every node has GPUs."""
    commands: Commands = field(default_factory=Commands)

    def read(self) -> Probed[Gpus]:
        """Blocks: `seconds` and two more for NVML, and where that fails as long again for each of three nvidia-smi.

        Call it in a thread. It never raises, and what hangs in the driver holds up nothing but later looks, which then
        fail at once.
        """
        began = time.monotonic()
        looked = child.look(self.commands, self.seconds)
        if looked.outcome != FOUND and self.smi_command:
            looked = self._by_text(looked)
        if looked.outcome == ABSENT and self.library:
            looked = self._by_name(looked)
        return probed_of(looked, time.monotonic() - began)

    def _by_name(self, looked: GpuLook) -> GpuLook:
        """What there is not, with the folder that an operator named for it: a wrong one is a failure."""
        named = f"nvlink.library names {self.library}, and"
        if wrong := no_folder(Path(self.library)):
            return GpuLook(outcome=FAILED, reason=f"{named} {wrong}; correct it or leave it out")
        if looked.reason is None or not looked.reason.startswith(NO_LIBRARY):
            return looked
        return replace(
            looked, reason=f"{named} there is no {LIBRARY} in it: {_NO_DRIVER}{looked.reason[len(NO_LIBRARY) :]}"
        )

    def _by_text(self, looked: GpuLook) -> GpuLook:
        """What nvidia-smi says, or the answer of NVML where it says nothing of use. Where NVML is not there, a command
        that an operator named and that is of no use is a failure: nobody knows what there is."""
        try:
            answer = self.commands.run((*self.smi_command, "-q"), self.seconds)
            query = answer.output.decode("utf-8", "replace") if answer.code == 0 else ""
            shown = len(smi.parse_query(query))
            if not shown:
                return self._without_gpus(looked, answer.code, query)
            if (counted := smi.counted_gpus(query)) not in (None, shown):
                return self._useless(f"what it prints for -q tells of {counted} GPUs and shows {shown}")
            texts = SmiTexts(query, self._ask("nvlink", "-s"), self._ask("nvlink", "-e"))
        except CommandError as error:
            return looked if looked.outcome == FAILED else self._useless(str(error))
        return replace(texts.look(), reason=f"told by nvidia-smi, because {looked.reason}")

    def _without_gpus(self, looked: GpuLook, code: int, query: str) -> GpuLook:
        """Where it names no GPU."""
        if looked.outcome == FAILED:
            return looked
        if code in _NONE_HERE:
            return replace(looked, reason=f"{looked.reason}; nvlink.smi ended with {code}")
        if code:
            return self._useless(f"it ended with {code}: run it on the node")
        if smi.says_none(query):
            return looked
        return self._useless("what it prints for -q is not understood" if query.strip() else "it prints nothing for -q")

    def _useless(self, why: str) -> GpuLook:
        reason = f"nvlink.smi names {' '.join(self.smi_command)}, and {why}; correct it or leave it out"
        return GpuLook(outcome=FAILED, reason=reason)

    def _ask(self, *arguments: str) -> str:
        """What it prints; of an option that it does not know: nothing."""
        answer = self.commands.run((*self.smi_command, *arguments), self.seconds)
        return answer.output.decode("utf-8", "replace") if answer.code == 0 else ""


def read_domain(reader: GpuReader) -> Probed[NvLink]:
    """The NVLink domain alone (see `GpuReader.read`)."""
    probed = reader.read()
    value = probed.found.nvlink if probed.found is not None else None
    return Probed(probed.name, probed.outcome, value, probed.reason, probed.seconds)


def probed_of(looked: GpuLook, seconds: float = 0.0) -> Probed[Gpus]:
    """A look as the answer of the probe."""
    if looked.outcome != FOUND or not looked.gpus:
        make = absent if looked.outcome == ABSENT else failed
        told: Probed[Gpus] = make(NAME, looked.reason or "no reason was given")
        return Probed(told.name, told.outcome, None, told.reason, seconds)
    nvlink, why = domain_of(looked.gpus)
    reasons: Sequence[str] = [reason for reason in (looked.reason, why) if reason]
    probed = found(NAME, Gpus(looked.gpus, nvlink), "; ".join(reasons) or None)
    return Probed(NAME, FOUND, probed.found, probed.reason, seconds)

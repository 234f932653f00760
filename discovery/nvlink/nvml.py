"""The GPUs as NVML tells them (nvidia-ml-py), in this process. What runs it is `discovery.nvlink.child`.

NVML is initialised for one look and shut down after it: while it is, `/dev/nvidia*` are open and the driver can be
neither unloaded nor upgraded. The library itself stays in the process once it is loaded, and after an upgrade of the
driver it is that of the old one, which NVML then refuses until the process ends. And `nvmlInit` may block: seconds
where persistence mode is off, for ever where the driver hangs. So a look belongs into a process of its own.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from discovery.nvlink import fields
from discovery.nvlink.fabric import FabricInfo, with_fabric
from discovery.nvlink.gpus import MAX_GPUS, MAX_LINKS, NOT_SUPPORTED, Gpu, GpuLink, GpuLook
from discovery.reports import ABSENT, FAILED, FOUND

LIBRARY = "libnvidia-ml.so.1"
NO_LIBRARY = f"there is no {LIBRARY}: no NVIDIA driver, or the container was given none of its libraries"
NO_GPUS = "the NVIDIA driver knows of no GPU on this host"
_ADVICE = {
    4: "the devices /dev/nvidia* may not be opened: run the agent with the NVIDIA container runtime, or privileged",
    9: "the NVIDIA driver is not loaded: see `lsmod | grep nvidia` and `dmesg` on the node",
    18: "the NVML library and the loaded driver are of different versions, as after an upgrade: give the agent the "
    "libraries of the loaded driver (restart its pod), or reboot the node",
}
"""By NVML's code: what to do."""
_NOT_SUPPORTED, _FUNCTION_NOT_FOUND = 3, 13
_OTHER_CALL = (_NOT_SUPPORTED, _FUNCTION_NOT_FOUND, 25, 2)
"""Where an older call may know better; the last two, version mismatch and invalid argument, refuse a structure."""
_NO_GPUS_IS_NO_ERROR = 1
"""NVML_INIT_FLAG_NO_GPUS."""
_UNICAST_POINTER = 0

Nvml = Any
"""The module pynvml, which has no types; so have what it takes and gives:"""
Handle = Any
Answer = Any


def look() -> GpuLook:
    """All GPUs, each with its links. Never raises; may block (see above)."""
    try:
        import pynvml
    except ImportError as error:
        return GpuLook(outcome=FAILED, reason=f"nvidia-ml-py cannot be imported ({error}): install it")
    try:
        pynvml.nvmlInitWithFlags(_NO_GPUS_IS_NO_ERROR)
    except pynvml.NVMLError_LibraryNotFound:
        return _without_library()
    except pynvml.NVMLError as error:
        return GpuLook(outcome=FAILED, reason=_told("nvmlInit", error))
    try:
        return _look(pynvml)
    except pynvml.NVMLError as error:
        return GpuLook(outcome=FAILED, reason=_told("NVML", error))
    finally:
        _shut_down(pynvml)


def _look(nvml: Nvml) -> GpuLook:
    count = min(nvml.nvmlDeviceGetCount(), MAX_GPUS)
    if not count:
        return GpuLook(outcome=ABSENT, reason=NO_GPUS)
    gpus = tuple(_gpu(nvml, index) for index in range(count))
    if all(gpu.lost for gpu in gpus):
        return GpuLook(outcome=FAILED, reason=f"no GPU of {count} can be read: {gpus[0].name}: {gpus[0].lost}")
    return GpuLook(outcome=FOUND, gpus=gpus)


def _without_library() -> GpuLook:
    """The bindings say so of every library that cannot be loaded, also of one that is there."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError as error:
        if "No such file" in str(error) and str(error).startswith(LIBRARY):
            return GpuLook(outcome=ABSENT, reason=NO_LIBRARY)
        return GpuLook(outcome=FAILED, reason=f"{LIBRARY} cannot be loaded: {error}")
    return GpuLook(outcome=FAILED, reason=f"{LIBRARY} can be loaded, but not by nvidia-ml-py: see their versions")


def _shut_down(nvml: Nvml) -> None:
    try:
        nvml.nvmlShutdown()
    except nvml.NVMLError:
        return  # the look is over, and the process ends


def _told(what: str, error: Answer) -> str:
    return _ADVICE.get(error.value) or f"{what} answered: {error} (code {error.value})"


def _gpu(nvml: Nvml, index: int) -> Gpu:
    gpu = Gpu(index=index)
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        gpu = replace(gpu, uuid=_uuid(nvml, handle))
        info = _fabric(nvml, handle)
    except nvml.NVMLError as error:
        return replace(gpu, lost=str(error))
    gpu = with_fabric(gpu, info) if info is not None else replace(gpu, state=NOT_SUPPORTED)
    try:
        return replace(gpu, links=tuple(_links(nvml, handle)))
    except nvml.NVMLError as error:
        return replace(gpu, trouble=gpu.trouble or f"its links cannot be read: {error}")


def _uuid(nvml: Nvml, handle: Handle) -> str | None:
    try:
        uuid: str = nvml.nvmlDeviceGetUUID(handle)
    except (nvml.NVMLError_NotSupported, nvml.NVMLError_FunctionNotFound):
        return None
    return uuid


def _fabric(nvml: Nvml, handle: Handle) -> FabricInfo | None:
    """By the newest structure that driver and bindings both have; None where the GPU has no fabric.

    That there is none is believed of the newest call only where no older one knows better: it would end a membership.
    """
    refusals = []
    for way in (_fabric_4, _fabric_3, _fabric_2, _fabric_1):
        try:
            return way(nvml, handle)
        except nvml.NVMLError as error:
            if error.value == _NOT_SUPPORTED and way is not _fabric_4:
                return None
            if error.value not in _OTHER_CALL:
                raise
            refusals.append(error)
        except AttributeError:
            continue  # older bindings
    refusal = next((error for error in refusals if error.value not in (_FUNCTION_NOT_FOUND, _NOT_SUPPORTED)), None)
    if refusal is not None:
        raise refusal
    return None  # or a driver from before there were fabrics


def _fabric_4(nvml: Nvml, handle: Handle) -> FabricInfo:
    told = nvml.c_nvmlGpuFabricInfo_v4_t()
    nvml.nvmlDeviceGetGpuFabricInfo_v4(handle, ctypes.byref(told))
    cliques = told.cliques[: min(told.numCliques, len(told.cliques))]
    clique = next((one.id for one in cliques if one.type == _UNICAST_POINTER), None)
    return _info(told, clique, told.healthMask, told.healthSummary)


def _fabric_3(nvml: Nvml, handle: Handle) -> FabricInfo:
    told = nvml.c_nvmlGpuFabricInfo_v3_t()
    nvml.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(told))
    return _info(told, told.cliqueId, told.healthMask, told.healthSummary)


def _fabric_2(nvml: Nvml, handle: Handle) -> FabricInfo:
    told = nvml.c_nvmlGpuFabricInfo_v2_t()
    nvml.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(told))
    return _info(told, told.cliqueId, told.healthMask, 0)


def _fabric_1(nvml: Nvml, handle: Handle) -> FabricInfo:
    told = nvml.c_nvmlGpuFabricInfo_t()
    nvml.nvmlDeviceGetGpuFabricInfo(handle, ctypes.byref(told))
    return _info(told, told.cliqueId, 0, 0)


def _info(told: Answer, clique: int | None, mask: int, summary: int) -> FabricInfo:
    """The state is one byte in nvml.h and four in the bindings: the other three are padding, and may hold anything."""
    state = told.state & 0xFF
    return FabricInfo(
        state=state, status=told.status, cluster=bytes(told.clusterUuid), clique=clique, mask=mask, summary=summary
    )


def _links(nvml: Nvml, handle: Handle) -> Iterator[GpuLink]:
    """The links that the GPU has; none where it has no NVLink, or its driver knows no fields."""
    try:
        count = _values(nvml, handle, [(fields.LINK_COUNT, 0)]).get(fields.LINK_COUNT)
    except (nvml.NVMLError_FunctionNotFound, nvml.NVMLError_NotSupported):
        return
    for number in range(min(count or 0, MAX_LINKS)):
        told = _values(nvml, handle, [(field, number) for field in fields.OF_A_LINK])
        state = told.get(fields.STATE)
        link = GpuLink(
            number=number,
            active=fields.ACTIVE_STATES.get(state) if state is not None else _active(nvml, handle, number),
            errors=fields.total(told, fields.ERRORS),
            recoveries=fields.total(told, fields.RECOVERIES),
            losses=fields.total(told, fields.LOSSES),
        )
        yield link if link.errors is not None else _with_old_counters(nvml, handle, link)


def _values(nvml: Nvml, handle: Handle, wanted: list[tuple[int, int]]) -> dict[int, int | None]:
    """By field its value; None where it is not supported, or is all ones (saturated)."""
    found: dict[int, int | None] = {}
    for value in nvml.nvmlDeviceGetFieldValues(handle, wanted):
        found[value.fieldId] = _number(value) if value.nvmlReturn == 0 else None
    return found


def _number(told: Answer) -> int | None:
    value = told.value
    kinds: dict[int, tuple[int, int]] = {
        1: (value.uiVal, 32),
        2: (value.ulVal, 64),
        3: (value.ullVal, 64),
        4: (value.sllVal, 63),
        5: (value.siVal, 31),
        6: (value.usVal, 16),
    }
    kind = int(told.valueType)
    number, bits = kinds.get(kind, (-1, 0))
    return number if 0 <= number < 2**bits - 1 else None


def _active(nvml: Nvml, handle: Handle, number: int) -> bool | None:
    try:
        return bool(nvml.nvmlDeviceGetNvLinkState(handle, number))
    except nvml.NVMLError:
        return None


def _with_old_counters(nvml: Nvml, handle: Handle, link: GpuLink) -> GpuLink:
    errors, recoveries = (_old(nvml, handle, link.number, kind) for kind in (fields.OLD_CRC, fields.OLD_RECOVERY))
    return replace(link, errors=errors, recoveries=recoveries if link.recoveries is None else link.recoveries)


def _old(nvml: Nvml, handle: Handle, number: int, kind: int) -> int | None:
    try:
        return int(nvml.nvmlDeviceGetNvLinkErrorCounter(handle, number, kind))
    except nvml.NVMLError:
        return None

"""OpenCL devices through the loader library, which asks the libraries of all vendors."""

from __future__ import annotations

import ctypes
from typing import Any

from condor_py.machine.probes.gpu.devices import Gpu

_LIBRARY = "libOpenCL.so.1"
_MB = 1024 * 1024
#: Types of devices: graphics cards, and any.
GPUS, ANY = 1 << 2, 0xFFFFFFFF
_MAX_UNITS, _CLOCK, _MEMORY, _CORRECTS, _NAME, _VERSION = 0x1002, 0x100C, 0x101F, 0x1024, 0x102B, 0x102F


class NoLibrary(Exception):
    """The loader cannot be used: the message says why."""


def devices(types: int = GPUS, library: str = _LIBRARY) -> list[Gpu]:
    """The devices of these types, platform after platform. Raises NoLibrary."""
    try:
        cl = ctypes.CDLL(library)
    except OSError as error:
        raise NoLibrary(str(error)) from None
    handles = [device for platform in _listed(cl.clGetPlatformIDs) for device in _of_platform(cl, platform, types)]
    return [_device(cl, handle, index) for index, handle in enumerate(handles)]


def _of_platform(cl: Any, platform: int, types: int) -> list[int]:
    return _listed(cl.clGetDeviceIDs, ctypes.c_void_p(platform), ctypes.c_uint64(types))


def _listed(function: Any, *about: Any) -> list[int]:
    """The handles that a function of the library lists: it is asked how many, then for them."""
    count = ctypes.c_uint(0)
    if function(*about, 0, None, ctypes.byref(count)) or not count.value:
        return []
    handles = (ctypes.c_void_p * count.value)()
    if function(*about, count, handles, None):
        return []
    return [handle for handle in handles if handle]


def _device(cl: Any, handle: int, index: int) -> Gpu:
    version = _text(cl, handle, _VERSION).split()
    memory, corrects = _number(cl, handle, _MEMORY, ctypes.c_uint64), _number(cl, handle, _CORRECTS, ctypes.c_uint)
    clock = _number(cl, handle, _CLOCK, ctypes.c_uint)
    return Gpu(
        uuid="",
        index=index,
        name=_text(cl, handle, _NAME),
        ecc=None if corrects is None else bool(corrects),
        memory_mb=None if memory is None else memory // _MB,
        clock_mhz=None if clock is None else float(clock),
        units=_number(cl, handle, _MAX_UNITS, ctypes.c_uint),
        family="OCL",
        opencl=version[1] if len(version) > 1 else "",
    )


def _number(cl: Any, handle: int, what: int, kind: type[ctypes.c_uint] | type[ctypes.c_uint64]) -> int | None:
    value = kind(0)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    if cl.clGetDeviceInfo(ctypes.c_void_p(handle), what, size, ctypes.byref(value), None):
        return None
    return int(value.value)


def _text(cl: Any, handle: int, what: int) -> str:
    size = ctypes.c_size_t(0)
    if cl.clGetDeviceInfo(ctypes.c_void_p(handle), what, ctypes.c_size_t(0), None, ctypes.byref(size)):
        return ""
    text = ctypes.create_string_buffer(size.value)
    if cl.clGetDeviceInfo(ctypes.c_void_p(handle), what, size, text, None):
        return ""
    return text.value.decode("utf-8", "replace").strip()

"""Devices that a control group may not open, whatever the permissions of their files say.

Version 1 has a controller with a list; in version 2 the kernel asks a program that is attached to the group
(<linux/bpf.h>, BPF_PROG_TYPE_CGROUP_DEVICE). Only root may do either.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

#: (major, minor) of a character device.
Device = tuple[int, int]

#: Number of the system call bpf.
_SYSCALL = {"x86_64": 321, "aarch64": 280, "ppc64le": 361, "s390x": 351, "riscv64": 280}
_LOAD, _ATTACH = 5, 8
_TYPE_CGROUP_DEVICE, _AT_DEVICE, _WITH_OTHERS = 15, 6, 2
_CHARACTER = 2
#: Instructions: read 4 bytes, and with a constant, jump unless equal to a constant, set to a constant, leave.
_READ, _AND, _UNLESS, _SET, _LEAVE = 0x61, 0x57, 0x55, 0xB7, 0x95
_ANSWER, _CONTEXT, _TYPE, _MAJOR, _MINOR = 0, 1, 2, 4, 5


def deny_listed(group: str, devices: Iterable[Device]) -> bool:
    """Version 1: ``group`` is a directory of the controller devices. False when the kernel refuses."""
    try:
        for major, minor in devices:
            with open(f"{group}/devices.deny", "w", encoding="ascii") as file:
                file.write(f"c {major}:{minor} rwm")
    except OSError:
        return False
    return True


def deny_attached(group: str, devices: Iterable[Device]) -> bool:
    """Version 2: ``group`` is any directory of the hierarchy. The program goes with the group. False when the kernel
    refuses."""
    number = _SYSCALL.get(os.uname().machine)
    if number is None:
        return False
    try:
        program = _load(number, _program(devices))
        try:
            directory = os.open(group, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _bpf(number, _ATTACH, struct.pack("=IIII", directory, program, _AT_DEVICE, _WITH_OTHERS))
            finally:
                os.close(directory)
        finally:
            os.close(program)
    except OSError:
        return False
    return True


def _program(devices: Iterable[Device]) -> list[bytes]:
    """It is given the access (type in the low half), major and minor number, and answers 0 for no."""
    code = [
        _instruction(_READ, _TYPE, _CONTEXT, 0),
        _instruction(_AND, _TYPE, constant=0xFFFF),
        _instruction(_READ, _MAJOR, _CONTEXT, 4),
        _instruction(_READ, _MINOR, _CONTEXT, 8),
    ]
    for major, minor in devices:
        code += [
            _instruction(_UNLESS, _TYPE, offset=4, constant=_CHARACTER),
            _instruction(_UNLESS, _MAJOR, offset=3, constant=major),
            _instruction(_UNLESS, _MINOR, offset=2, constant=minor),
            _instruction(_SET, _ANSWER, constant=0),
            _instruction(_LEAVE),
        ]
    return [*code, _instruction(_SET, _ANSWER, constant=1), _instruction(_LEAVE)]


def _instruction(code: int, to: int = 0, source: int = 0, offset: int = 0, constant: int = 0) -> bytes:
    return struct.pack("=BBhi", code, to | source << 4, offset, constant)


def _load(number: int, program: list[bytes]) -> int:
    """A descriptor of the program. OSError."""
    code = ctypes.create_string_buffer(b"".join(program))
    license_of = ctypes.create_string_buffer(b"GPL")
    places = ctypes.addressof(code), ctypes.addressof(license_of)
    return _bpf(number, _LOAD, struct.pack("=IIQQIIQII", _TYPE_CGROUP_DEVICE, len(program), *places, 0, 0, 0, 0, 0))


def _bpf(number: int, command: int, attributes: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(number, command, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "bpf")
    return int(result)

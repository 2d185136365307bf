"""A tiny image with which an engine is tried: one program, which says where it is and ends with code 37."""

from __future__ import annotations

import io
import json
import os
import struct

#: The program in the image, and how it ends.
PROGRAM, CODE = "/exit_37", 37
#: What the program reads, and says: the user namespace that it is in.
NAMESPACE = b"/proc/self/ns/user"
#: For the processors that we know: the name of the architecture, its number in ELF, and what is executed. That is
#: write(1, buffer, readlink(NAMESPACE, buffer, 64)), exit(37), with the path behind it; or exit(37) alone.
_MACHINES = {
    "x86_64": (
        "amd64",
        62,
        bytes.fromhex(
            "b859000000 488d3d2f000000 488d742480 ba40000000 0f05 85c0 7813 89c2 488d742480 bf01000000 b801000000 0f05"
            "bf25000000 b83c000000 0f05"
        )
        + NAMESPACE
        + b"\0",
    ),
    "aarch64": ("arm64", 183, bytes.fromhex("a80b80d2 a00480d2 010000d4")),
}
_BASE, _HEADERS = 0x400000, 64 + 56


def known() -> bool:
    """Whether an image can be made for this machine."""
    return os.uname().machine in _MACHINES


def program() -> bytes:
    """The program: a file of ELF with one segment. KeyError for a processor that is not known."""
    _, machine, code = _MACHINES[os.uname().machine]
    size = _HEADERS + len(code)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, _BASE + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 0x1000)
    return ident + header + segment + code


def make_image(path: str, name: str) -> None:
    """Writes an archive as ``docker save`` does. OSError."""
    from hashlib import sha256  # brings the library of OpenSSL, which daemons do not need otherwise

    layer = _tar({PROGRAM.lstrip("/"): program()}, mode=0o755)
    config = {
        "architecture": _MACHINES[os.uname().machine][0],
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer).hexdigest()}"]},
    }
    text = json.dumps(config).encode()
    file = f"{sha256(text).hexdigest()}.json"
    manifest = [{"Config": file, "RepoTags": [f"{name}:latest"], "Layers": ["layer.tar"]}]
    with open(path, "xb") as out:
        out.write(_tar({"manifest.json": json.dumps(manifest).encode(), file: text, "layer.tar": layer}))


def make_tree(path: str) -> None:
    """Makes the same as a directory, with what a container needs besides. OSError."""
    for name in ("dev", "proc", "etc", "tmp", "var", "var/tmp"):
        os.mkdir(f"{path}/{name}", 0o755)
    with open(path + PROGRAM, "xb") as out:
        out.write(program())
    os.chmod(path + PROGRAM, 0o755)


def _tar(files: dict[str, bytes], mode: int = 0o644) -> bytes:
    import tarfile  # of no use to a pool without containers

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), mode
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()

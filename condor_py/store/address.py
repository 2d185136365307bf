"""Small files by which daemons are found: address files, the schedd's ad, the version of the spool."""

from __future__ import annotations

import os
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.texts import as_integer
from condor_py.store.fs import FileSystem, RealFs, describe, remove_if_there, replace_file
from condor_py.store.longform import ad_text

#: The layout of the spool that this program writes, and the oldest program that understands it.
SPOOL_VERSION = 1
_VERSION_FILE = "spool_version"
_MINIMUM = "minimum compatible spool version "
_CURRENT = "current spool version "


class Address(NamedTuple):
    """An address file: the sinful string, the two ``$Condor...$`` lines, then ``Name = value`` lines if
    any."""

    sinful: str
    version: str
    platform: str
    extra: tuple[str, ...] = ()


def write_address(path: str, address: Address, fs: FileSystem | None = None) -> None:
    """Replace an address file (0644) atomically. Raises StoreError."""
    lines = (address.sinful, address.version, address.platform, *address.extra)
    _replace(path, "".join(f"{line}\n" for line in lines), fs, "cannot write the address file")


def remove_address(path: str) -> None:
    """Take an address file away at shutdown; a missing one is fine. Raises StoreError."""
    try:
        remove_if_there(RealFs(), path)
    except OSError as error:
        raise StoreError(describe(error, "cannot remove the address file", path))


def write_ad_file(path: str, ad: ClassAd, fs: FileSystem | None = None) -> None:
    """Replace a file with one ad in the long form (``.schedd_classad``) atomically. Raises StoreError."""
    _replace(path, ad_text(ad), fs, "cannot write the ad file")


def ensure_spool_version(spool: str, fs: FileSystem | None = None) -> None:
    """Check that this program understands the spool, and mark a new one. Raises StoreError."""
    path = os.path.join(spool, _VERSION_FILE)
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        text = f"{_MINIMUM}{SPOOL_VERSION}\n{_CURRENT}{SPOOL_VERSION}\n"
        _replace(path, text, fs, "cannot write the spool version", durable=True)
        return
    except OSError as error:
        raise StoreError(describe(error, "cannot read the spool version", path))
    for line in lines:
        number = line.removeprefix(_MINIMUM)
        if number != line and number.strip().isdecimal():
            if as_integer(number) > SPOOL_VERSION:
                raise StoreError(
                    f"{path}: the spool needs a program that knows spool version {as_integer(number)}; "
                    f"this one knows {SPOOL_VERSION}. Use a newer condor_py or another SPOOL directory"
                )
            return
    raise StoreError(f"{path}: no line {_MINIMUM.strip()!r}; restore the file or remove it")


def _replace(path: str, text: str, fs: FileSystem | None, doing: str, *, durable: bool = False) -> None:
    data = text.encode("utf-8", "surrogateescape")
    try:
        replace_file(fs if fs is not None else RealFs(), path, data, 0o644, durable=durable)
    except OSError as error:
        raise StoreError(describe(error, doing, path))

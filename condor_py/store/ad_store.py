"""Ads that daemons publish, as files that every user may read: what a collector would hold.

Each daemon replaces its own files, ``DIRECTORY/KIND.ads``, in one rename; nothing here has to survive a
crash of the machine, so nothing is synced. A reader parses a file again only when it is another file.
"""

from __future__ import annotations

import errno
import os

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.store.fs import FileId, FileSystem, RealFs, close_quietly, describe, remove_if_there, replace_file
from condor_py.store.longform import ads_of_text, ads_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SUFFIX = ".ads"


class NotAds(StoreError):
    """A file of published ads that cannot be understood: a crash of the machine may leave it so."""


class AdStore:
    """The published ads in ``directory``, which is made (0755) by the first to publish."""

    def __init__(self, directory: str, fs: FileSystem | None = None) -> None:
        self.directory = directory
        self.fs: FileSystem = fs if fs is not None else RealFs()
        self._cache: dict[str, tuple[FileId, list[ClassAd]]] = {}

    def publish(self, kind: str, ads: Iterable[ClassAd]) -> None:
        """Make ``ads`` all there is of ``kind``. Raises StoreError."""
        path = self._path(kind)
        data = ads_text(ads).encode("utf-8", "surrogateescape")
        try:
            try:
                replace_file(self.fs, path, data, 0o644, durable=False)
            except FileNotFoundError:
                os.makedirs(self.directory, 0o755, exist_ok=True)
                replace_file(self.fs, path, data, 0o644, durable=False)
        except OSError as error:
            raise StoreError(describe(error, "cannot publish ads", path))

    def read(self, kind: str) -> list[ClassAd]:
        """The ads of ``kind``, empty when none were published. The ads are shared: do not change them.

        Raises StoreError, NotAds for a file that is none of ads.
        """
        path = self._path(kind)
        try:
            try:
                return self._read(kind, path)
            except OSError as error:
                if error.errno != errno.ESTALE:
                    raise
                return self._read(kind, path)  # of a network's file system; it was replaced while it was opened
        except FileNotFoundError:
            self._cache.pop(kind, None)
            return []
        except OSError as error:
            raise StoreError(describe(error, "cannot read published ads", path))

    def _read(self, kind: str, path: str) -> list[ClassAd]:
        named = self.fs.stat(path)
        cached = self._cache.get(kind)
        if cached is not None and cached[0] == named:
            return list(cached[1])
        handle = self.fs.open_read(path)
        try:
            opened = self.fs.fstat(handle)
            text = self.fs.read_at(handle, 0, opened.size).decode("utf-8", "surrogateescape")
        finally:
            close_quietly(self.fs, handle)
        try:
            ads = list(ads_of_text(text, path))
        except StoreError as error:
            raise NotAds(str(error)) from None
        self._cache[kind] = (opened, ads)
        return list(ads)

    def stamp(self, kind: str) -> FileId | None:
        """Something that changes whenever ``kind`` is published; None when it is not there."""
        try:
            return self.fs.stat(self._path(kind))
        except OSError:
            return None

    def kinds(self) -> list[str]:
        """The kinds that are published, sorted."""
        try:
            names = self.fs.listdir(self.directory)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(describe(error, "cannot list published ads", self.directory))
        return sorted(name[: -len(_SUFFIX)] for name in names if name.endswith(_SUFFIX))

    def remove(self, kind: str) -> None:
        """Take what was published away; nothing there is fine. Raises StoreError."""
        path = self._path(kind)
        try:
            remove_if_there(self.fs, path)
        except OSError as error:
            raise StoreError(describe(error, "cannot remove published ads", path))

    def _path(self, kind: str) -> str:
        if not kind or "/" in kind or kind.startswith("."):
            raise ValueError(f"not a kind of ads: {kind!r}")
        return os.path.join(self.directory, kind + _SUFFIX)

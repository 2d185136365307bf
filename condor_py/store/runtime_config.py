"""Persistent settings of a daemon on disk (``condor_config_val -set``). ``config.dynamic`` has the layout and reads it.

Nothing is acknowledged before it is on the medium: the text of a setting is there before the list names it, and the
list has forgotten it before its text goes away. A crash in between leaves a file that is in no list.
"""

from __future__ import annotations

from condor_py.lang.config.dynamic import LIST_KNOB, listed
from condor_py.model.errors import StoreError
from condor_py.store.fs import FileSystem, RealFs, describe, remove_if_there, replace_file

_MODE = 0o644


class PersistentSettings:
    """The settings that the list ``path`` names; one process writes them."""

    def __init__(self, path: str, fs: FileSystem | None = None) -> None:
        self.path = path
        self._fs = fs if fs is not None else RealFs()

    def set(self, key: str, text: str) -> None:
        """Keep ``text`` as the setting ``key``. StoreError when it cannot be written; then nothing has changed."""
        keys = listed(self.path)
        self._write(f"{self.path}.{key}", text)
        if key not in keys:
            self._write_list([*keys, key])

    def unset(self, key: str) -> None:
        """Forget the setting ``key``; one that is not there is fine. StoreError as for ``set``."""
        keys = listed(self.path)
        if key not in keys:
            return
        keys.remove(key)
        try:
            if keys:
                self._write_list(keys)
            else:
                remove_if_there(self._fs, self.path)
            remove_if_there(self._fs, f"{self.path}.{key}")
            self._fs.sync_dir(self.path.rpartition("/")[0] or ".")
        except OSError as error:
            raise StoreError(describe(error, "cannot remove the persistent setting", self.path)) from None

    def _write_list(self, keys: list[str]) -> None:
        self._write(self.path, f"{LIST_KNOB} = {', '.join(sorted(keys, key=str.lower))}\n")

    def _write(self, path: str, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        try:
            replace_file(self._fs, path, data, _MODE, durable=True)
        except OSError as error:
            raise StoreError(describe(error, "cannot write the persistent setting", path)) from None

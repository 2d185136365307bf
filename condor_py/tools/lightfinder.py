"""Finds the modules of condor_py by their names alone.

Python's own finder asks everybody on its path about each module and works out, part by part, where its compiled form
lies: half of what importing a small module takes. Ours looks in one place and takes what is compiled on the condition
on which Python does: time and size of the source are the ones that it was compiled from. Whatever is otherwise (no
compiled form, an old one, one with a hash, an extension module) is left to Python's finder, which compiles and writes.
"""

from __future__ import annotations

import _imp
import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

#: The classes of Python's import system, of which our own specification is one; ``importlib.machinery`` has them too.
_Spec: Any = type(__spec__)
_SourceLoader: Any = type(__spec__.loader)
_PACKAGE = __name__.partition(".")[0] + "."
_HEAD = 16
_MOST = 0xFFFFFFFF


class _Loader(_SourceLoader):  # type: ignore[misc]
    """Loads a source file whose compiled form has been read."""

    def __init__(self, name: str, source: str, code: CodeType) -> None:
        super().__init__(name, source)
        self._code = code

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module."""
        exec(self._code, module.__dict__)


class Finder:
    """Stands before Python's finders."""

    def __init__(self, magic: bytes, tag: str) -> None:
        #: What the files of this version of Python begin with: its number, and that time and size count.
        self._head = magic + bytes(4)
        self._ending = f".{tag}.pyc"

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As other finders do."""
        if path is None or not name.startswith(_PACKAGE):
            return None
        tail = name[name.rindex(".") + 1 :]
        for folder in path:
            spec = self._spec(name, folder, tail) or self._spec(name, f"{folder}/{tail}", "__init__")
            if spec is not None:
                if spec.loader.path.endswith("/__init__.py"):
                    spec.submodule_search_locations = [f"{folder}/{tail}"]
                return spec  # type: ignore[no-any-return]
        return None

    def _spec(self, name: str, folder: str, tail: str) -> Any:
        compiled = f"{folder}/__pycache__/{tail}{self._ending}"
        source = f"{folder}/{tail}.py"
        code = self._code(compiled, source)
        if code is None:
            return None
        spec = _Spec(name, _Loader(name, source, code), origin=source)
        spec.has_location = True
        spec.cached = compiled
        return spec

    def _code(self, compiled: str, source: str) -> CodeType | None:
        """What a source was compiled to, when that is known and is no older one's."""
        try:
            number = posix.open(compiled, posix.O_RDONLY | posix.O_CLOEXEC)
        except OSError:
            return None
        try:
            data = posix.read(number, posix.fstat(number).st_size)
            now = posix.stat(source)
        except OSError:
            return None
        finally:
            posix.close(number)
        if data[:8] != self._head or int.from_bytes(data[8:12], "little") != int(now.st_mtime) & _MOST:
            return None
        if int.from_bytes(data[12:_HEAD], "little") != now.st_size & _MOST:
            return None
        try:
            code = marshal.loads(memoryview(data)[_HEAD:])
        except (EOFError, ValueError, TypeError):
            return None
        _imp._fix_co_filename(code, source)  # type: ignore[attr-defined]
        return code  # type: ignore[no-any-return]


def install() -> None:
    """Whoever asks for other compiled forms than the usual ones has Python's finder."""
    tag = sys.implementation.cache_tag
    if tag and sys.flags.optimize == 0 and sys.pycache_prefix is None:
        magic = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
        sys.meta_path.insert(0, Finder(magic, tag))

"""The address of a schedd: the common base of all parts of ``Schedd``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.bindings import session
from condor_py.bindings.errors import HTCondorIOError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


class AtSchedd:
    """A schedd, perhaps of another machine."""

    _pool: Pool
    _addr: str

    def _here(self, words: str = "") -> Pool:
        """The pool of this schedd; HTCondorIOError with ``words`` for one of another machine."""
        if not session.is_local(self._pool, self._addr):
            raise HTCondorIOError(words or f"Failed to connect to {self._addr}")
        return self._pool

"""The compiled half of this package where it could be built; the pure-Python twin takes over where it is None.

``CONDOR_PY_NO_EXT=1`` in the environment forces the twin (read once, when this module is imported).
"""

from __future__ import annotations

from condor_py.model.later import built

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Counts what these modules expect of the extension (csrc/native.h); one built from older sources is not used.
REVISION = 14


def _load() -> Any:
    module = built("condor_py.lang.classad._native")
    return module if getattr(module, "REVISION", 0) == REVISION else None


#: The extension module ``condor_py.lang.classad._native``, or None.
native: Any = _load()

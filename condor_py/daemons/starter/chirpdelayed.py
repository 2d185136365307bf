"""Changes of the job ad that a job asks for and that go to the queue with the next update."""

from __future__ import annotations

from fnmatch import fnmatchcase

from condor_py.client.chirpwire import INVALID_REQUEST, NOT_AUTHORIZED, TOO_BIG
from condor_py.core.jobs.requests import Caller, RefusedEdit, allowed_assignments
from condor_py.core.jobs.storable import is_storable
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.starter import ChirpSettings

#: Bytes of the longest expression.
_LONGEST = 993


class Delayed:
    """Those of one run. Names are limited to CHIRP_DELAYED_UPDATE_PREFIX, and never what users may not change."""

    def __init__(self, settings: ChirpSettings, ad: ClassAd) -> None:
        self._settings = settings
        self._ad = ad
        self._names: set[str] = set()
        self._waiting: dict[str, tuple[str, str]] = {}

    def set(self, name: str, expression: str) -> int:
        """Takes a change; 0, or the code of what is wrong with it."""
        key = name.lower()
        if len(expression.encode()) > _LONGEST:
            return TOO_BIG
        if not is_storable(expression):
            return INVALID_REQUEST
        if not any(fnmatchcase(key, pattern.lower()) for pattern in self._settings.delayed_names):
            return NOT_AUTHORIZED
        try:
            allowed_assignments([(name, expression)], Caller("", False), self._settings.rules)
        except RefusedEdit:
            return NOT_AUTHORIZED
        if key not in self._names and len(self._names) >= self._settings.most_delayed:
            return NOT_AUTHORIZED
        self._names.add(key)
        self._waiting[key] = name, expression
        self._ad.set_text(name, expression)
        return 0

    def get(self, name: str) -> str | None:
        """The expression of a change, or of the starter's copy of the job ad."""
        return self._ad.text(name)

    def take(self) -> dict[str, str]:
        """What waits for the next update, which takes it."""
        waiting, self._waiting = self._waiting, {}
        return dict(waiting.values())

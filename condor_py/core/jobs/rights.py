"""The rights of who asks for a change of jobs: which jobs, and which of their attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.changes import is_storable
from condor_py.model.bounds import BOUNDED, out_of_bounds
from condor_py.model.errors import CondorError
from condor_py.model.record import is_attribute_name
from condor_py.model.settings.submit_policy import EditRules

#: Attributes that no user may edit once the job is queued.
IMMUTABLE = frozenset({"clusterid", "procid", "owner", "user", "mytype", "targettype", "globaljobid", "jobuniverse"})
#: Attributes that would let a job pretend to be something the schedd decides.
PROTECTED = frozenset({"claimid", "claimids", "publicclaimid", "remotehost", "osuser"})
#: Characters of a refused value that are shown.
_SHOWN = 80


class RefusedEdit(CondorError):
    """An edit that no user may make; the text is HTCondor's."""


class Caller(NamedTuple):
    """The user of a request. ``owner`` is the bare account name; a superuser may act on jobs of all users."""

    owner: str
    superuser: bool = False

    def may_change(self, ad: ClassAd) -> bool:
        """Whether a job is the caller's."""
        return self.superuser or ad.eval_str("Owner", None) == self.owner


def allowed_assignments(
    assignments: Iterable[tuple[str, str]], caller: Caller, rules: EditRules
) -> list[tuple[str, str]]:
    """The assignments without those of secure attributes.

    RefusedEdit for attributes that are not to be edited, values that do not parse, and values out of bounds.
    """
    allowed = []
    for name, text in assignments:
        key = name.lower()
        if not is_attribute_name(name):
            raise RefusedEdit(f"Got invalid attribute named {name}")
        if key in IMMUTABLE or key in rules.immutable:
            raise RefusedEdit(f'Update of immutable attribute "{name}" is not allowed.')
        if key in PROTECTED or (key in rules.protected and not caller.superuser):
            raise RefusedEdit(f'Update of protected attribute "{name}" is not allowed.')
        if key in rules.secure:
            if rules.refuse_secure:
                raise RefusedEdit(f'Update of secure attribute "{name}" is not allowed.')
            continue
        if not is_storable(text):
            raise RefusedEdit(f"Update aborted, illegal value for : {name}")
        fault = out_of_bounds(key, ClassAd.from_text_items([(name, text)]).raw(name)) if key in BOUNDED else ""
        if fault:
            raise RefusedEdit(f"Update aborted: {name} = {repr(text[:_SHOWN])[1:-1]} is invalid, {fault}")
        allowed.append((name, text))
    return allowed

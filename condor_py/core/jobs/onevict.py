"""Transforms that a job brings for the case that its run goes wrong: retries with a larger request instead of a hold.

``TransformOnEvict`` lists names; ``TransformBody_<name>`` has the statements of each, separated by the character 0x1E.
They are tried in turn when a run ends and the job is to be held. The first that changes a Request attribute ends the
search: the job is idle again, and asks for what it says now. What the others have changed is kept too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.core.jobs.actions import set_text
from condor_py.core.jobs.effects import Note
from condor_py.core.jobs.requests import Caller, RefusedEdit, allowed_assignments
from condor_py.lang.classad import ClassAd
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import Change

if TYPE_CHECKING:
    from condor_py.core.jobs.books import Books

_LINE = "\x1e"
#: What no transform of a job changes, besides what its owner may not edit.
_STATUS = frozenset(("jobstatus", "lastjobstatus", "enteredcurrentstatus"))


def asks_for_more(core: Books, job: JobId, ad: ClassAd) -> bool:
    """Apply the job's transforms. True when one of them changed what the job requests: it need not be held."""
    names = ad.eval_str("TransformOnEvict", "")
    for name in names.replace(",", " ").split():
        body = ad.eval_str(f"TransformBody_{name}", "")
        if not body.strip():
            continue
        changes = _changes(core, job, ad, name, body)
        core.out.apply(ad, changes)
        if any(change.name.lower().startswith("request") for change in changes):
            core.out.emit(Note(f"job {job} is not held: TransformOnEvict {name} gives it another request"))
            return True
    return False


def _changes(core: Books, job: JobId, ad: ClassAd, name: str, body: str) -> list[Change]:
    """What one transform changes; nothing where it cannot be carried out."""
    from condor_py.lang.submit.transform import read_rules  # few jobs bring a transform
    from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run

    def told(text: str) -> None:
        core.out.emit(Note(f"job {job}: TransformOnEvict {name}: {text.removeprefix('ERROR: ')}"))

    subject = Subject(ad.copy())
    try:
        rules = read_rules(body.replace(_LINE, "\n"), name)
        if not applies(rules, ad):
            return []
        run(rules, subject, Session(), Log(error=told))
    except CondorError as error:
        told(str(error))
        return []
    return _allowed(core, job, ad, subject.ad, [key for key in subject.changed if key not in _STATUS])


def _allowed(core: Books, job: JobId, before: ClassAd, after: ClassAd, keys: list[str]) -> list[Change]:
    """The changes that the owner of the job could make as well; the others are passed over."""
    caller = Caller(before.eval_str("Owner", ""), superuser=False)
    rules = changed(core.settings.edit_rules, refuse_secure=False)
    changes: list[Change] = []
    for key in keys:
        binding = after.attrs.get(key)
        name, text = (key, "undefined") if binding is None else (binding.name, binding.text)
        if text == before.text(key):
            continue
        try:
            changes += (set_text(job, *each) for each in allowed_assignments([(name, text)], caller, rules))
        except RefusedEdit:
            continue
    return changes

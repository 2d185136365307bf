"""Job transforms, then submit requirements: the schedd applies them to jobs before it accepts them.

Every job of a cluster is read, transformed by each set of rules whose REQUIREMENTS accept it, and checked; one that is
refused refuses all (manual: "condor_schedd Policy Configuration"). What the rules change the same way in every job
becomes the cluster's; HTCondor writes it into each job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from condor_py.lang.classad import ClassAd, parse
from condor_py.lang.submit.transform import Transform, TransformError, read_rules
from condor_py.lang.submit.transform_old import is_old, read_old_rules
from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run
from condor_py.model.errors import CondorError
from condor_py.model.settings.submit_policy import Requirement, SubmitPolicy

Items = Sequence[tuple[str, str]]

#: What becomes of an attribute: its name and new text, or None when it goes.
Change = tuple[str, str | None]

#: What no rule changes: who owns a job and which it is.
FIXED = frozenset({"owner", "user", "osuser", "clusterid", "procid", "mytype", "targettype"})
_COMMITTING = "Failed to commit job submission into the queue.\nERROR: "
#: Texts that make two jobs different although their own attributes are the same.
_INDIVIDUAL = ("procid", "globaljobid", "$random", "random(")


class Refused(CondorError):
    """Jobs that the policy of the schedd does not take; the text is what condor_submit shows after ``ERROR:``."""

    def __init__(self, reason: str) -> None:
        super().__init__(_COMMITTING + reason)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A cluster as it enters the queue, and the warnings of requirements, each once."""

    ad: list[tuple[str, str]]
    procs: list[list[tuple[str, str]]]
    warnings: tuple[str, ...] = ()


def apply_submit_policy(
    ad: Items, procs: Sequence[Items], policy: SubmitPolicy, *, is_factory: bool = False, first: int | None = None
) -> Admitted:
    """The cluster ad and what each job has in addition, after the policy. Refused when one job is not taken.

    ``ad`` holds the identity of the submitter; ``procs`` tell their JobStatus where it is not 1. They are proc 0, 1,
    ... of a new cluster, or those from ``first`` on of a cluster that is in the queue and stays as it is.
    """
    if policy.is_empty:
        return Admitted(list(ad), [list(items) for items in procs])
    return _Admission(ad, policy, is_factory, first).all(procs)


class _Admission:
    def __init__(self, ad: Items, policy: SubmitPolicy, is_factory: bool, first: int | None) -> None:
        self.ad = ad
        self.first = first
        self.parent = ClassAd.from_text_items(ad)
        self.policy = policy
        self.warnings: dict[str, None] = {}
        self.transforms = list(_read(policy, self._warn))
        self.requirements = [(each, parse(each.expression)) for each in policy.requirements]
        self.schedd = ClassAd.from_text_items(policy.schedd)
        self.schedd.set_text("SCHEDD", "MY")
        self.schedd.set_text("JOB", "TARGET")
        texts = [each.expression + each.reason for each in policy.requirements]
        texts += [transform.body + transform.requirements for transform in self.transforms]
        texts += [text for _, text in ad]
        #: Whether jobs with the same attributes may come out differently.
        self.individual = any(_mentions(text) for text in texts)
        self.session = Session(self._knob, None, {"IsClusterAd": "0", "LateMaterialization": str(int(is_factory))})

    def all(self, procs: Sequence[Items]) -> Admitted:
        changes: list[dict[str, Change]] = []
        made: dict[tuple[tuple[str, str], ...], dict[str, Change]] = {}
        for number, items in enumerate(procs, self.first or 0):
            key = tuple(items)
            change = made.get(key)
            if change is None:
                change = self._admit(number, items)
                if not self.individual and not any(_mentions(text) for _, text in items):
                    made[key] = change
            changes.append(change)
        return self._merged(procs, changes)

    def _knob(self, name: str) -> str | None:
        text = self.policy.macro(name)
        self.individual = self.individual or (text is not None and _mentions(text))
        return text

    def _warn(self, text: str) -> None:
        self.warnings.setdefault(text)

    def _admit(self, number: int, items: Items) -> dict[str, Change]:
        """Return the changes of the rules in one job: (name, text or None for nothing) by lower-case name."""
        job = ClassAd.from_text_items(items)
        job.set_text("ProcId", str(number))
        if not job.has("JobStatus"):
            job.set_text("JobStatus", "1")
        job.chain(self.parent)
        subject = Subject(job)
        self.session.forget()
        for transform in self.transforms:
            if applies(transform, job):
                self._transform(transform, subject)
        self._check_bounds(subject)
        self._check(job)
        change: dict[str, Change] = {}
        for key in subject.changed:
            if key in FIXED:
                continue
            binding = job.attrs.get(key)
            change[key] = (key, None) if binding is None else (binding.name, binding.text)
        return change

    def _transform(self, transform: Transform, subject: Subject) -> None:
        def complain(text: str) -> None:
            self._warn(f"JOB_TRANSFORM_{transform.source}: {text.removeprefix('ERROR: ')}")

        try:
            run(transform, subject, self.session, Log(error=complain))
        except TransformError as error:
            raise Refused(f"Failed to apply a required job transform: JOB_TRANSFORM_{error}\n") from None

    def _check_bounds(self, subject: Subject) -> None:
        """Refused when rules gave an attribute a value that no job may have."""
        try:
            subject.check_bounds()
        except TransformError as error:
            raise Refused(f"Failed to apply the job transforms: {error}\n") from None

    def _check(self, job: ClassAd) -> None:
        for requirement, expression in self.requirements:
            value = self.schedd.raw(expression, job)
            if type(value) not in (bool, int, float):
                raise Refused(f"Submit requirement {requirement.name} evaluated to non-boolean.\n")
            if value:
                continue
            reason = self._reason(requirement, job)
            if not requirement.is_warning:
                raise Refused(reason)
            self._warn(reason)

    def _reason(self, requirement: Requirement, job: ClassAd) -> str:
        if requirement.reason:
            value = self.schedd.raw(parse(requirement.reason), job)
            if type(value) is str:
                return value
        return f"Submit requirement {requirement.name} not met.\n"

    def _merged(self, procs: Sequence[Items], changes: list[dict[str, Change]]) -> Admitted:
        """The ads with the changes in them; changes that all jobs share go into the cluster ad of a new cluster."""
        shared = self._shared(changes)
        ad = {name.lower(): (name, text) for name, text in self.ad}
        for key, (name, text) in shared.items():
            ad.pop(key, None)
            if text is not None and not (text == "undefined" and self.parent.has(name)):
                ad[key] = (name, text)
        made: list[list[tuple[str, str]]] = []
        for items, change in zip(procs, changes, strict=True):
            kept = [(name, text) for name, text in items if name.lower() not in change]
            for key, (name, text) in change.items():
                of_cluster = key in shared or (self.first is not None and text == self.parent.text(key))
                if text is not None and not of_cluster:
                    kept.append((name, text))
            made.append(kept)
        return Admitted(list(ad.values()), made, tuple(self.warnings))

    def _shared(self, changes: list[dict[str, Change]]) -> dict[str, Change]:
        if self.first is not None or not changes:
            return {}
        return {
            key: change
            for key, change in changes[0].items()
            if key != "jobstatus" and all(other.get(key) == change for other in changes)
        }


def _mentions(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _INDIVIDUAL)


def _read(policy: SubmitPolicy, warn: Callable[[str], None]) -> Iterable[Transform]:
    """The rules that can be parsed; HTCondor continues without the others, and says so in its log only."""
    for name, text in policy.transforms:
        try:
            yield read_old_rules(text, name) if is_old(text) else read_rules(text, name, keep_name=True)
        except TransformError as error:
            warn(f"JOB_TRANSFORM_{name} is ignored: {error}")

"""The engine of other pools (``grid_resource = condor SCHEDD POOL``): their schedd gets jobs with their files.

POOL is a central manager of HTCondor, or the configuration file of a second pool of this machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from condor_py.core.grid import events
from condor_py.core.grid.actions import Cancel, Clean, CleanOthers, Deed, Edit, Look, Order, StageIn, StageOut, Submit
from condor_py.daemons.gridmanager.host import Host, mark_of
from condor_py.daemons.gridmanager.interpreter import Interpreter
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.batch import condorjobs
from condor_py.model.gridjobs import Seen, Stand
from condor_py.model.ids import JobId
from condor_py.model.states import HoldCode

#: How much of what the other schedd says is shown.
_SHOWN = 500
_UNWANTED = "nobody waits for it any more"
#: HTCondor's words for what is done there because it was done here.
_WHY = "by gridmanager"


@dataclass
class _Place:
    """One schedd of one pool: ``talk`` for short requests, ``files`` for those that move files."""

    talk: Interpreter
    files: Interpreter
    #: By our names for jobs: the last report of each; those whose input is on the way; those that we have sent.
    reported: dict[str, dict[str, str]] = field(default_factory=dict)
    coming: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    #: The ads of jobs that were edited here and are to be changed there, by our names for them.
    edited: dict[str, ClassAd] = field(default_factory=dict)

    def take_edited(self) -> dict[str, ClassAd]:
        """Return the edited jobs; the caller changes them there."""
        edited, self.edited = self.edited, {}
        return edited

    def keep_edited(self, edited: dict[str, ClassAd]) -> None:
        """Keep jobs that could not be changed, together with newer edits, which win."""
        self.edited = edited | self.edited


class CondorEngine:
    """All schedds of other pools that one gridmanager gives jobs to."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._places: dict[str, _Place] = {}
        #: What our jobs there are known by: this gridmanager and no other, of this machine or another.
        self._origin = f"{host.access_point}#{mark_of(host.directory)}"

    def carry_out(self, action: Deed) -> None:
        """Begins with an action."""
        match action:
            case StageIn(job, resource, _, _):
                self._stage_in(job, resource)
            case Submit():
                self._submit(action)
            case Look(resource):
                self._look(resource)
            case Cancel():
                self._cancel(action)
            case Order():
                self._order(action)
            case Edit():
                self._edit(action)
            case StageOut():
                self._stage_out(action)
            case Clean(resource, name, remote_id):
                self._clean(resource, name, remote_id)
            case CleanOthers():
                pass  # the next look finds them

    def close(self) -> None:
        """The gridmanager leaves."""
        for place in self._places.values():
            place.talk.close()
            place.files.close()

    def _place(self, resource: str) -> _Place:
        found = self._places.get(resource)
        if found is None:
            host, words = self._host, [*resource.split(), "", ""][1:3]
            environment = {**host.environment, "CONDOR_CONFIG": host.places.condor_config or "ONLY_ENV"}
            talk, files = (
                Interpreter(host.loop, words, environment, host.log, float(patience))
                for patience in (host.places.call_timeout, max(host.places.call_timeout, _FILES_TIMEOUT))
            )
            found = self._places[resource] = _Place(talk, files)
        return found

    # -- there -------------------------------------------------------------------------------------

    def _stage_in(self, job: JobId, resource: str) -> None:
        """The input goes with the job; here it is only seen whether the resource says where."""
        words = resource.split()
        if len(words) in (2, 3):
            self._host.tell(events.StagedIn(job))
            return
        reason = f"GridResource {resource!r} is not condor SCHEDD POOL"
        self._host.tell(events.StageFailed(job, int(HoldCode.UNSPECIFIED), 0, reason))

    def _submit(self, action: Submit) -> None:
        place = self._place(action.resource)
        place.coming.add(action.name)

        def answered(value: Any, error: str, away: bool) -> None:
            place.coming.discard(action.name)
            if not error:
                place.sent.add(action.name)
                self._host.tell(events.Submitted(action.job, str(value)))
            else:
                reason = f"Attempts to submit failed: {error[:_SHOWN]}"
                code = int(HoldCode.STARTD_HELD_JOB)
                self._host.tell(events.SubmitFailed(action.job, reason, away=away, certain=False, code=code))

        description = condorjobs.description(action.ad, action.name, self._origin)
        directory = action.ad.eval_str("Iwd", "/") or "/"
        place.files.ask("submit", answered, description=description, directory=directory)

    # -- how they stand ----------------------------------------------------------------------------

    def _look(self, resource: str) -> None:
        place = self._place(resource)

        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._host.tell(events.LookFailed(resource, error[:_SHOWN]))
            else:
                self._looked(resource, place, condorjobs.ads_of(value))

        constraint, wanted = condorjobs.constraint_of(self._origin), list(condorjobs.LOOKED_AT)
        place.talk.ask("jobs", answered, constraint=constraint, attributes=wanted)

    def _looked(self, resource: str, place: _Place, ads: list[ClassAd]) -> None:
        """Remove jobs that belong to no job here. A job whose input was on the way when a gridmanager died may lack
        some of it: it is removed, too, before the look is over, so that it never runs together with its successor."""
        doubtful: list[str] = []
        found: dict[str, tuple[Seen, ...]] = {}
        for ad in ads:
            name = ad.eval_str(condorjobs.NAME, "")
            job = self._host.job_named(name)
            if name in place.coming:
                continue
            if job is None:
                self._remove(place, condorjobs.id_of(ad), _UNWANTED)
            elif condorjobs.is_incomplete(ad) and name not in place.sent:
                doubtful.append(condorjobs.id_of(ad))
            else:
                found[name] = (*found.get(name, ()), self._seen(place, job, name, ad))

        def removed(value: Any, error: str, away: bool) -> None:
            outcome = events.LookFailed(resource, error[:_SHOWN]) if error else events.Looked(resource, found)
            self._host.tell(outcome)

        if doubtful:
            place.talk.ask("act", removed, action="Remove", ids=doubtful, reason="its input has not come")
        else:
            self._host.tell(events.Looked(resource, found))

    def _seen(self, place: _Place, job: JobId, name: str, ad: ClassAd) -> Seen:
        seen = condorjobs.seen(ad, place.reported.get(name, {}))
        if seen.stand is Stand.OVER:
            self._host.tell(events.Ended(job, condorjobs.ending(ad)))
        elif seen.changes:
            place.reported.setdefault(name, {}).update(seen.changes)
        return seen

    # -- holds and edits ---------------------------------------------------------------------------

    def _order(self, action: Order) -> None:
        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._host.log(f"job {action.remote_id} of the other pool is neither held nor released: {error}")
                self._host.tell(events.Disobeyed(action.job, action.remote_id, error[:_SHOWN]))
            else:
                self._host.tell(events.Obeyed(action.job, action.remote_id))

        what = "Release" if action.release else "Hold"
        self._place(action.resource).talk.ask("act", answered, action=what, ids=[action.remote_id], reason=_WHY)

    def _edit(self, action: Edit) -> None:
        """All edits of a turn are one question."""
        place = self._place(action.resource)
        if not place.edited:
            self._host.loop.soon(lambda: self._compare(place))
        place.edited[action.name] = action.ad

    def _compare(self, place: _Place) -> None:
        """Ask the other pool for the jobs that were edited, then change those that differ."""
        edited = place.take_edited()

        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._edit_later(place, edited, error)
            else:
                self._change(place, edited, condorjobs.ads_of(value))

        wanted = [condorjobs.NAME, condorjobs.HAS, "ClusterId", "ProcId"]
        constraint = condorjobs.constraint_of(self._origin, edited if len(edited) <= _FEW else ())
        place.talk.ask("jobs", answered, constraint=constraint, attributes=wanted)

    def _change(self, place: _Place, edited: dict[str, ClassAd], ads: list[ClassAd]) -> None:
        for ad in ads:
            name, has = ad.eval_str(condorjobs.NAME, ""), ad.eval_str(condorjobs.HAS, None)
            here = edited.get(name)
            if here is not None and has is not None and (changes := condorjobs.edits(here, has)):
                answered = partial(self._changed, place, {name: here})
                place.talk.ask("edit", answered, job=condorjobs.id_of(ad), assignments=changes)

    def _changed(self, place: _Place, edited: dict[str, ClassAd], value: Any, error: str, away: bool) -> None:
        if away:
            self._edit_later(place, edited, error)
        elif error:
            self._host.log(f"cannot edit a job of the other pool: {error}")

    def _edit_later(self, place: _Place, edited: dict[str, ClassAd], error: str) -> None:
        """Try these edits again later, together with newer ones, which win."""
        self._host.log(f"edits of {', '.join(edited)} cannot be made in the other pool yet: {error}")
        if not place.edited:
            self._host.loop.after(float(_AGAIN), lambda: self._compare(place))
        place.keep_edited(edited)

    # -- the end -----------------------------------------------------------------------------------

    def _remove(self, place: _Place, remote_id: str, reason: str) -> None:
        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._host.log(f"cannot remove job {remote_id} of the other pool: {error}")

        place.talk.ask("act", answered, action="Remove", ids=[remote_id], reason=reason)

    def _cancel(self, action: Cancel) -> None:
        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._host.tell(events.CancelFailed(action.job, action.remote_id, error[:_SHOWN]))
            else:
                self._host.tell(events.Cancelled(action.job, action.remote_id))

        place = self._place(action.resource)
        place.reported.pop(action.name, None)
        place.talk.ask("act", answered, action="Remove", ids=[action.remote_id], reason=_WHY)

    def _stage_out(self, action: StageOut) -> None:
        place = self._place(action.resource)
        remote_id = self._host.remote_id(action.job)

        def answered(value: Any, error: str, away: bool) -> None:
            if not error:
                self._host.tell(events.StagedOut(action.job))
            elif away:
                self._host.log(f"the output of {action.job} cannot be fetched yet: {error}")
                self._host.loop.after(float(_AGAIN), lambda: self._stage_out(action))
            else:
                code = int(HoldCode.DOWNLOAD_FILE_ERROR)
                self._host.tell(events.StageFailed(action.job, code, 0, error[:_SHOWN]))

        directory = action.ad.eval_str("Iwd", "/") or "/"
        place.files.ask("fetch", answered, job=remote_id, directory=directory)

    def _clean(self, resource: str, name: str, remote_id: str) -> None:
        """A job that has completed may leave; any other is removed."""
        place = self._place(resource)
        place.reported.pop(name, None)
        place.sent.discard(name)
        if not remote_id:
            return

        def answered(value: Any, error: str, away: bool) -> None:
            if error:
                self._remove(place, remote_id, _UNWANTED)

        place.talk.ask(
            "edit", answered, job=remote_id, assignments={"LeaveJobInQueue": "false", "CleanedBy": quote_string(name)}
        )


#: Seconds until output is fetched, or an edit is made, again where the schedd was away.
_AGAIN = 30
#: Seconds that the files of a job may take (HTCondor's GRIDMANAGER_GAHP_CALL_TIMEOUT).
_FILES_TIMEOUT = 8 * 3600
#: So many jobs are asked for by their names; else all are.
_FEW = 20

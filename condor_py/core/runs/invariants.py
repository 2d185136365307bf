"""What holds for the core of a starter after every event."""

from __future__ import annotations

from condor_py.core.runs.core import Course
from condor_py.core.runs.effects import Step
from condor_py.core.runs.phases import Phase

#: The steps that a phase waits for; a phase that is not here waits for none.
_STEPS = {
    Phase.PREPARING: {Step.MAKE_SCRATCH, Step.ASK_HOOK, Step.ASK_HOOK_AGAIN, Step.EXECUTE},
    Phase.FETCHING: {Step.FETCH},
    Phase.DRAINING: {Step.DRAIN},
    Phase.SAVING: {Step.SAVE},
    Phase.PAUSED: {Step.ASK_TO_GO_ON, Step.RESUME},
    Phase.EXITING: {Step.CONCLUDE},
    Phase.LEAVING: {Step.CLEAR},
}
#: Phases in which nobody has stopped the run yet: it would be over.
_NOT_STOPPED = (Phase.IDLE, Phase.STAGING, Phase.DEFERRED, Phase.PREPARING, Phase.FETCHING, Phase.PAUSED)


def broken(course: Course) -> list[str]:
    """What does not hold; nothing when all is well."""
    phase, found = course.phase, list[str]()
    steps = _STEPS.get(phase, {None})
    if course.awaits not in steps:
        found.append(f"{phase.name} waits for {course.awaits}")
    if course.stopped and phase in _NOT_STOPPED:
        found.append(f"a stopped run is {phase.name}")
    if phase is Phase.IDLE and (course.suspended or course.in_patience):
        found.append("a starter without a job keeps something of the last one")
    return found

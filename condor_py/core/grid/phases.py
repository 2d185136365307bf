"""The phases of a grid job in its gridmanager, by HTCondor's names, and the moves between them."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """Phase of a grid job, from its submission to its end."""

    #: There is nothing of it elsewhere; it waits for its turn.
    UNSUBMITTED = "GM_UNSUBMITTED"
    #: It may have been submitted before a crash: the next query of the resource shows it.
    START = "GM_START"
    #: The queue records its remote name, and its ad is requested.
    SAVE_SANDBOX_ID = "GM_SAVE_SANDBOX_ID"
    #: Its input is on the way.
    TRANSFER_INPUT = "GM_TRANSFER_INPUT"
    #: It is being submitted.
    SUBMIT = "GM_SUBMIT"
    #: The remote system has it.
    SUBMITTED = "GM_SUBMITTED"
    #: It has ended, by a signal that may have been the remote system's: the next look shows it.
    PROBE_ENDED = "GM_POLL_ACTIVE"
    #: Its output is on the way.
    TRANSFER_OUTPUT = "GM_TRANSFER_OUTPUT"
    #: The queue records its end.
    DONE_SAVE = "GM_DONE_SAVE"
    #: The remote system is to put it on hold; it is on hold on both sides; the remote system is to release it.
    HOLD_REMOTE = "GM_HOLD_REMOTE_JOB"
    HELD = "GM_HOLD"
    RELEASE_REMOTE = "GM_RELEASE_REMOTE_JOB"
    #: The remote system is to end it.
    CANCEL = "GM_CANCEL"
    #: The queue records that nothing of it is left on the remote system, or why it is held.
    CLEAR_REQUEST = "GM_CLEAR_REQUEST"


_ENDS = frozenset((Phase.CLEAR_REQUEST,))

#: Where a job may go from each phase; one that is not needed any more is forgotten.
MOVES: dict[Phase, frozenset[Phase]] = {
    Phase.UNSUBMITTED: frozenset((Phase.SAVE_SANDBOX_ID,)) | _ENDS,
    Phase.START: frozenset((Phase.SAVE_SANDBOX_ID, Phase.SUBMITTED, Phase.CANCEL, Phase.UNSUBMITTED)) | _ENDS,
    Phase.SAVE_SANDBOX_ID: frozenset((Phase.TRANSFER_INPUT,)) | _ENDS,
    Phase.TRANSFER_INPUT: frozenset((Phase.SUBMIT,)) | _ENDS,
    Phase.SUBMIT: frozenset((Phase.SUBMITTED, Phase.CANCEL, Phase.START)) | _ENDS,
    Phase.SUBMITTED: frozenset((Phase.PROBE_ENDED, Phase.TRANSFER_OUTPUT, Phase.HOLD_REMOTE, Phase.HELD, Phase.CANCEL))
    | _ENDS,
    Phase.PROBE_ENDED: frozenset((Phase.TRANSFER_OUTPUT, Phase.HOLD_REMOTE, Phase.CANCEL)) | _ENDS,
    Phase.TRANSFER_OUTPUT: frozenset((Phase.DONE_SAVE,)) | _ENDS,
    Phase.DONE_SAVE: frozenset(),
    Phase.HOLD_REMOTE: frozenset((Phase.HELD, Phase.CANCEL)),
    Phase.HELD: frozenset((Phase.RELEASE_REMOTE, Phase.CANCEL)),
    Phase.RELEASE_REMOTE: frozenset((Phase.SUBMITTED, Phase.CANCEL)),
    Phase.CANCEL: _ENDS,
    Phase.CLEAR_REQUEST: frozenset(),
}

#: The phases in which a job takes one of the places of a resource.
THERE = frozenset(Phase) - {Phase.UNSUBMITTED, Phase.CLEAR_REQUEST, Phase.DONE_SAVE}
#: The phases in which it is being submitted.
PENDING = frozenset((Phase.SAVE_SANDBOX_ID, Phase.TRANSFER_INPUT, Phase.SUBMIT))
#: The phases in which a job is visible in its resource.
LOOKED_AT = frozenset((Phase.START, Phase.SUBMITTED, Phase.PROBE_ENDED))
#: The phases with an order to the remote system.
TOLD = frozenset((Phase.CANCEL, Phase.HOLD_REMOTE, Phase.RELEASE_REMOTE))
#: The phases of a hold that the remote system shares.
HELD_ELSEWHERE = frozenset((Phase.HOLD_REMOTE, Phase.HELD, Phase.RELEASE_REMOTE))

"""States of jobs, slots and claims, with HTCondor's numbers and words."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class JobStatus(IntEnum):
    """Job attribute JobStatus."""

    IDLE = 1
    RUNNING = 2
    REMOVED = 3
    COMPLETED = 4
    HELD = 5
    TRANSFERRING_OUTPUT = 6
    SUSPENDED = 7
    BLOCKED = 9


class Universe(IntEnum):
    """Job attribute JobUniverse: the universes that condor_submit takes.

    A new one is a number here, a name in UNIVERSE_NAMES, and a place in the groups below.
    """

    VANILLA = 5
    SCHEDULER = 7
    GRID = 9
    JAVA = 10
    PARALLEL = 11
    LOCAL = 12
    VM = 13


#: HTCondor's names of universes, those of former releases too.
UNIVERSE_NAMES: dict[int, str] = {
    1: "Standard",
    2: "Pipe",
    3: "Linda",
    4: "PVM",
    Universe.VANILLA: "Vanilla",
    6: "PVMd",
    Universe.SCHEDULER: "Scheduler",
    8: "MPI",
    Universe.GRID: "Grid",
    Universe.JAVA: "Java",
    Universe.PARALLEL: "Parallel",
    Universe.LOCAL: "Local",
    Universe.VM: "VM",
}
#: Other words for universes, in condor_submit; docker and container are kinds of vanilla.
UNIVERSE_KINDS = ("container", "docker")
_FORMER_WORDS = {"globus": Universe.GRID}
#: Universes whose jobs use no slot of the pool.
SLOTLESS = (Universe.SCHEDULER, Universe.GRID, Universe.LOCAL)
#: Universes whose jobs the schedd starts itself.
OF_SCHEDD = (Universe.SCHEDULER, Universe.LOCAL)
#: Universes whose jobs get slots of the pool.
IN_SLOTS = frozenset((Universe.VANILLA, Universe.JAVA, Universe.VM, Universe.PARALLEL))
#: Universes whose jobs run on claims in HTCondor: their files are transferred, and their runs can be found again.
ON_CLAIMS = (Universe.VANILLA, Universe.JAVA, Universe.PARALLEL, Universe.VM)
#: Universes whose jobs no slot here ever takes, as they need a daemon of HTCondor's.
NEVER_IN_SLOTS = (1, 4, 8)


def universe_number(word: str) -> int:
    """Return the number of a universe by its name in any case; 0 for none."""
    word = word.lower()
    return _FORMER_WORDS.get(word) or next((key for key, name in UNIVERSE_NAMES.items() if name.lower() == word), 0)


def universe_words() -> list[str]:
    """Return the words that the submit command universe takes."""
    return sorted([*(UNIVERSE_NAMES[universe].lower() for universe in Universe), *UNIVERSE_KINDS])


class SlotState(StrEnum):
    """Slot attribute State."""

    OWNER = "Owner"
    UNCLAIMED = "Unclaimed"
    MATCHED = "Matched"
    CLAIMED = "Claimed"
    PREEMPTING = "Preempting"
    BACKFILL = "Backfill"
    DRAINED = "Drained"


class Activity(StrEnum):
    """Slot attribute Activity."""

    IDLE = "Idle"
    BUSY = "Busy"
    SUSPENDED = "Suspended"
    RETIRING = "Retiring"
    VACATING = "Vacating"
    KILLING = "Killing"
    BENCHMARKING = "Benchmarking"
    CLEANING = "Cleaning"
    NONE = "None"


class HoldCode(IntEnum):
    """Job attribute HoldReasonCode."""

    UNSPECIFIED = 0
    USER_REQUEST = 1
    JOB_POLICY = 3
    CORRUPTED_CREDENTIAL = 4
    JOB_POLICY_UNDEFINED = 5
    FAILED_TO_CREATE_PROCESS = 6
    UNABLE_TO_OPEN_OUTPUT = 7
    UNABLE_TO_OPEN_INPUT = 8
    DOWNLOAD_FILE_ERROR = 12
    UPLOAD_FILE_ERROR = 13
    IWD_ERROR = 14
    SUBMITTED_ON_HOLD = 15
    SPOOLING_INPUT = 16
    INVALID_DEFERRAL_TIME = 17
    HOOK_PREPARE_JOB_FAILURE = 19
    MISSED_DEFERRAL_TIME = 20
    STARTD_HELD_JOB = 21
    UNABLE_TO_INIT_USER_LOG = 22
    FAILED_TO_ACCESS_USER_ACCOUNT = 23
    INVALID_CRON_SETTINGS = 25
    SYSTEM_POLICY = 26
    MAX_TRANSFER_INPUT_SIZE_EXCEEDED = 32
    MAX_TRANSFER_OUTPUT_SIZE_EXCEEDED = 33
    JOB_OUT_OF_RESOURCES = 34
    INVALID_DOCKER_IMAGE = 35
    FAILED_TO_CHECKPOINT = 36
    PRE_SCRIPT_FAILED = 43
    POST_SCRIPT_FAILED = 44
    SINGULARITY_TEST_FAILED = 45
    JOB_DURATION_EXCEEDED = 46
    JOB_EXECUTE_EXCEEDED = 47
    HOOK_SHADOW_PREPARE_JOB_FAILURE = 48
    CANNOT_SWITCH_PRIMARY_GROUP = 49


def _numbered(first: int, names: str) -> dict[int, str]:
    return dict(enumerate(names.split(), first))


#: The names of codes, which NumHoldsByReason and NumVacatesByReason have as keys (condor_holdcodes.h).
CODE_NAMES: dict[int, str] = {
    **_numbered(
        0,
        """
        Unspecified UserRequest GlobusGramError JobPolicy CorruptedCredential JobPolicyUndefined FailedToCreateProcess
        UnableToOpenOutput UnableToOpenInput UnableToOpenOutputStream UnableToOpenInputStream InvalidTransferAck
        TransferOutputError TransferInputError IwdError SubmittedOnHold SpoolingInput JobShadowMismatch
        InvalidTransferGoAhead HookPrepareJobFailure MissedDeferredExecutionTime StartdHeldJob UnableToInitUserLog
        FailedToAccessUserAccount NoCompatibleShadow InvalidCronSettings SystemPolicy SystemPolicyUndefined
        GlexecChownSandboxToUser PrivsepChownSandboxToUser GlexecChownSandboxToCondor PrivsepChownSandboxToCondor
        MaxTransferInputSizeExceeded MaxTransferOutputSizeExceeded JobOutOfResources InvalidDockerImage
        FailedToCheckpoint EC2UserError EC2InternalError EC2AdminError EC2ConnectionProblem EC2ServerError
        EC2InstancePotentiallyLostError PreScriptFailed PostScriptFailed SingularityTestFailed JobDurationExceeded
        JobExecuteExceeded HookShadowPrepareJobFailure CannotSwitchPrimaryGroup
        """,
    ),
    **_numbered(
        1000,
        """
        VacateBase SystemPolicyVacate ShadowException JobNotStarted UserVacateJob JobShouldRequeue FailedToActivateClaim
        StarterError ReconnectFailed ClaimDeactivated StartdVacateCommand StartdPreemptExpression StartdException
        StartdShutdown StartdDraining StartdCoalesce StartdHibernate StartdReleaseCommand StartdPreemptingClaimRank
        StartdPreemptingClaimUserPrio VMError ContainerError ScheddVacate JobRemoved ScratchDirError
        SuccessfulCheckpoint
        """,
    ),
}


class VacateCode(IntEnum):
    """Job attribute VacateReasonCode and the code of event 004."""

    USER_HOLD = 1
    JOB_POLICY = 1000
    SYSTEM_POLICY = 1001
    SHADOW_EXCEPTION = 1002
    JOB_NOT_STARTED = 1003
    INTERRUPTED = 1005
    STARTER_ERROR = 1007
    RECONNECT_FAILED = 1008
    CLAIM_DEACTIVATED = 1009
    VACATED_BY_ADMIN = 1010
    PREEMPT = 1011
    STARTD_SHUTDOWN = 1013
    DRAINING = 1014
    STARTD_HIBERNATE = 1016
    CLAIM_RELEASED = 1017
    BETTER_RANK = 1018
    BETTER_USER = 1019
    VACATED_BY_SCHEDD = 1022
    VM_ERROR = 1020
    CONTAINER_ERROR = 1021
    REMOVED = 1023
    SUCCESSFUL_CHECKPOINT = 1025
    STARTD_REHOMING = 1037
    #: Our own, between schedd and starter: removed with condor_rm -transfer. Jobs and events have REMOVED.
    REMOVED_WITH_OUTPUT = 11023


#: The text for the scratch directory in an expanded environment until the starter knows it ($$(CondorScratchDir)).
SCRATCH_MARK = "#CoNdOrScRaTcHdIr#"
#: The text for $(Node) in the ad of a parallel job, until it is the number of a node.
PARALLEL_NODE = "#pArAlLeLnOdE#"

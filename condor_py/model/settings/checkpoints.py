"""The settings for clearing checkpoints at destinations."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path


class CheckpointSettings(Settings, group="Access point, negotiator and maintenance"):
    """``mapfile`` is CHECKPOINT_DESTINATION_MAPFILE, ``libexec`` LIBEXEC; ``file_timeout`` and ``job_timeout`` are
    seconds for one file and for what one job left (``preen_timeout`` where condor_preen clears it). ``extra`` older
    checkpoints of a job are kept in addition to its last; ``most`` clean-ups run at a time. Unless ``as_owner``
    (RUN_CLEANUP_PLUGINS_AS_OWNER) the programs run as the pool's account, ``pool_ids`` of CONDOR_IDS or condor."""

    mapfile: str = path(
        "CHECKPOINT_DESTINATION_MAPFILE",
        "$(LOCAL_DIR)/checkpoint-destination-mapfile",
        "Which program clears which checkpoint destination.",
    )
    libexec: str = path("LIBEXEC", "$(RELEASE_DIR)/libexec", "Where helper programs are.")
    file_timeout: int = integer("CHECKPOINT_CLEANUP_TIMEOUT", None, "Seconds for clearing one file.", without=20)
    job_timeout: int = integer(
        "SCHEDD_CHECKPOINT_CLEANUP_TIMEOUT", None, "Time for clearing the checkpoints of one job.", without=300
    )
    extra: int = integer(
        "DEFAULT_NUM_EXTRA_CHECKPOINTS", None, "How many older checkpoints are kept.", at_least=0, without=1
    )
    most: int = integer(
        "MAX_CHECKPOINT_CLEANUP_PROCS",
        None,
        "Most programs that clear checkpoints at the same time.",
        at_least=1,
        without=100,
    )
    preen_timeout: int = integer(
        "PREEN_CHECKPOINT_CLEANUP_TIMEOUT", None, "Seconds for clearing the checkpoints of one job.", without=300
    )
    as_owner: bool = boolean(
        "RUN_CLEANUP_PLUGINS_AS_OWNER",
        True,
        "The programs that clear checkpoints run as the owner of the job, not as the pool's account.",
    )
    pool_ids: tuple[int, int] | None = None

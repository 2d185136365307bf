"""How checkpoints at destinations are cleared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """``mapfile`` is CHECKPOINT_DESTINATION_MAPFILE, ``libexec`` LIBEXEC; ``file_timeout`` and ``job_timeout`` are
    seconds for one file and for what one job left (``preen_timeout`` where condor_preen clears it). ``extra`` older
    checkpoints of a job are kept beside its last; ``most`` clean-ups run at a time. Unless ``as_owner``
    (RUN_CLEANUP_PLUGINS_AS_OWNER) the programs run as the pool's account, ``pool_ids`` of CONDOR_IDS or condor."""

    mapfile: str
    libexec: str
    file_timeout: int = 20
    job_timeout: int = 300
    extra: int = 1
    most: int = 100
    preen_timeout: int = 300
    as_owner: bool = True
    pool_ids: tuple[int, int] | None = None

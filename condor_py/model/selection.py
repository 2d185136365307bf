"""The jobs that a request is about."""

from __future__ import annotations

from condor_py.model.ids import JobId


class Selection:
    """Jobs by id and by constraint (the union of both).

    ``clusters`` are those of which an edit changes the cluster ad as well, for jobs that are yet to come. The
    constraint is tried on the jobs ``among``, on all when that is None.
    """

    __slots__ = ("among", "clusters", "constraint", "ids")

    def __init__(
        self,
        ids: tuple[JobId, ...] = (),
        constraint: str | None = None,
        clusters: tuple[int, ...] = (),
        among: tuple[JobId, ...] | None = None,
    ) -> None:
        self.ids = ids
        self.constraint = constraint
        self.clusters = clusters
        self.among = among

"""How many jobs the routes, and the router, still take in one look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.routes.table import Route

if TYPE_CHECKING:
    from condor_py.core.routes.core import Router

#: Jobs that one look routes at most: a look must not keep the queue's lock for long.
MOST_AT_ONCE = 500


class RouteCount(NamedTuple):
    """How many jobs are on a route now."""

    jobs: int
    running: int


class Room:
    """How many jobs each route, and the router, still take in this look."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._counts = {name: [*count] for name, count in router.counts().items()}
        for call in router.hooks.translating():
            self._counts.setdefault(call.route.lower(), [0, 0])[0] += 1
        self._taken = dict.fromkeys(router.table.routes, 0)
        most = router.settings.max_jobs
        self._left = MOST_AT_ONCE if most < 0 else min(MOST_AT_ONCE, most - len(router.pairs.sources))

    @property
    def is_open(self) -> bool:
        """Whether anything is taken at all."""
        return self._left > 0 and any(True for _ in self.open_routes())

    def open_routes(self) -> Iterator[Route]:
        """The routes that take a job, in order."""
        for name, route in self._router.table.routes.items():
            jobs, running = self._counts[name]
            throttled = self._router.throttles[name].is_full(self._taken[name])
            full = jobs >= route.max_jobs or (route.max_idle_jobs >= 0 and jobs - running >= route.max_idle_jobs)
            if not throttled and not full:
                yield route

    def take(self, route: Route) -> None:
        """A route has got a job."""
        name = route.name.lower()
        self._counts[name][0] += 1
        self._taken[name] += 1
        self._left -= 1

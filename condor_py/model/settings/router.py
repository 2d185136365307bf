"""The settings of the job router."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from condor_py.model.settings.knob import Settings, boolean, expression, integer, path, string
from condor_py.model.settings.shared import UPDATE_INTERVAL


def _no_macro(_name: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class RouterHooks:
    """The hooks of one keyword: paths of programs, "" for none. ``copied`` (<Keyword>_ATTRS_TO_COPY) are names of
    attributes that jobs take over from their copies."""

    keyword: str = ""
    translate: str = ""
    update: str = ""
    finalize: str = ""
    cleanup: str = ""
    copied: tuple[str, ...] = ()


class RouterSettings(Settings, group="Job router"):
    """Field names are the knobs' names without JOB_ROUTER_; times in seconds; -1 is no limit.

    ``routes`` and ``transforms`` are (name, text), unexpanded unless the text is a ClassAd. ``order`` are the
    names of the routes that are used, in order; None when only ``old`` routes are there (JOB_ROUTER_ENTRIES and its
    relatives, as texts of ClassAds, with ``old_defaults``), which are used as they come. ``macro`` gives the unexpanded
    text of a knob that rules refer to. ``owner`` is the only one whose jobs are routed; empty for all users.
    ``hooks`` are those of every keyword, ``hook_keyword`` counts for jobs that name none.
    ``notes`` tell what is not as it should be, ``enabled`` is false where nothing may be routed because of that.
    """

    name: str = "jobrouter"
    lock: str = path(
        "JOB_ROUTER_LOCK", "$(LOCK)/$(JOB_ROUTER_NAME)Lock", "Lock file that keeps a second router of the name away."
    )
    polling_period: int = integer(
        "JOB_ROUTER_POLLING_PERIOD", 10, "Seconds between two readings of the queue.", least=1
    )
    entries_refresh: int = integer(
        "JOB_ROUTER_ENTRIES_REFRESH",
        0,
        "Seconds between two readings of the configuration for new routes; 0 for none.",
        least=0,
    )
    constraint: str = expression(
        "JOB_ROUTER_SOURCE_JOB_CONSTRAINT",
        "",
        "Which idle jobs are routed, besides the REQUIREMENTS of routes.",
        checked=True,
    )
    max_jobs: int = integer(
        "JOB_ROUTER_MAX_JOBS", -1, "Most jobs that are routed at a time; -1 without limit.", least=-1
    )
    default_max_jobs: int = integer(
        "JOB_ROUTER_DEFAULT_MAX_JOBS_PER_ROUTE", 100, "Most jobs of a route that has no MaxJobs.", least=0
    )
    default_max_idle_jobs: int = integer(
        "JOB_ROUTER_DEFAULT_MAX_IDLE_JOBS_PER_ROUTE",
        50,
        "Most idle copies of a route that has no MaxIdleJobs; -1 without limit.",
        least=-1,
    )
    release_on_hold: bool = boolean(
        "JOB_ROUTER_RELEASE_ON_HOLD",
        True,
        "Whether a job that was held with its copy is released when it is taken back.",
    )
    round_robin: bool = boolean(
        "JOB_ROUTER_ROUND_ROBIN_SELECTION", False, "Take the routes that fit in turn instead of the first."
    )
    order: tuple[str, ...] | None = ()
    routes: tuple[tuple[str, str], ...] = ()
    transforms: tuple[tuple[str, str], ...] = ()
    pre_route: tuple[str, ...] = ()
    post_route: tuple[str, ...] = ()
    old: tuple[tuple[str, str], ...] = ()
    old_defaults: str = string(
        "JOB_ROUTER_DEFAULTS", "", "Attributes of routes in that syntax that do not say otherwise."
    )
    macro: Callable[[str], str | None] = _no_macro
    owner: str = ""
    update_interval: int = UPDATE_INTERVAL
    chirp_prefixes: tuple[str, ...] = ("chirp*",)
    hooks: tuple[RouterHooks, ...] = ()
    hook_keyword: str = string(
        "JOB_ROUTER_HOOK_KEYWORD", "", "Keyword of the job router's hooks, for jobs that have no HookKeyword."
    )
    hook_timeout: int = integer(
        "JOB_ROUTER_HOOK_TIMEOUT", 300, "Seconds that a hook of the job router may take.", least=1
    )
    notes: tuple[str, ...] = ()
    enabled: bool = True

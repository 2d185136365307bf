"""What the job router takes from the configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """Field names are the knobs' names without JOB_ROUTER_; times in seconds; -1 is no limit.

    ``routes`` and ``transforms`` are (name, text), unexpanded unless the text is a ClassAd. ``order`` are the
    names of the routes that are used, in order; None when only ``old`` routes are there (JOB_ROUTER_ENTRIES and its
    relatives, as texts of ClassAds, with ``old_defaults``), which are used as they come. ``macro`` gives the unexpanded
    text of a knob that rules refer to. ``owner`` is the only one whose jobs are routed; empty for everybody's.
    ``hooks`` are those of every keyword, ``hook_keyword`` counts for jobs that name none.
    ``notes`` tell what is not as it should be, ``enabled`` is false where nothing may be routed because of that.
    """

    name: str = "jobrouter"
    lock: str = ""
    polling_period: int = 10
    entries_refresh: int = 0
    constraint: str = ""
    max_jobs: int = -1
    default_max_jobs: int = 100
    default_max_idle_jobs: int = 50
    release_on_hold: bool = True
    round_robin: bool = False
    order: tuple[str, ...] | None = ()
    routes: tuple[tuple[str, str], ...] = ()
    transforms: tuple[tuple[str, str], ...] = ()
    pre_route: tuple[str, ...] = ()
    post_route: tuple[str, ...] = ()
    old: tuple[tuple[str, str], ...] = ()
    old_defaults: str = ""
    macro: Callable[[str], str | None] = _no_macro
    owner: str = ""
    update_interval: int = 60
    chirp_prefixes: tuple[str, ...] = ("chirp*",)
    hooks: tuple[RouterHooks, ...] = ()
    hook_keyword: str = ""
    hook_timeout: int = 300
    notes: tuple[str, ...] = ()
    enabled: bool = True

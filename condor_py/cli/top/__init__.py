"""condor_top: who uses what of the machine, live; or how busy a daemon is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, UsageError, parse
from condor_py.cli.top.spec import OF_DAEMONS, SPEC

if TYPE_CHECKING:
    from condor_py.cli.top.look import Looker
    from condor_py.cli.top.state import State

SPECS = (SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_top."""
    args = parse(SPEC, _split(argv))
    if handle_help_and_version(args):
        return 0
    if args.positional or any(args.has(name) for name in OF_DAEMONS):
        from condor_py.cli.top.daemons import statistics

        return statistics(args)
    state = _wish(args)
    from condor_py.cli.top.look import Looker
    from condor_py.client.pool import open_pool

    pool = open_pool()
    looker = Looker(pool)
    if args.has("once") or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _once(looker, state)
    from condor_py.cli.top.screen import CannotDraw, run

    try:
        return run(pool, looker, state)
    except CannotDraw:
        return _once(looker, state, fits=True)


def _split(argv: list[str]) -> list[str]:
    """``--attrs=A,B`` as two words: HTCondor's tool takes its options so, too."""
    words: list[str] = []
    for word in argv:
        name, equals, value = word.partition("=")
        words += [name, value] if equals and name.startswith("--") else [word]
    return words


def _wish(args: Args) -> State:
    """Return the state that the command line chooses. UsageError."""
    from condor_py.cli.top.columns import JOBS
    from condor_py.cli.top.state import JOBS_PANEL, State

    state = State(filter=args.text("filter") or "", mine=args.has("mine"))
    delay = args.last("delay")
    if delay is not None:
        seconds = float(delay.values[0])
        if not 0.1 <= seconds <= 86400:
            raise UsageError("condor_top: -delay is a number of seconds from 0.1 to 86400", SPEC)
        state = state._replace(delay=seconds)
    wanted = args.text("sort")
    if wanted is not None:
        titles = [column.title for column in JOBS]
        if wanted.upper() not in titles:
            raise UsageError(f"condor_top: cannot sort by {wanted}; columns are {', '.join(titles)}", SPEC)
        sorts = list(state.sorts)
        sorts[JOBS_PANEL] = (titles.index(wanted.upper()), False)
        state = state._replace(sorts=tuple(sorts))
    return state


def _once(looker: Looker, state: State, *, fits: bool = False) -> int:
    """One picture without colour; ``fits`` leaves out what does not fit the terminal."""
    from shutil import get_terminal_size

    from condor_py.cli.top.picture import plain, whole

    seen = looker.snapshot()
    columns, lines = get_terminal_size()
    shown = whole(state, seen, columns)
    sys.stdout.write(plain(shown[: max(1, lines - 1)] if fits else shown))
    return 1 if seen.failed else 0

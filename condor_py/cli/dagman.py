"""condor_dagman: its command line; the program is in ``daemons.dagman``."""

from __future__ import annotations

import contextlib
import io
import os
import sys

from condor_py.cli.common import HELP, VERSION
from condor_py.cli.options import Opt, ToolSpec
from condor_py.cli.suggest import hint
from condor_py.lang.dag.options import FLAGS, SWITCHES


def _options() -> tuple[Opt, ...]:
    shown = []
    for flag in FLAGS:
        arg = None if flag.option in SWITCHES else flag.value.strip("<>").replace(" ", "-")
        shown.append(Opt(flag.name[1:], 1, arg, flag.help, dash_value=True, hidden="D" not in flag.shown))
    return (*shown, HELP, VERSION)


_SPEC = ToolSpec(
    name="condor_dagman",
    usage="[options] -Dag dag-file [-Dag dag-file ...]",
    summary="Run a DAG: submit its nodes when their parents are done, run their scripts, keep account of it all.",
    description="condor_submit_dag submits it as a job; it is not run by hand. It writes its log (.dagman.out) where "
    "_CONDOR_DAGMAN_LOG says, follows the event log of all nodes (.nodes.log), and continues from there after it was "
    "killed or held. A file .halt next to the .dag file halts the DAG; condor_rm of its job removes its nodes and "
    "leaves a rescue file.",
    options=_options(),
    exit_status="0 when the DAG succeeded, 1 when it failed, 2 when it was removed, 3 when it must be started "
    "again; what ABORT-DAG-ON says when that ended it.",
    examples=(
        ("condor_submit_dag diamond.dag", "let condor_dagman run as a job"),
        ("touch diamond.dag.halt", "start no more nodes"),
        ("rm diamond.dag.halt; htcondor dag resume 12", "continue with the DAG whose job is 12"),
    ),
    see_also=("condor_submit_dag", "condor_dag_checker", "condor_q"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_dagman."""
    if any(word in ("-help", "-h", "--help") for word in argv):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    if any(word.lower() in ("-version", "-v") for word in argv):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    for at, word in enumerate(argv[:-1]):
        if word.lower() == "-dag" and not os.path.exists(argv[at + 1]):
            hint(f"condor_dagman: there is no DAG file {argv[at + 1]}")
    from condor_py.daemons.dagman import dagman

    try:
        return dagman(argv, _submit_dag)
    finally:
        _give_up_output()


def _submit_dag(words: list[str]) -> int:
    """Run condor_submit_dag, which only DAGs within DAGs need."""
    from condor_py.cli.submit_dag import main as submit_dag
    from condor_py.daemons.dagman import put

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = submit_dag(words)
    put(1, out.getvalue())
    put(2, err.getvalue())
    return code


def _give_up_output() -> None:
    """Discard what standard output has no room for: the exit code decides whether the DAG is started again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

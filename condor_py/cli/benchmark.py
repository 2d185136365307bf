"""condor_mips and condor_kflops: the benchmarks that the startd runs (BENCHMARKS_JOBLIST)."""

from __future__ import annotations

import sys
from collections.abc import Callable

from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.model.errors import CondorError


def _spec(name: str, summary: str, what: str) -> ToolSpec:
    return ToolSpec(
        name=name,
        usage="[-help]",
        summary=summary,
        description=(
            f"Works on one core for a second and prints {what} as an attribute. The startd runs it while a slot "
            "is in the state Unclaimed and the activity Benchmarking, as RUNBENCHMARKS says."
        ),
        options=(Opt("help", 1, help="this text"),),
        examples=((name, f"print {what}"),),
        unknown="{tool}: unknown argument {arg}",
        see_also=("condor_status",),
    )


_MIPS = _spec("condor_mips", "Measure the speed of a core with integers.", "Mips")
_KFLOPS = _spec("condor_kflops", "Measure the speed of a core with floating point numbers.", "KFlops")
SPECS = (_MIPS, _KFLOPS)


def mips(argv: list[str]) -> int:
    """Run condor_mips."""
    from condor_py.machine.probes import benchmark

    return _run(_MIPS, argv, "Mips", benchmark.mips)


def kflops(argv: list[str]) -> int:
    """Run condor_kflops."""
    from condor_py.machine.probes import benchmark

    return _run(_KFLOPS, argv, "KFlops", benchmark.kflops)


def _run(spec: ToolSpec, argv: list[str], attribute: str, measure: Callable[[], int]) -> int:
    from condor_py.machine.probes.benchmark import NotBuilt

    args = parse(spec, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(spec))
        return 0
    try:
        result = measure()
    except NotBuilt as error:
        raise CondorError(f"{spec.name}: {error}") from None
    sys.stdout.write(f"{attribute} = {result}\n--\n")
    return 0

"""How fast the ClassAd language is here and in the reference. Run: python tests/bench/bench_classad.py"""

from __future__ import annotations

import os
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

REQUIREMENTS = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (TARGET.Disk >= RequestDisk)'
    " && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus) && (TARGET.HasFileTransfer)"
)
JOB = (
    f"[ Requirements = {REQUIREMENTS}; RequestDisk = 1000; RequestCpus = 1; ImageSize = 100;"
    " RequestMemory = ifThenElse(MemoryUsage =!= undefined, MemoryUsage, (ImageSize + 1023) / 1024);"
    " Rank = TARGET.Memory * 2 + TARGET.Cpus ]"
)
SLOT = (
    '[ Requirements = START && TARGET.Owner =!= "x"; START = true; Arch = "X86_64"; OpSys = "LINUX"; Disk = 100000;'
    " Memory = 8000; Cpus = 8; HasFileTransfer = true ]"
)


def microseconds(action: Callable[[], Any], number: int = 2000) -> float:
    """The best of five runs, per call."""
    action()
    return min(timeit.repeat(action, number=number, repeat=5)) / number * 1e6


def actions(module: Any) -> dict[str, Callable[[], Any]]:
    job, slot = module.ClassAd(JOB), module.ClassAd(SLOT)
    requirements = module.ExprTree(REQUIREMENTS)
    arithmetic = module.ExprTree('1 + 2 * 3 - 4 / 2 > 1 && "abc" == "ABC"')
    call = module.ExprTree('strcat("a", string(5), toupper("x"))')
    text = job.printOld()
    return {
        "symmetric match": lambda: job.symmetricMatch(slot),
        "requirements": lambda: requirements.eval(job, slot),
        "arithmetic": arithmetic.eval,
        "functions": call.eval,
        "evaluate attribute": lambda: job.eval("RequestMemory"),
        "look up": lambda: job["RequestDisk"],
        "parse new": lambda: module.ClassAd(JOB),
        "parse old": lambda: module.parseOne(text, module.ParserType.Old),
        "print old": job.printOld,
        "print json": job.printJson,
    }


def main() -> None:
    """Prints microseconds a call, and the ratio to the reference where that is installed."""
    from condor_py import classad

    os.environ.setdefault("CONDOR_CONFIG", "/dev/null")
    ours = {name: microseconds(action) for name, action in actions(classad).items()}
    theirs: dict[str, float] = {}
    try:
        import classad2
        import htcondor2  # noqa: F401 - registers the same functions
    except ImportError:
        print("classad2 is not installed: no ratios")
    else:
        theirs = {name: microseconds(action) for name, action in actions(classad2).items()}
    print(f"{'':20}{'ours us':>10}{'classad2':>10}{'ratio':>8}")
    for name, cost in ours.items():
        other = theirs.get(name)
        print(f"{name:20}{cost:10.2f}" + (f"{other:10.2f}{cost / other:8.2f}" if other else ""))
    job, slot = classad.ClassAd(JOB), classad.ClassAd(SLOT)
    print("\ninternal interface, us")
    for name, action in {
        "symmetric_match": lambda: classad.symmetric_match(job, slot),
        "rank": lambda: classad.rank(job, slot),
        "eval_int literal": lambda: job.eval_int("RequestDisk"),
        "eval_int expression": lambda: job.eval_int("RequestMemory"),
        "set_text": lambda: job.set_text("Foo", "12"),
        "text": lambda: job.text("Requirements"),
    }.items():
        print(f"{name:20}{microseconds(action):10.2f}")


if __name__ == "__main__":
    main()

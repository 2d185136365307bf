"""Speed of the priority kernel: ``python tests/bench/bench_priority.py [submitters]``.

Prints times of one call over a million submitters, as ratios to a memory copy of the same arrays (in turns, medians)
and to the pure-Python twin. Exits 1 when decay costs more than 3 copies or is less than 50 times as fast as the twin.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from array import array
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from condor_py.core.accounts import kernel, kernel_py

Arrays = dict[str, Any]
ROUNDS = 15


def make_arrays(count: int) -> Arrays:
    """Plausible records: a tenth in use, some with a correction pending."""
    rng = random.Random(7)
    arrays: Arrays = {name: array("d", bytes(8 * count)) for name in ("eup", "share", "limit", "zero")}
    arrays["priority"] = array("d", (0.5 + rng.random() * 1000 for _ in range(count)))
    arrays["factor"] = array("d", (rng.choice((1000.0, 2500.0, 1e10)) for _ in range(count)))
    arrays["use"] = array("d", (rng.randrange(64) * (rng.random() < 0.1) for _ in range(count)))
    arrays["uncharged"] = array("d", (-rng.random() * 100 if u else 0.0 for u in arrays["use"]))
    arrays["accumulated"] = array("d", (rng.random() * 1e8 for _ in range(count)))
    arrays["held"] = array("q", (int(u) for u in arrays["use"]))
    arrays["held_uncharged"] = array("q", bytes(8 * count))
    arrays["held_accumulated"] = array("d", (rng.random() * 1e8 for _ in range(count)))
    arrays["changed"] = array("B", bytes(count))
    arrays["order"] = array("q", bytes(8 * count))
    return arrays


DECAY = (
    "priority", "use", "uncharged", "accumulated", "held", "held_uncharged", "held_accumulated", "changed",
)  # fmt: skip


def calls(module: ModuleType | Any, a: Arrays) -> dict[str, tuple[tuple[str, ...], Callable[[], object]]]:
    """Each operation with the arrays that it touches."""
    return {
        "decay": (DECAY, lambda: module.decay(0.9995, 60.0, *(a[name] for name in DECAY))),
        "effective": (
            ("priority", "factor", "eup"),
            lambda: module.effective(a["priority"], a["factor"], a["eup"]),
        ),
        "shares": (("eup", "share"), lambda: module.shares(a["eup"], a["share"])),
        "limits": (("share", "use", "limit"), lambda: module.limits(a["share"], a["use"], 1e6, a["limit"])),
        "order": (("eup", "zero", "order"), lambda: module.order(a["eup"], a["zero"], a["order"])),
    }


def seconds(action: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def copier(a: Arrays, names: tuple[str, ...]) -> Callable[[], None]:
    """Copies the named arrays once into memory that is already there."""
    pairs = [(memoryview(a[name]), memoryview(array(a[name].typecode, a[name]))) for name in names]

    def copy() -> None:
        for source, target in pairs:
            target[:] = source

    return copy


def in_turns(action: Callable[[], object], copy: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Median seconds of the action and of the copy, one after the other ``rounds`` times: what else the machine does
    meets both. The first call of each is not counted."""
    seconds(copy), seconds(action)
    pairs = [(seconds(copy), seconds(action)) for _ in range(rounds)]
    return statistics.median(took for _, took in pairs), statistics.median(took for took, _ in pairs)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if not kernel.COMPILED:
        print("the C kernel is not built: python setup.py build_ext --inplace")
        return 1
    _kernel = import_module("condor_py.core.accounts._kernel")

    arrays = make_arrays(count)
    compiled, pure = calls(_kernel, arrays), calls(kernel_py, arrays)
    print(f"{count} submitters     C ms   copy ms   twin ms   C/copy   twin/C")
    good = True
    for name, (touched, action) in compiled.items():
        fast, copied = in_turns(action, copier(arrays, touched), ROUNDS)
        slow = seconds(pure[name][1])
        print(
            f"{name:20s} {fast * 1e3:9.2f} {copied * 1e3:9.2f} {slow * 1e3:9.1f} "
            f"{fast / copied:8.2f} {slow / fast:8.0f}"
        )
        if name == "decay":
            good = fast <= 3 * copied and slow >= 50 * fast
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Lines in the order of names without case."""

from __future__ import annotations

import random

from condor_py.lang.classad.inorder import lines


def test_lines_are_in_the_order_of_names_without_case_whatever_came_before() -> None:
    names = ["Iwd", "owner", "Cmd", "ProcId", "procs", "A", "zz", "B_1", "b"]
    choose = random.Random(1)
    for size in range(len(names) + 1):
        for _ in range(5):
            pairs = [(name, f"{choose.random()}") for name in choose.sample(names, size)]
            plain = "".join(f"{name} = {text}\n" for name, text in sorted(pairs, key=lambda pair: pair[0].lower()))
            assert lines(pairs) == lines(tuple(pairs)) == plain

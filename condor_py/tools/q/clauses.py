"""How condor_q shows the steps of a Requirements expression and what each of them lets through (cli.md 2.6)."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree
from condor_py.classad.steps import condition_counts, condition_steps


def numbered(requirements: ExprTree) -> str:
    """One line a step: ``    [0]    : TARGET.Arch == "X86_64"``."""
    return "".join(f"    {f'[{step.number}]':<6} : {step.text}\n" for step in condition_steps(requirements))


def reduced(ad: ClassAd, requirements: ExprTree, targets: Sequence[ClassAd], counted: str = "Slots") -> str:
    """The table of the steps that decide, with the number of targets (of what is ``counted``) that pass each."""
    lines = [f"{counted:>13}", "Step   Matched  Condition", "----- --------- ---------"]
    for step in condition_counts(ad, requirements, targets):
        shown = str(step.matched) if step.constant is None else ("always" if step.constant else "never")
        lines.append(f"{f'[{step.number}]':<5} {shown:>9}  {step.text}")
    return "\n".join(lines) + "\n"

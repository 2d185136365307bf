"""How condor_q shows the steps of a Requirements expression and what each of them lets through."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree
from condor_py.classad.steps import condition_counts, condition_steps, step_counts


def numbered(requirements: ExprTree) -> str:
    """One line a step: ``    [0]    : TARGET.Arch == "X86_64"``."""
    return "".join(f"    {f'[{step.number}]':<6} : {step.text}\n" for step in condition_steps(requirements))


def reduced(
    ad: ClassAd,
    requirements: ExprTree,
    targets: Sequence[ClassAd],
    counted: str = "Slots",
    *,
    everything: bool = False,
) -> str:
    """The table of the steps that decide, with the number of targets (of what is ``counted``) that pass each.

    With ``everything`` all steps are in it, and those that decide are marked.
    """
    if everything:
        return _all_steps(ad, requirements, targets, counted)
    lines = [f"{counted:>13}", "Step   Matched  Condition", "----- --------- ---------"]
    for step in condition_counts(ad, requirements, targets):
        shown = str(step.matched) if step.constant is None else ("always" if step.constant else "never")
        lines.append(f"{f'[{step.number}]':<5} {shown:>9}  {step.text}")
    return "\n".join(lines) + "\n"


def _all_steps(ad: ClassAd, requirements: ExprTree, targets: Sequence[ClassAd], counted: str) -> str:
    decide = {step.number for step in condition_counts(ad, requirements, targets)}
    lines = [f"{counted:>16}", "   Step   Matched  Condition", "   ----- --------- ---------"]
    for step in step_counts(ad, requirements, targets):
        mark = "*" if step.number in decide else " "
        shown = str(step.matched) if step.constant is None else ("always" if step.constant else "never")
        lines.append(f" {mark} {f'[{step.number}]':<5} {shown:>9}  {step.text}")
    return "\n".join(lines) + "\n"

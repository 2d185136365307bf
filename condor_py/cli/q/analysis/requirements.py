"""The sections about a Requirements expression: the text, its steps, the attributes it uses, what each step does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from condor_py.cli.output.values import value_text
from condor_py.cli.q.analysis.look import Look
from condor_py.cli.q.analysis.pretty import wrapped
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.nodes import Attr, ListNode
from condor_py.lang.classad.references import NameSet
from condor_py.lang.classad.stepcounts import Target, count_steps, decides
from condor_py.lang.classad.steps import Step, own_names, steps_of, target_names
from condor_py.lang.classad.unparse import unparse

_REQUIREMENTS = parse("Requirements")
_OWN_UNITS = {"RequestDisk": " (kb)", "RequestMemory": " (mb)"}
_TARGET_UNITS = {"Disk": " (kb)", "Memory": " (mb)"}


def expression(ad: ClassAd, name: str) -> str | None:
    """The expression of an attribute as the analysis writes it; None without one."""
    binding = ad.find(name.lower())
    return None if binding is None else unparse(binding.node, old=False)


def _steps(ad: ClassAd, inline: frozenset[str], look: Look) -> list[Step]:
    """The steps of the Requirements of an ad."""
    binding = ad.find("requirements")
    if binding is None:
        return []
    shared = binding.raw is not None and binding.raw.lstrip()[:1] not in ("[", "{")
    return steps_of(ad, ExprTree.of(binding.node), inline, branches=look.branches, shared=shared)


def numbered(ad: ClassAd, inline: frozenset[str], look: Look) -> str:
    """One line a step of Requirements: ``    [0]    : TARGET.Arch == "X86_64"``."""
    steps = _steps(ad, inline, look)
    return "".join(f"    {_step(number, 6)} : {step.numbered()}\n" for number, step in enumerate(steps))


def _step(number: int, width: int) -> str:
    return f"[{number}]".ljust(width)[:width]


def used_names(ad: ClassAd) -> tuple[NameSet, NameSet]:
    """The attributes that Requirements use: those of the ad itself, and those of its target."""
    own, asked = own_names(ad, _REQUIREMENTS), target_names(ad, _REQUIREMENTS)
    if "AvailableGPUs" in asked:
        asked.add("GPUs")
    return own, asked


def own_attributes(ad: ClassAd, names: Iterable[str], hidden: Iterable[str], *, evaluated: bool = False) -> str:
    """Lines of the attributes that Requirements take from their own ad, as they are written or ``evaluated``."""
    unwanted = {name.lower() for name in hidden}
    lines = []
    for name in names:
        if name.lower() not in unwanted:
            value = value_text(ad.raw(name), quoted=True) if evaluated else ad.text(name)
            lines.append(f"    {name} = {value}{_OWN_UNITS.get(name, '')}\n")
    return "".join(lines)


def target_attributes(target: ClassAd, names: Iterable[str], other: ClassAd, *, drained: bool = False) -> str:
    """The values that an expression of ``other`` takes from ``target``, with a heading; "" where it takes none."""
    lines = []
    for name in names:
        binding = target.find(name.lower())
        if binding is None:
            continue
        lines.append(f"    TARGET.{name} = {_value(target, name, other)}{_TARGET_UNITS.get(name, '')}\n")
        node = binding.node
        for item in node.items if isinstance(node, ListNode) else ():
            if isinstance(item, Attr) and item.scope is None and target.has(item.name):
                lines.append(f"       {item.name} = {_value(target, item.name, other)}\n")
    how = " when drained" if drained else ""
    return f"\n{_title(target)} has the following attributes{how}:\n\n" + "".join(lines) if lines else ""


def _value(target: ClassAd, name: str, other: ClassAd) -> str:
    """Return the value that HTCondor shows for ``target``: that of ``other`` where both have the attribute."""
    return value_text(other.raw(name, target) if other.has(name) else target.raw(name, other), quoted=True)


def _title(ad: ClassAd) -> str:
    name, cluster = ad.eval_str("Name"), ad.eval_int("ClusterId")
    if name is not None:
        return name
    return "Target" if cluster is None else f"Job {cluster}.{ad.eval_int('ProcId', 0)}"


# ---- the table ----------------------------------------------------------------------------------------------


def table(ad: ClassAd, inline: frozenset[str], targets: Sequence[Target], counted: str, look: Look, width: int) -> str:
    """The steps that decide (or all), with the number of targets (of what is ``counted``) that pass each.

    Where some of the targets are only supposed there is a column for them. ``width`` is that of the terminal.
    """
    steps = _steps(ad, inline, look)
    count_steps(ad, steps, targets)
    supposed = any(target.supposed for target in targets)
    margin = "   " if look.everything else ""
    lines = _heading(counted, supposed, margin, tall=look.tall)
    for number, step in enumerate(steps):
        if decides(step) or look.everything:
            mark = (" * " if decides(step) else "   ") if look.everything else ""
            lines.append(mark + _row(number, step, supposed, look, width))
    return "".join(line + "\n" for line in lines)


def _heading(counted: str, supposed: bool, margin: str, *, tall: bool) -> list[str]:
    high = "  Slots      If    " if supposed else f"{counted:>5}s"
    names, bar = (" Matched   Drained ", "--------- ---------") if supposed else (" Matched ", "---------")
    lines = [f"{margin}       {high}"] if tall else []
    return [*lines, f"{margin}Step  {names} Condition", f"{margin}----- {bar} ---------"]


def _row(number: int, step: Step, supposed: bool, look: Look, width: int) -> str:
    if step.constant is not None:
        words = ("not now", "now") if step.variable else ("never", "always")
        return f"{_step(number, 5)} {words[step.constant]:>9}  {step.shown()}"
    counts = f"{step.counts[0]:9d} {step.counts[1]:9d}" if supposed else f"{step.count:9d}"
    line = f"{_step(number, 5)} {counts}  {step.shown()}"
    far, always = look.conditions
    if step.op and (always or (far and (step.left, step.right) != (number - 2, number - 1))):
        line += " ( "
        line += wrapped(step.text, len(line), width) + " )"
    return line

"""condor_status -group-by: which of the ads say the same of some attributes."""

from __future__ import annotations

from condor_py.lang.classad import quote_string
from condor_py.lang.classad.ad import ClassAd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def words(texts: Iterable[str]) -> list[str]:
    """The names in lists that commas or blanks separate."""
    return [word for text in texts for word in text.replace(",", " ").split()]


def grouped(found: Iterable[ClassAd], names: Sequence[str]) -> str:
    """For each group an ad with what its members say of ``names``, how many they are, and their own names. Expressions
    are compared as they are written."""
    groups: dict[tuple[str | None, ...], list[str]] = {}
    for ad in found:
        member = ad.eval_str("Name") or ad.eval_str("Machine") or "?"
        groups.setdefault(tuple([ad.text(name) for name in names]), []).append(member)
    return "".join(_ad(number, names, *group) + "\n" for number, group in enumerate(groups.items(), 1))


def _ad(number: int, names: Sequence[str], values: tuple[str | None, ...], members: list[str]) -> str:
    own = {"Id": str(number), "Count": str(len(members)), "Members": quote_string(" ".join(members))}
    shown = {name: text for name, text in zip(names, values, strict=True) if text is not None}
    lines = sorted((own | shown).items(), key=lambda item: item[0].lower())
    return "".join(f"{name} = {text}\n" for name, text in lines)

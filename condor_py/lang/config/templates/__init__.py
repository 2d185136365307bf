"""The templates of ``use CATEGORY : NAME``. Each sets the same knobs to the same values as HTCondor's of that name.

The text is configuration; ``$(1)``, ``$(2?)``, ``$(3+)``, ``$(0#)`` are the arguments in parentheses
(``macro.templates``). Left out are HTCondor's templates for pools of several machines: FEATURE HPC_ANNEX, and the
categories EXPERIMENTAL (failover) and UPGRADE.
"""

from __future__ import annotations

from condor_py.lang.config.templates.feature import FEATURE
from condor_py.lang.config.templates.policy import POLICY, ROLE, SECURITY

#: Category (lower case) -> its name and its templates by the usual spelling of their names.
TEMPLATES: dict[str, tuple[str, dict[str, str]]] = {
    "role": ("ROLE", ROLE),
    "policy": ("POLICY", POLICY),
    "feature": ("FEATURE", FEATURE),
    "security": ("SECURITY", SECURITY),
}

_BY_LOWER_NAME = {key: {name.lower(): text for name, text in one[1].items()} for key, one in TEMPLATES.items()}
#: Names of templates are similar when they share this part of their letters.
_ALIKE = 0.6


def template(category: str, name: str) -> str | None:
    """The text of ``use CATEGORY : NAME`` (any case), None without one; "" for a category and no name."""
    found = TEMPLATES.get(category.strip().lower())
    if found is None:
        return None
    if not name:
        return ""
    text = _BY_LOWER_NAME[category.strip().lower()].get(name.strip().lower())
    return None if text is None else text.strip("\n")


def spelled(label: str) -> str:
    """``CATEGORY:NAME`` as the names of that template are usually spelled; ``label`` itself when there is none."""
    category, _, name = label.partition(":")
    found = TEMPLATES.get(category.strip().lower())
    if found is None:
        return label
    return f"{found[0]}:{next((one for one in found[1] if one.lower() == name.strip().lower()), name)}"


def similar(category: str, name: str) -> str:
    """The template of ``category`` that is spelled most like ``name`` (the category, without a name); "" for none."""
    from condor_py.model.spelling import nearest

    found = TEMPLATES.get(category.strip().lower())
    if not name:
        return nearest(category.strip(), (one[0] for one in TEMPLATES.values()), _ALIKE)
    return nearest(name.strip(), found[1] if found else (), _ALIKE)

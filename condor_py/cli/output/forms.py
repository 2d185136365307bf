"""The forms of whole ads, and the words that choose one."""

from __future__ import annotations

LONG, XML, JSON, JSONL, NEW, NEWL, TOML = "long", "xml", "json", "jsonl", "new", "newl", "toml"
FORMS = (LONG, XML, JSON, JSONL, NEW, NEWL, TOML)


def form_of(colon: str | None) -> tuple[str, bool]:
    """The form and whether attributes are sorted, from the text after ``-long:`` (``xml``, ``nosort``...).

    Unknown words are ignored, as HTCondor ignores them.
    """
    form, ordered = LONG, True
    for word in (colon or "").lower().split(","):
        if word == "nosort":
            ordered = False
        elif word in FORMS:
            form = word
    return form, ordered

"""Points a person to the lines of a submit description that an error is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMAND = re.compile(r"\s*([\w.+]+)\s*=\s*(.*?)\s*\Z")

#: Commands that HTCondor's words about their errors do not name: letters of the command -> part of the words.
_ALSO = {
    "x509userproxy": "proxy file", "usex509userproxy": "proxy file", "useoauthservices": "credential requests",
}  # fmt: skip


def blamed_lines(text: str, report: str) -> Iterator[str]:
    """The lines of a submit file that an error report is about, as far as it numbers or names them."""
    lines = text.split("\n")
    found = re.search(r"on Line (\d+) of ", report)
    if found is not None:
        if int(found[1]) <= len(lines):
            yield f"Line {found[1]}: {lines[int(found[1]) - 1].strip()}"
        return
    said = re.sub(r"[^a-z0-9]", "", report.lower())
    for number, line in enumerate(lines, 1):
        match = _COMMAND.match(line)
        if match is None:
            continue
        name = re.sub(r"[^a-z0-9]", "", match[1].lower())
        also = _ALSO.get(name)
        is_named = len(name) > 2 and name in said
        if is_named or (also and also in report) or (len(match[2]) > 1 and match[2] in report) or not name:
            yield f"Line {number}: {line.strip()}"

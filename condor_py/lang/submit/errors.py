"""The errors of a submit, with exactly the lines that condor_submit writes to stderr."""

from __future__ import annotations

from condor_py.model.errors import CondorError


class SubmitError(CondorError):
    """A submit that cannot be done. ``report`` is the complete text for stderr; ``str()`` its first telling line."""

    def __init__(self, report: str) -> None:
        self.report = report
        lines = [line.strip().removeprefix("ERROR:").strip() for line in report.splitlines()]
        super().__init__(next((line for line in lines if line), "submit failed"))


class ParseFailure(SubmitError):
    """The submit file cannot be read beyond ``line``; ``detail`` may be empty (a line without a meaning)."""

    def __init__(self, name: str, line: int, detail: str, *, closing: str = "") -> None:
        self.name = name
        self.line = line
        self.detail = detail
        end = closing or f"Failed to parse command file (line {line})."
        super().__init__(f"\nERROR: on Line {line} of {name}: {detail}\n\nERROR: {end}\n")


_END = "\n"


class Messages:
    """Errors and warnings of one submit in the order they arose, as HTCondor's error stack keeps them."""

    def __init__(self) -> None:
        self.items: list[tuple[bool, str]] = []

    def warn(self, text: str) -> None:
        """Remember a warning; ``text`` without the word WARNING."""
        self.items.append((False, text))

    def fail(self, text: str) -> JobFailure:
        """The exception to raise for an error in a job; carries every warning so far."""
        self.items.append((True, text))
        return JobFailure(self.drain())

    def warnings(self) -> str:
        """The text that shows the warnings in the order they arose, and forgets everything."""
        shown = [_shown("WARNING", text) for _, text in self.items]
        self.items.clear()
        return "".join(shown)

    def drain(self) -> str:
        """The text that shows the messages, newest first, and forgets them."""
        shown = []
        for is_error, text in reversed(self.items):
            word = "ERROR" if is_error else "WARNING"
            shown.append(_shown(word, text))
        self.items.clear()
        return "".join(shown)


class JobFailure(SubmitError):
    """A job of the submit file cannot be made."""


def _shown(word: str, text: str) -> str:
    """A message with its word; an empty line that it begins with comes first."""
    before, text = ("\n", text[1:]) if text.startswith("\n") else ("", text)
    return f"{before}{word}: {text if text.endswith(_END) else text + _END}"

"""The commands that may end in a description of several lines."""

from __future__ import annotations

from condor_py.lang.dag.commands import Node, Place, SubmitDescription
from condor_py.lang.dag.keywords import RESERVED, Command, normal
from condor_py.lang.dag.statements import Statements, closing
from condor_py.lang.dag.words import Bad, Words

_ILLEGAL = "+"
#: The submit description of a node whose description stands in the .dag file itself.
INLINE = "INLINE"


def parse_node(command: Command, place: Place, words: Words, lines: Statements, any_characters: bool) -> Node:
    """JOB, FINAL, PROVISIONER, SERVICE, or SUBDAG behind its EXTERNAL. Raises Bad."""
    name = words.next()
    if not name:
        raise Bad("Missing node name")
    if name.upper() in RESERVED:
        raise Bad("Node name is a reserved word")
    if not any_characters and _ILLEGAL in name:
        raise Bad("Node name contains illegal charater")
    submit = words.next(trim=True)
    if not submit:
        raise Bad("No submit description provided")
    description: str | None = None
    end = closing(submit) if command is not Command.SUBDAG else None
    if end is not None:
        description, behind = lines.description(end)
        words.restart(behind)
        submit = INLINE
    directory, noop, done = _settings(words)
    return Node(command, place, name, submit, description or None, directory, noop, done)


def _settings(words: Words) -> tuple[str, bool, bool]:
    """What may stand behind the description: (DIR, NOOP, DONE)."""
    directory = ""
    given: set[str] = set()
    while token := words.next():
        word = normal(token)
        if word == "DIR":
            directory = words.next(trim=True)
            if not directory:
                raise Bad("No directory path provided for DIR subcommand")
        elif word in ("NOOP", "DONE"):
            given.add(word)
        else:
            raise Bad(f"Unexpected token '{token}'")
    return directory, "NOOP" in given, "DONE" in given


def parse_submit_description(place: Place, words: Words, lines: Statements) -> SubmitDescription:
    """SUBMIT-DESCRIPTION behind its keyword. Raises Bad."""
    name = words.next()
    if not name:
        raise Bad("No submit description name provided")
    end = closing(words.next())
    if end is None:
        raise Bad("No inline description provided")
    description, _ = lines.description(end)
    return SubmitDescription(Command.SUBMIT_DESCRIPTION, place, name, description)

"""The manual page of the submit language, condor_submit_description(5)."""

from __future__ import annotations

from itertools import groupby

from condor_py.lang.submit.manual import entries

TITLE = "condor_submit_description"
SUMMARY = "what the jobs are that condor_submit queues"

_INTRODUCTION = """A submit description is a file of lines NAME = VALUE and of a queue statement. Names are commands, \
listed below, or macros of one's own; case does not matter. The value of NAME replaces $(NAME) when a \
job is made: a value may use what is defined later, or what differs from job to job. Lines that begin with # are \
comments; a backslash at the end of a line continues it; NAME @=END begins a value of several lines, which ends with a \
line @END."""

_STATEMENTS = (
    ("queue [N] [VARS]", "Makes N jobs, one by default."),
    ("queue [N] [VARS] in [SLICE] (ITEMS)", "N jobs for each item. VARS, or Item, are the variables that hold it."),
    ("queue [N] [VARS] from [SLICE] FILE | COMMAND | (", "The items are lines of a file, of what a command prints, or "
     "of the description itself, up to a line with a closing parenthesis."),
    ("queue [N] [VARS] matching [files|dirs|any] [SLICE] PATTERNS", "The items are names that match."),
    ("SLICE", "[begin:end:step] chooses items as Python does."),
    ("if CONDITION, elif, else, endif", "Lines that count only if the condition holds: true, false, a number, "
     "defined NAME, version >= 25.0."),
    ("include : FILE", "The lines of another file; with include command : COMMAND, what a command prints."),
    ("use template : NAME(ARGS)", "The lines of SUBMIT_TEMPLATE_NAME of the configuration."),
    ("error : TEXT, warning : TEXT", "Stop, or only warn, with this text."),
)  # fmt: skip

_VARIABLES = (
    ("$(Cluster), $(Process)", "The numbers of the job. Also spelled $(ClusterId), $(ProcId)."),
    ("$(Item), $(ItemIndex), $(Row), $(Step)", "The item, its number from 0, and the number of the job of that item. "
     "A definition of your own, or a variable of the queue statement, with such a name takes its place."),
    ("$(SUBMIT_FILE), $(SUBMIT_TIME), $(YEAR), $(MONTH), $(DAY)", "The description, and when it was submitted."),
    ("$(NAME:DEFAULT)", "DEFAULT where NAME is not defined."),
    ("$ENV(NAME)", "A variable of the environment."),
    ("$INT(NAME[,FORMAT]), $REAL(NAME[,FORMAT]), $EVAL(NAME), $STRING(NAME)", "The value of an expression, printed."),
    ("$CHOICE(INDEX,LIST), $SUBSTR(NAME,START[,LENGTH])", "One of several words; a part of a value."),
    ("$RANDOM_CHOICE(LIST), $RANDOM_INTEGER(MIN,MAX[,STEP])", "Chance."),
    ("$F[fpdnxbwqa](NAME)", "Parts of a file name: full path, parent directory, directory, name, extension; "
     "bare, slashes turned, quoted, as an argument."),
    ("$(DOLLAR)", "A dollar sign."),
    ("$$(NAME), $$([EXPR])", "An attribute of the machine, or an expression, put in when the job starts."),
)  # fmt: skip


def page() -> list[tuple[str, list[tuple[str, str]]]]:
    """Headings, each with what is explained below it; a term "" is a paragraph."""
    commands = [
        (group.upper(), [(f"{entry.command} = {entry.value}" if entry.command != "queue" else "queue", entry.text)
                         for entry in found])
        for group, found in groupby(entries(), lambda entry: entry.group)
    ]  # fmt: skip
    return [
        ("DESCRIPTION", [("", _INTRODUCTION)]),
        ("QUEUE STATEMENT AND OTHER STATEMENTS", list(_STATEMENTS)),
        ("MACROS", list(_VARIABLES)),
        *commands,
    ]

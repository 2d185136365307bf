"""The commands of the language: their keywords, the order in which they count, how they are written."""

from __future__ import annotations

import enum


class Command(enum.IntEnum):
    """The commands, in the order in which condor_dag_checker checks them."""

    SUBMIT_DESCRIPTION = 0
    JOB = 1
    FINAL = 2
    PROVISIONER = 3
    SERVICE = 4
    SUBDAG = 5
    SPLICE = 6
    CATEGORY = 7
    PARENT = 8
    SCRIPT = 9
    RETRY = 10
    ABORT_DAG_ON = 11
    VARS = 12
    PRIORITY = 13
    PRE_SKIP = 14
    TOLERANCE = 15
    DONE = 16
    MAXJOBS = 17
    CONFIG = 18
    INCLUDE = 19
    DOT = 20
    NODE_STATUS_FILE = 21
    JOBSTATE_LOG = 22
    SAVE_POINT_FILE = 23
    SET_JOB_ATTR = 24
    ENV = 25
    REJECT = 26
    PIN_IN = 27
    PIN_OUT = 28
    CONNECT = 29


#: Keyword -> command. ``WEAK PARENT`` is a PARENT command; its keyword is checked when it is parsed.
KEYWORDS: dict[str, Command] = {command.name: command for command in Command} | {"WEAK": Command.PARENT}

#: Commands that make nodes: they may end in a description of several lines.
NODE_COMMANDS = frozenset({Command.JOB, Command.FINAL, Command.PROVISIONER, Command.SERVICE, Command.SUBDAG})

#: Commands that count before all others of their file.
FIRST_PASS = NODE_COMMANDS | {
    Command.SUBMIT_DESCRIPTION,
    Command.SPLICE,
    Command.REJECT,
    Command.DOT,
    Command.NODE_STATUS_FILE,
    Command.JOBSTATE_LOG,
}

#: Commands that condor_submit_dag understands and condor_dagman passes over.
SUBMIT_TIME = frozenset({Command.CONFIG, Command.SET_JOB_ATTR, Command.ENV})

#: The name that means every node.
ALL_NODES = "ALL_NODES"
RESERVED = frozenset({"PARENT", "CHILD", ALL_NODES})

_NODE = "<name> <submit description> [DIR <directory>] [NOOP] [DONE]"

#: How each command is written, as errors show it.
SYNTAX: dict[Command, str] = {
    Command.JOB: f"JOB {_NODE}",
    Command.FINAL: f"FINAL {_NODE}",
    Command.PROVISIONER: f"PROVISIONER {_NODE}",
    Command.SERVICE: f"SERVICE {_NODE}",
    Command.SUBDAG: "SUBDAG EXTERNAL <name> <dag file> [DIR <directory>] [NOOP] [DONE]",
    Command.SPLICE: "SPLICE <name> <dag file> [DIR <directory>]",
    Command.INCLUDE: "INCLUDE <dag file>",
    Command.SUBMIT_DESCRIPTION: "SUBMIT_DESCRIPTION <name> {\\n<inline description>\\n}",
    Command.CATEGORY: "CATEGORY <node> <name>",
    Command.PARENT: "[WEAK] PARENT p1 [p2 p3 ...] CHILD c1 [c2 c3 ...]",
    Command.SCRIPT: "SCRIPT [DEFER <status> <time>] [DEBUG <file> (STDOUT|STDERR|ALL)] (PRE|POST|HOLD) <node> <script> "
    "<arguments ...>",
    Command.RETRY: "RETRY <node> <max retries> [UNLESS-EXIT <code>]",
    Command.ABORT_DAG_ON: "ABORT_DAG_ON <node> <status> [RETURN <code>]",
    Command.VARS: "VARS <node> [PREPEND|APPEND] key1=value1 [key2=value2 key3=value3 ...]",
    Command.PRIORITY: "PRIORITY <node> <value>",
    Command.PRE_SKIP: "PRE_SKIP <node> <status>",
    Command.TOLERANCE: "TOLERANCE <node> <value>[%] [FAIL-FAST|WAIT]",
    Command.DONE: "DONE <node>",
    Command.MAXJOBS: "MAXJOBS <category> <value>",
    Command.CONFIG: "CONFIG <file>",
    Command.DOT: "DOT <file> [UPDATE|DONT-UPDATE] [OVERWRITE|DONT-OVERWRITE] [INCLUDE <header file>]",
    Command.NODE_STATUS_FILE: "NODE_STATUS_FILE <file> [<min update time>] [ALWAYS-UPDATE]",
    Command.JOBSTATE_LOG: "JOBSTATE_LOG <file>",
    Command.SAVE_POINT_FILE: "SAVE_POINT_FILE <node> [<file>]",
    Command.SET_JOB_ATTR: "SET_JOB_ATTR <key> = <value>",
    Command.ENV: "ENV (SET|GET) <environment variables>",
    Command.REJECT: "REJECT",
    Command.CONNECT: "CONNECT <splice 1> <splice 2>",
    Command.PIN_IN: "PIN_IN <node> <pin number>",
    Command.PIN_OUT: "PIN_OUT <node> <pin number>",
}


def normal(word: str) -> str:
    """A keyword as the tables have it: upper case, ``_`` for ``-``."""
    return word.upper().replace("-", "_")

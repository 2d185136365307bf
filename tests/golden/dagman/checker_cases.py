"""What condor_dag_checker is asked: the cases of language_cases.py and some of its own."""

from __future__ import annotations

from language_cases import CASES as LANGUAGE_CASES
from language_cases import DAGS, one

MANY_ERRORS = """JOB A x
JOB A y
FOO
RETRY
PARENT A CHILD Z Y
PARENT Q CHILD A
RETRY Z 1
SCRIPT PRE A nowhere.sh
CATEGORY Z c
CONFIG nowhere
CONFIG other
REJECT
FINAL F x
FINAL G x
PARENT F CHILD A
DONE ALL_NODES
SPLICE S nowhere.dag
RETRY S 3
INCLUDE nowhere.inc
"""
DESCRIPTIONS = """JOB A {
 queue
}
JOB B {
 executable = /bin/true
 foo = 3
 queue
}
JOB C {
 executable = /bin/true
 queue bar in
}
JOB D {
 executable = /bin/true
 request_memory = xx yy
 queue
}
JOB E none.sub
JOB F d.sub DIR nowhere
JOB G {
 executable = /bin/true
}
JOB H h.sub
SUBDAG EXTERNAL I i.dag
SUBDAG EXTERNAL J i.dag DIR nowhere
SUBDAG EXTERNAL K t.dag
SUBDAG EXTERNAL L nowhere.dag
SCRIPT PRE A here.sh
SCRIPT PRE A nowhere.sh
"""
CASES: dict[str, dict[str, str]] = {
    **{name: files for name, files in LANGUAGE_CASES.items() if name not in DAGS and name not in ("odd blanks",)},
    "many errors": one(MANY_ERRORS),
    "descriptions": {
        "t.dag": DESCRIPTIONS,
        "h.sub": "executable = /bin/true\nuniverse = nonsense\nqueue\n",
        "i.dag": "JOB A+B x\nJOB A x\nJOB A x\nFOO\n",
        "here.sh": "",
    },
    "cycle": one("JOB A x\nJOB B x\nJOB C x\nPARENT A CHILD B\nPARENT B CHILD C\nPARENT C CHILD B\n"),
    "cycle apart": one("JOB A x\nJOB B x\nJOB C x\nPARENT A CHILD B\nPARENT B CHILD A\n"),
    "cycle of itself": one("JOB A x\nPARENT A CHILD A\n"),
    "deep": one("".join(f"JOB {i} x\n" for i in range(9)) + "".join(f"PARENT {i} CHILD {i + 1}\n" for i in range(8))),
    "widths": one("".join(f"JOB {i} x\n" for i in range(7)) + "PARENT 0 CHILD 1 2 3\nPARENT 2 3 CHILD 4\n"),
    "directory": {"d/t.dag": "INCLUDE i\n", "d/i": "JOB A x\n"},
    "splice twice used": {
        "t.dag": "JOB A x\nJOB B x\nSPLICE S s.dag\nPARENT S CHILD A\nPARENT S CHILD B\n",
        "s.dag": "JOB A x\nJOB B x\nJOB C x\nPARENT A B CHILD C\n",
    },
}
COMMANDS: dict[str, list[str]] = {
    "descriptions": ["-CheckExternalFiles -Strict t.dag", "-checksub t.dag", "-checkscr t.dag"],
    "plus": ["t.dag", "-allow t.dag", "-AllowIllegalChars -json t.dag"],
    "join node": ["-stat t.dag", "-nojoinnodes -stat t.dag", "-join -json t.dag", "-nojoin -join -stat t.dag"],
    "diamond": ["t.dag t.dag", "-json t.dag t.dag", "-stat t.dag nofile", "-stat -json t.dag", "-foo t.dag", "-", "",
                "t.dag -stat", "-json -json t.dag"],
    "directory": ["-UseDagDir d/t.dag", "d/t.dag", "-use -stat d/t.dag"],
    "no file": ["t.dag", "-json t.dag", "-stat t.dag"],
}  # fmt: skip

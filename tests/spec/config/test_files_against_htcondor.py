"""The odd lines, one by one, and the depth of includes: read as HTCondor reads them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.model.errors import ConfigError

NAMES = list("ABD")
CONDITIONS = """true|false|yes|no|1|0|2.5|0.0|! true|!0|$(A)|! $(B)|defined A|defined $(A)|! defined B|defined NOPE
|defined true|version > 8.0|version >= 25.14|version < 9.1.2|version == 25.14|version != 25.0|$(NOPE)|defined|! defined
|-1|defined use FEATURE|defined use ROLE:Personal|defined use NOPE|defined A.B|version >= 99.1""".replace(
    "\n", ""
).split("|")
ODD_CONDITIONS = ["foo bar", "1 > 2", "A", "", "version", "version > x", "true && true", "defined A B", "$(C) == 3"]


def _read(path: Path, text: str) -> Config | None:
    """The configuration in ``text``; None when it is refused."""
    path.write_text(text)
    try:
        return load({**os.environ, "CONDOR_CONFIG": str(path)})
    except ConfigError:
        return None


ODD_LINES = [
    "A B = 1",
    "L+= x",
    "[a b]",
    "[ab]",
    "A",
    "= 1",
    "A@=1",
    "A-B = 1",
    "$(X) = 3",
    "A @=x\nfoo",
    "A +x = 3",
    "A @ 3",
    "use NOPE : x",
    "use ROLE : nope",
    "use : x",
    "include : /nofile",
    "include ifexist : /nofile",
    "include foo : /nofile",
    "@include ifexist : /nofile",
    "@use ROLE : Personal",
    "error : bye",
    "error 7 : bye",
    "if true\nA = 1",
    "endif",
    "else",
    "elif 1",
    "if 1\nelse\nelse\nendif",
    "if 1\nelse\nelif 1\nendif",
    ":if 1\n:A = 7\n:endif",
    "include command : echo A=7",
    "include : echo A=8 |",
    "include command : /no/such/program",
    "use policy : preempt_if",
    "use policy:want_hold_if(A)",
    "LOCAL_CONFIG_FILE = /nofile",
    "LOCAL_CONFIG_FILE = echo A=5 |",
    "LOCAL_CONFIG_FILE = false |",
    "LOCAL_CONFIG_FILE = /nofile\nREQUIRE_LOCAL_CONFIG_FILE = false",
    "A = 1\nA.B = 2\nTOOL.A = 7",
    "A = \\",
    "A = x\\",
    "A = x # y",
    "A : 5",
    "include into {0}/cache : {0}/rel",
    "include command into {0}/cache2 : true",
    "include command into {0}/cache3 : {0}/failing",
    "include ifexist command into {0}/cache4 : {0}/failing",
    "include command into {0}/cache5| : true",
    "include command into : true",
    "include command into $(NOPE) : true",
    "include command into /nodir/x : echo A=5",
    "include ifexist command into /nodir/x : echo A=5",
    "include command output : echo A=5",
    "include ifexist ifexist : /nofile",
    "include IFEXIST : /nofile",
    "include command : {0}/failing",
    "include command : echo 'A = 3'",
    "include ifexist command : /no/such",
    "include : rel",
    "include : ",
    "include : {0}/rel # c",
    "include : {0}/rel, {0}/rel",
    "include = 3\nA = $(include)",
    "LOCAL_CONFIG_FILE = {0}/failing |",
    "LOCAL_CONFIG_FILE = {0}/rel /nofile",
    "LOCAL_CONFIG_FILE = /no/such |",
    "LOCAL_CONFIG_FILE = a | b",
    "LOCAL_CONFIG_DIR = /nodir",
    "LOCAL_CONFIG_DIR = {0}/rel",
    "LOCAL_CONFIG_DIR = {0}\nLOCAL_CONFIG_DIR_EXCLUDE_REGEXP = (",
    "LOCAL_CONFIG_DIR = {0}/d {0}/e\nLOCAL_CONFIG_DIR_EXCLUDE_REGEXP = skip",
    "LOCAL_CONFIG_DIR = {0}/d\nLOCAL_CONFIG_FILE = {0}/more_dirs",
    "LOCAL_CONFIG_FILE = {0}/chain1 {0}/chain2",
    "use",
    "use ROLE",
    "use ROLE :",
    "use ROLE Personal",
    "use ROLE : Personal Submit",
    "use ROLE : Personal, Nope",
    "use ROLE:Personal(",
    "use FEATURE : StartdCronOneShot(a)",
    "X = Personal\nuse ROLE : $(X)",
    "X = ROLE\nuse $(X) : Personal",
    "error :",
    "@error : x",
    "@warning : y",
    "error = 3\nA = $(error)",
    "A = $(B\nB = 1",
    "A = $(B))\nB = 1",
    "A = $(B:$(C:$(D)))",
    "A = $(B:x:y)",
    "A = $(A:1)",
    "A = 1\nA = $(A)$(A)",
    "A..B = 1",
    ".A = 1",
    "A. = 1",
    "A/B = 1\nB = $(A/B)",
    "1A = 3\nB = $(1A)",
    "A == x",
    "A := x",
    "A : = x",
    "A = : x",
    "A@=x\n@x",
    "A @ = x",
    "A +, = x",
    "A +- = x",
    "A ++= x",
    "A += x\nA +,= y\nA +&&= z",
    "A = 1\nTOOL.A = $(A) 2\nB = $(A)",
    "A = 1\nTOOL.A += 2\nB = $(A)",
    "A = 0\nTOOL.A = 1\nif $(A)\nB = yes\nelse\nB = no\nendif",
    "AUTO_USE_ROLE_Execute = yes\nDAEMON_LIST = MASTER\nA = 1\nB = $(DAEMON_LIST)",
    "AUTO_USE_FEATURE_PartitionableSlot = $(A)\nA = 1\nB = $(SLOT_TYPE_1)",
    "AUTO_USE_FEATURE_PartitionableSlot = $(A)\nB = $(SLOT_TYPE_1)",
    "AUTO_USE_FEATURE_Nope = true\nA = 1",
    "AUTO_USE_Nope_X = true\nA = 1",
    "AUTO_USE_FEATURE_PartitionableSlot = a b\nA = 1\nB = $(SLOT_TYPE_1)",
    *(f"if {condition}\nA = 1\nendif" for condition in (*CONDITIONS, *ODD_CONDITIONS)),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that the odd lines name."""
    files = {
        "rel": "A = rel\n",
        "failing": "#!/bin/sh\necho A=7\nexit 3\n",
        "more_dirs": "LOCAL_CONFIG_DIR = $(LOCAL_CONFIG_DIR) {0}/e\nA = $(A) more\n",
        "chain1": "A = chain1\nLOCAL_CONFIG_FILE = {0}/chain3, {0}/chain1 {0}/rel\n",
        "chain2": "B = chain2\n",
        "chain3": "B = chain3 after $(A)\n",
        "d/10": "A = d10\n",
        "d/9": "A = $(A) d9\n",
        "d/x.skip": "A = skipped\n",
        "e/1": "B = $(A) e1\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.format(tmp_path))
    (tmp_path / "failing").chmod(0o755)
    return tmp_path


def test_odd_lines_one_by_one(htcondor, folder: Path) -> None:
    texts = [f"{line.replace('{0}', str(folder))}\nD = end\n" for line in ODD_LINES]
    wrong = []
    theirs_all = htcondor([(text, NAMES) for text in texts])
    for cache in folder.glob("cache*"):
        cache.unlink()
    for text, answer in zip(texts, theirs_all, strict=True):
        config = _read(folder / "c", text)
        ours = None if config is None else {name: config.expanded(name) for name in NAMES}
        theirs = None
        if "A" in answer:
            theirs = {name: None if answer[name] is None else str(answer[name]) for name in NAMES}
        if ours != theirs:
            wrong.append((text, ours, theirs))
    assert wrong == []


@pytest.mark.parametrize("count", [17, 18, 19, 20])
def test_how_deep_includes_may_nest(htcondor, tmp_path: Path, count: int) -> None:
    for index in range(count):
        (tmp_path / f"f{index}").write_text(f"include : {tmp_path}/f{index + 1}\n")
    (tmp_path / f"f{count}").write_text("A = bottom\n")
    text = f"include : {tmp_path}/f0\n"
    (answer,) = htcondor([(text, ["A"])])
    config = _read(tmp_path / "c", text)
    assert (None if config is None else config.expanded("A")) == answer.get("A")

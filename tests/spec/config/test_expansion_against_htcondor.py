"""Thousands of random macros expand as HTCondor expands them."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from condor_py.lang.config import load
from condor_py.model.errors import ConfigError

NAMES = list("ABCDE")
NUMBERS = {"N": "7", "M": "2+3", "P": "-4.5", "L": "x, y ,z"}
TEXTS = """1|2+3|a/b.c|/usr/lib/x.tar.gz|x, y ,z||true|2.5|"q s"|'q'|.hid|d.d/f|/|//a//b|a b|-3|{1,2}|size("abc")
|rel/./x|../up/f.e|a:b|a$b|$|$$|$$(X)|$$([N+1])|$(|$()|$(N|$N)|(x)|50%"""


def _reference(r: random.Random, name: str) -> str:
    number = r.choice(list(NUMBERS))
    letters = "".join(r.choice("pnxdabfwu") for _ in range(r.randrange(4)))
    if letters.count("d") > 1:  # asked for more directories than there are, the original reads beyond the text
        letters = letters.replace("d", "", letters.count("d") - 1)
    return r.choice(
        [
            f"$({name})",
            f"$({name})",
            f"$({name}:{r.choice(['z', 'a/b', '$(N)', '$(N:3)', 'x, y', '', 'a-b'])})",
            f"$($({name}))",
            f"$(X_{name}:{name})",
            f"$(X_$({name}))",
            f"$INT({number}{r.choice(['', ',%d', ',%05d', ',%+d'])})",
            f"$REAL({number}{r.choice(['', ',%.2f', ',%g', ',%8.3e'])})",
            f"$STRING({name}{r.choice(['', ',%s', ',%-8s|', ',%.2s'])})",
            f"$EVAL({number})",
            f"$F{letters}({name})",
            f"$DIRNAME({name})",
            f"$BASENAME({name})",
            f"$BASENAME({name},.gz)",
            f"$SUBSTR({name},{r.randrange(-4, 5)}{r.choice(['', f',{r.randrange(-4, 6)}'])})",
            f"$CHOICE({r.randrange(3)},{r.choice(['L', 'p,q,r'])})",
            r.choice(["$ENV(HOME)", "$ENV(NOPE)", "$ENV(NOPE:dd)", "$(DOLLAR)", "$(DOLLAR)(N)"]),
            "$RANDOM_INTEGER(4,4)",
        ]
    )


def _config(r: random.Random) -> str:
    """Macros A to E that refer only to later ones, in random order."""
    texts = TEXTS.replace("\n", "").split("|")
    lines = [f"{name} = {value}" for name, value in NUMBERS.items()]
    for index, name in enumerate(NAMES):
        later = [*NAMES[index + 1 :], "ZZ"]
        parts = [
            _reference(r, r.choice(later)) if r.random() < 0.7 else r.choice(texts)
            for _ in range(r.choice([1, 1, 2, 3]))
        ]
        lines.append(f"{name} = {r.choice(['', ' ']).join(parts)}")
    r.shuffle(lines)
    return "\n".join(lines) + "\n"


#: Configurations of a test; CONDOR_PY_WALKS asks for more or fewer.
COUNT = 8 * int(os.environ.get("CONDOR_PY_WALKS", "150")) // 5


@pytest.mark.parametrize("seed", range(4))
def test_random_macros(htcondor, tmp_path: Path, seed: int) -> None:
    r = random.Random(seed)
    texts = [_config(r) for _ in range(COUNT)]
    path = tmp_path / "condor_config"
    environ = {**os.environ, "CONDOR_CONFIG": str(path)}
    compared = 0
    for text, answer in zip(texts, htcondor([(text, NAMES) for text in texts]), strict=True):
        if "A" not in answer:
            continue  # HTCondor did not come to an end: a name made of a value closed a circle
        path.write_text(text)
        config = load(environ)
        for name in NAMES:
            try:
                ours = config.expanded(name)
            except ConfigError:
                continue  # HTCondor's bindings put nothing where a macro function fails; our tools say what is wrong
            compared += 1
            assert ours == answer[name], f"{name} in\n{text}"
    assert compared > 3 * COUNT

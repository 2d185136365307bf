"""Words, names, patterns and messages of the transform language at their edges."""

from __future__ import annotations

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.macro.expand import Expander
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.transform import TransformError, check_statements, read_rules
from condor_py.lang.submit.transform_old import Iteration, is_old, read_old_rules
from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run

MANY = "9" * 5000

AD = {"A": "1", "B": '"text"', "Abc": "A + 1", "abd": "2", "Zed": "undefined", "L": "{ 1,2 }"}


def after(rules: str, session: Session | None = None) -> tuple[dict[str, str], list[str], list[str]]:
    """What differs, the steps and the errors of rules for the ad."""
    ad = ClassAd.from_text_items(AD.items())
    steps: list[str] = []
    errors: list[str] = []
    run(read_rules(rules, "t"), Subject(ad), session or Session(), Log(steps.append, errors.append))
    found = dict(ad.text_items())
    changes = {name: text for name, text in found.items() if AD.get(name) != text}
    return changes | dict.fromkeys(AD.keys() - found.keys(), "-"), steps, errors


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        ("SET  N\t5", {"N": "5"}), ("SET N 5 ", {"N": "5"}), ('SET "N" 5', {"N": "5"}), ("SET 'N' 5", {"N": "5"}),
        ("SET N = 5", {"N": "5"}), ("SET N , 5", {"N": "5"}), ("SET N =5", {}), ('SET N "="', {"N": '"="'}),
        ('SET N "," ', {"N": '","'}), ("SET N a.b", {"N": "a.b"}), ("SET N.m 5", {"N.m": "5"}),
        ("SET _n 5", {"_n": "5"}), ("SET 5n 5", {}), ("SET n-m 5", {}), ("SET n5 5", {"n5": "5"}),
        ("DEFAULT A 5", {}), ("DEFAULT a 5", {}), ("DEFAULT Zed 5", {}), ("DEFAULT N 5", {"N": "5"}),
        ("DELETE A", {"A": "-"}), ("delete a", {"A": "-"}), ("DELETE A B", {"A": "-"}), ("DELETE 'A'", {"A": "-"}),
        ("COPY A N", {"N": "1"}), ("COPY A N.m", {"N.m": "1"}), ("RENAME A N", {"A": "-", "N": "1"}),
        ("RENAME A A", {}), ("COPY A = N", {"N": "1"}), ("COPY A , N", {"N": "1"}), ("COPY N M", {}),
        ("EVALSET N A + 1", {"N": "2"}), ("EVALSET A A + 1", {"A": "2"}), ("EVALSET N B", {"N": '"text"'}),
        ("EVALSET N Zed", {"N": "undefined"}), ("EVALSET N 1/0", {"N": "error"}), ("EVALSET N L", {"N": "{ 1,2 }"}),
        ("EVALSET N L[0]", {"N": "1"}), ("EVALMACRO m A + 1\nSET N $(m)", {"N": "2"}),
        ("EVALMACRO m = A + 1\nSET N $(m)", {"N": "2"}), ("EVALMACRO m= A + 1\nSET N $(m)", {"N": "2"}),
        ("EVALMACRO m, A + 1\nSET N $(m)", {"N": "2"}), ('EVALMACRO m B\nSET N "$(m)"', {"N": '"text"'}),
        ("EVALMACRO m L\nSET N $(m)", {"N": "{ 1,2 }"}), ("EVALMACRO m 1/0\nSET N $(m)", {"N": "error"}),
        ("EVALMACRO m ((\nSET N $(m:7)", {"N": "7"}),
        ("COPY /^ab(.)$/ N\\1", {"Nc": "A + 1", "Nd": "2"}), ("COPY /^ab(.)$/i N\\1", {"Nc": "A + 1", "Nd": "2"}),
        ("COPY /^AB.*/g N\\0", {"NAbc": "A + 1", "Nabd": "2"}), ("COPY /^a(b)(x)?/ N\\1\\2_", {}),
        ("COPY /^(a)(b)c/ \\2\\1\\0x", {"bAAbcx": "A + 1"}), ("COPY /^abc/ N\\1", {}),
        ("RENAME /^Ab(c)/ N\\1", {"Abc": "-", "Nc": "A + 1"}), ("DELETE /^ab/", {"Abc": "-", "abd": "-"}),
        ("DELETE /^ab/ rest", {"Abc": "-", "abd": "-"}), ("DELETE /none/", {}), ("COPY /^A$/ = N", {"N": "1"}),
        ("COPY /^A$/ N x", {}), ("SET N $(MY.A)", {"N": "1"}), ("SET N $(my.Abc)", {"N": "A + 1"}),
        ('SET N "$(MY.B)"', {"N": '"text"'}), ("SET N $(MY.None:5)", {"N": "5"}), ("SET N $INT(MY.A)", {"N": "1"}),
        ("SET N $INT(MY.Abc)", {"N": "2"}), ("SET N $(IsLinux)$(IsWindows)", {"N": "10"}),
        ("SET N 1$(IsLinux)$(IsWindows)$(Iterating)$(IsCluster)$(IsClusterAd)$(LateMaterialization)", {"N": "1100000"}),
        ("x = 1\nx = $(x)2\nSET N $(x)", {"N": "12"}), ("N = 5\nSET M $(n)", {"M": "5"}),
        ("SET N", None), ("SET N =", None), ("SET N ,", None), ("SET", None), ("COPY A", None), ("FROB A", None),
        ("COPY /a", None), ("COPY /a/", None), ("COPY /a/x N", None), ("COPY /a/gi", None), ("DELETE /a/q", None),
        ("NAME x\nUNIVERSE y\nSET N 5", {"N": "5"}),
        ("if $(IsLinux)\nSET N 5\nelse\nSET N 6\nendif", {"N": "5"}),
    ],
)  # fmt: skip
def test_statements_at_their_edges(rules: str, changes: dict[str, str] | None) -> None:
    if changes is None:
        with pytest.raises(TransformError):
            after(rules)
    else:
        assert after(rules)[0] == changes


@pytest.mark.parametrize(
    ("rules", "steps", "errors"),
    [
        ("SET N 5", ["SET N to 5"], []),
        ("SET N ((", ["SET N to (("], ["ERROR: SET N invalid expression : (("]),
        ("x =\nSET N $(x)", ["SET N to "], ["ERROR: SET N invalid expression : "]),
        ("SET 5n 5", ["SET 5n to 5"], ["ERROR: could not set 5n to 5"]),
        ("DEFAULT A 5", ["DEFAULT A to 5"], []),
        ("DEFAULT N 5", ["DEFAULT N to 5", "SET N to 5"], []),
        ("DELETE A", ["DELETE A"], []),
        ("DELETE None", ["DELETE None"], []),
        ("COPY A N", ["COPY A to N"], []),
        ("COPY A n-m", ["COPY A to n-m"], ["ERROR: COPY A new name n-m is not valid"]),
        ("RENAME A 5", ["RENAME A to 5"], ["ERROR: RENAME A new name 5 is not valid"]),
        ("EVALSET N A", ["EVALSET N to A", "    SET N to 1"], []),
        ("EVALSET N B", ["EVALSET N to B", "    SET N to text"], []),
        ("EVALSET N L", ["EVALSET N to L", "    SET N to { 1,2 }"], []),
        ("EVALSET N ((", ["EVALSET N to (("], ["ERROR: EVALSET N could not evaluate : (("]),
        ("EVALSET 5n B", ["EVALSET 5n to B"], ["ERROR: could not set 5n to text"]),
        ("EVALMACRO m B", ["EVALMACRO m to B", "          m = text"], []),
        ("EVALMACRO m ((", ["EVALMACRO m to (("], ["ERROR: EVALMACRO m could not evaluate : (("]),
        ("COPY /^ab./ N\\0", ["COPY Abc to NAbc", "COPY abd to Nabd"], []),
        ("DELETE /^ab/", ["DELETE Abc", "DELETE abd"], []),
        ("DELETE /(/", [], ["ERROR: Error compiling regex '('. this entry will be ignored."]),
        ("SET N, 5", [], ["ERROR: SET N, does nothing: put a space before the ,"]),
        ("COPY A= N", [], ["ERROR: COPY A= does nothing: put a space before the ="]),
        ("warning : careful", [], ["WARNING: careful"]),
    ],
)
def test_what_is_said_of_each_statement(rules: str, steps: list[str], errors: list[str]) -> None:
    assert after(rules)[1:] == (steps, errors)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("SET N", "t, line 1: SET needs 2 arguments"), ("SET", "t, line 1: SET needs 2 arguments"),
        ("\n\nDELETE ", "t, line 3: DELETE needs an argument"), ("COPY A", "t, line 1: COPY needs 2 arguments"),
        ("COPY A =", "t, line 1: COPY needs 2 arguments"), ("COPY /a/ ", "t, line 1: COPY needs 2 arguments"),
        ("COPY /a b", "t, line 1: invalid regex"), ("frob A", "t, line 1: frob is not a valid transform keyword"),
        ("DELETE /a/q", "t, line 1: invalid regex: the option q is not one of g, i, m"),
        ("error : no", "t, line 1: no"), ("SET N $(x\nx", "t, line 2: x is not a valid transform keyword"),
    ],
)  # fmt: skip
def test_rules_that_end_name_their_line(rules: str, said: str) -> None:
    with pytest.raises(TransformError) as caught:
        after(rules)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("requirements", "accepted"),
    [
        ("A == 1", True), ("A == 2", False), ("true", True), ("1", True), ("0", False), ("0.5", True), ("None", False),
        ("undefined", False), ("error", False), ('"text"', False), ("A", True), ("{1}", False), ("TARGET.A", False),
    ],
)  # fmt: skip
def test_which_ads_rules_are_for(requirements: str, accepted: bool) -> None:
    ad = ClassAd.from_text_items(AD.items())
    assert applies(read_rules(f"REQUIREMENTS {requirements}\nSET N 5", "t"), ad) is accepted
    assert applies(read_rules("SET N 5", "t"), ad) is True


def test_macros_live_until_they_are_forgotten() -> None:
    session = Session(
        lambda name: {"knob": "k", "m": "of the site"}.get(name.lower()), given={"Given": "g", "IsLinux": "7"}
    )
    session.items, session.counters = {"x": "item"}, {"row": "3", "given": "counter"}
    rules = 'SET N "$(m) $(GIVEN) $(knob) $(x) $(row) $(islinux)"'
    assert after(rules, session)[0] == {"N": '"of the site g k item 3 7"'}
    after("m = mine\nGiven = mine\nx = mine\nrow = mine", session)
    assert after(rules, session)[0] == {"N": '"mine mine k mine mine 7"'}
    session.forget()
    assert after(rules, session)[0] == {"N": '"of the site g k $(x) 3 7"'.replace("$(x)", "")}


def test_an_ad_tells_what_was_changed_in_its_order() -> None:
    ad = ClassAd.from_text_items(AD.items())
    subject = Subject(ad)
    subject.set("Second", "2")
    assert subject.delete("none") is False
    assert subject.delete("ABC") is True
    subject.set("First", "1")
    assert list(subject.changed) == ["second", "abc", "first"]
    assert not ad.has("Abc")
    subject.set("JobNice", "20")
    with pytest.raises(TransformError, match="JobNice"):
        subject.check_bounds()
    subject.set("JobNice", "19")
    subject.check_bounds()


@pytest.mark.parametrize(
    ("rules", "mistake"),
    [
        ("SET A 1", ""), ("set a 1\ndelete b", ""), ("FROB x", "line 1: FROB is not a valid transform keyword"),
        ("SET A 1\n\n# no\nfrob", "line 4: frob is not a valid transform keyword"), ("frob = 1", ""), ("frob : 1", ""),
        ("if x\nelif y\nelse\nendif", ""), ("NAME x\nUNIVERSE x\nREQUIREMENTS x", ""), ("x @=e\nfrob\n@e\nSET A 1", ""),
        ("x @=e\nfrob\n@e\nfrob", "line 4: frob is not a valid transform keyword"), ("", ""),
    ],
)  # fmt: skip
def test_the_first_line_that_is_no_statement(rules: str, mistake: str) -> None:
    assert check_statements(read_rules(rules, "t")) == mistake


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("NAME First\nSET A 1", ("First", "", "", "", "")), ("name  x y ", ("x y", "", "", "", "")),
        ("NAME = x\nSET A 1", ("t", "", "", "", "")), ("NAME : x\nSET A 1", ("t", "", "", "", "")),
        ("REQUIREMENTS a == 1", ("t", "a == 1", "", "", "")), ("REQUIREMENTS a \\\n == 1", ("t", "a == 1", "", "", "")),
        ("UNIVERSE docker", ("t", "", "docker", "", "")), ("TRANSFORM", ("t", "", "", "", "")),
        ("TRANSFORM 0", ("t", "", "", "", "")), (f"TRANSFORM {MANY}\nx", ("t", "", "", MANY, "x")),
        (f"TRANSFORM {'0' * 5000}", ("t", "", "", "", "")), ("TRANSFORM \u0661", ("t", "", "", "\u0661", "")),
        ("TRANSFORM 1", ("t", "", "", "", "")),
        ("TRANSFORM 2\nx", ("t", "", "", "2", "x")), ("TRANSFORM 1 x in (a)\ny", ("t", "", "", "1 x in (a)", "y")),
        ("TRANSFORM -1\nx", ("t", "", "", "-1", "x")), ("TRANSFORM x in (a)\ny\n", ("t", "", "", "x in (a)", "y\n")),
        ("TRANSFORM 1\nNAME y", ("t", "", "", "", "")), ("if x\nNAME y\nendif", ("y", "", "", "", "")),
    ],
)  # fmt: skip
def test_the_envelope_of_rules(rules: str, found: tuple[str, str, str, str, str]) -> None:
    read = read_rules(rules, "t")
    requirements = " ".join(read.requirements.split())
    assert (read.name, requirements, read.universe, read.iterate, read.rest) == found


def test_names_and_sources_of_rules() -> None:
    assert read_rules("NAME x", "t").source == "t"
    assert read_rules("NAME x", "t", "file").source == "file"
    kept = read_rules("NAME x\nUNIVERSE y", "t", keep_name=True)
    assert (kept.name, kept.universe) == ("t", "y")
    with pytest.raises(TransformError) as caught:
        read_rules("REQUIREMENTS ((", "t")
    assert str(caught.value) == "invalid REQUIREMENTS : (("


@pytest.mark.parametrize(
    ("rules", "there"),
    [
        ("SET A 1", True), ("A = 1", False), ("SET = 1", False), ("TRANSFORM 2", True), ("TRANSFORM 1", False),
        ("evalset a 1", True), ("settle a", False), ("# SET A 1", False), ("", False),
    ],
)  # fmt: skip
def test_whether_a_text_has_statements(rules: str, there: bool) -> None:
    assert read_rules(rules, "t").has_statements is there


def old(text: str) -> list[str]:
    """The statements of rules in the old syntax."""
    return [line for line in read_old_rules(text, "t").body.split("\n") if line]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ('[ copy_A = "B"; ]', ["COPY A B"]), ("[ delete_A = true; ]", ["DELETE A"]),
        ("[ set_A = B + 1; ]", ["SET A B + 1"]),
        ("[ eval_set_A = B + 1; ]", ["EVALSET A B + 1"]), ('[ X = "y"; ]', ["X = y"]), ("[ X = 5; ]", ["X = 5"]),
        ('[ eval_set_A = 1; set_B = 2; delete_C = 3; copy_D = "E"; F = 4; ]',
         ["F = 4", "COPY D E", "DELETE C", "SET B 2", "EVALSET A 1"]),
        ("[ eval_set_A = F + 1; F = 4; ]", ["F = 4", "SET F 4", "EVALSET A F + 1", "DELETE F"]),
        ("[ eval_set_A = F + 1; F = 4; set_F = 5; ]", ["F = 4", "SET F 5", "EVALSET A F + 1"]),
        ("[ eval_set_A = G; F = 4; ]", ["F = 4", "EVALSET A G"]), ("[ SET_a = 1; ]", ["SET a 1"]),
    ],
)  # fmt: skip
def test_the_old_syntax_becomes_statements_in_its_order(text: str, statements: list[str]) -> None:
    assert old(text) == statements


def test_the_envelope_of_the_old_syntax() -> None:
    read = read_old_rules(
        '[ Name = "n"; Requirements = target.A == 1 && B == "TARGET.x"; TargetUniverse = 9; set_C = 1; ]', "t"
    )
    assert (read.name, read.requirements, read.universe) == ("n", 'A == 1 && B == "TARGET.x"', "9")
    assert read_old_rules("[ Name = 5; ]", "t").name == "t"
    with pytest.raises(TransformError, match="Could not parse transform classad t: "):
        read_old_rules("[ A = ; ]", "t")
    assert [is_old(text) for text in (" [ A = 1 ]", "[", "SET A 1", "", "x [")] == [True, True, False, False, False]


def rows(text: str) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Variables and counters of each ad that a TRANSFORM statement makes."""
    sources = ItemSources(
        lambda name: "1 one\n2 two\n", lambda command: "", lambda pattern: ["b", "c"], lambda text: None
    )
    return list(Iteration(read_rules(text, "f"), Expander({"n": "2"}.get), sources).variables())


def test_counters_of_the_ads_that_rules_make() -> None:
    def counted(row: int, step: int, number: int) -> dict[str, str]:
        return {"row": str(row), "itemindex": str(row), "iterating": "1", "step": str(step), "xformid": str(number)}

    assert rows("TRANSFORM 2 a in (x y)") == [
        ({"a": "x"}, counted(0, 0, 0)),
        ({"a": "x"}, counted(0, 1, 1)),
        ({"a": "y"}, counted(1, 0, 2)),
        ({"a": "y"}, counted(1, 1, 3)),
    ]
    assert rows("TRANSFORM 2") == [({}, counted(0, 0, 0)), ({}, counted(0, 1, 1))]
    assert rows("TRANSFORM 0 a in (x)") == [({"a": "x"}, counted(0, 0, 0))]
    assert rows("TRANSFORM A,B from (x y\nz w)\n)")[0] == ({"a": "x", "b": "y"}, counted(0, 0, 0))
    with pytest.raises(TransformError) as caught:
        rows("TRANSFORM x")
    assert str(caught.value) == "f: invalid TRANSFORM statement: Invalid Queue count expression"

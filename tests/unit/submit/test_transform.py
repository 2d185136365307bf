"""The transform language, statement by statement."""

from __future__ import annotations

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.macro.expand import Expander
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.transform import TransformError, check_statements, read_rules
from condor_py.lang.submit.transform_old import Iteration, is_old, read_old_rules
from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run

JOB = {
    "ClusterId": "1",
    "ProcId": "0",
    "RequestCpus": "2",
    "RequestMemory": "RequestCpus * 100",
    "Cmd": '"/bin/sleep"',
    "JobPrio": "5",
}
SETTINGS = {"site": "north", "Group": "group_$(site)"}


class Bench:
    """One ad and what happens to it."""

    def __init__(self, **attributes: str) -> None:
        self.ad = ClassAd.from_text_items({**JOB, **attributes}.items())
        self.steps: list[str] = []
        self.errors: list[str] = []
        folded = {name.lower(): value for name, value in SETTINGS.items()}
        self.session = Session(lambda name: folded.get(name.lower()), {"HOME": "/home/alice"})

    def run(self, text: str) -> dict[str, str]:
        """What differs after the rules."""
        before = dict(self.ad.text_items())
        transform = read_rules(text, "test")
        subject = Subject(self.ad)
        if applies(transform, self.ad):
            run(transform, subject, self.session, Log(self.steps.append, self.errors.append))
        after = dict(self.ad.text_items())
        changes = {name: text for name, text in after.items() if before.get(name) != text}
        return changes | dict.fromkeys(before.keys() - after.keys(), "-")


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        ("SET Foo 17", {"Foo": "17"}),
        ("set foo = 17", {"foo": "17"}),
        ("SET Foo , 17", {"Foo": "17"}),
        ("SET Foo = 17", {"Foo": "17"}),
        ("EVALMACRO x, 17\nEVALMACRO y= 18\nSET Foo $(x)$(y)", {"Foo": "1718"}),
        ('SET Foo "a b"', {"Foo": '"a b"'}),
        ("SET Foo RequestCpus+1", {"Foo": "RequestCpus + 1"}),
        ("SET JobPrio 5", {}),
        ("DEFAULT JobPrio 9", {}),
        ("DEFAULT Foo 9", {"Foo": "9"}),
        ("EVALSET Foo RequestCpus + 1", {"Foo": "3"}),
        ("EVALSET Foo Cmd", {"Foo": '"/bin/sleep"'}),
        ("EVALSET Foo Nothing", {"Foo": "undefined"}),
        ('EVALSET Foo split("a b")', {"Foo": '{ "a","b" }'}),
        ("EVALMACRO x RequestCpus * 10\nSET Foo $(x) / 2", {"Foo": "20 / 2"}),
        ("EVALMACRO x = RequestCpus * 10\nSET Foo $(x)", {"Foo": "20"}),
        ("COPY Cmd OrigCmd", {"OrigCmd": '"/bin/sleep"'}),
        ("COPY RequestMemory M", {"M": "RequestCpus * 100"}),
        ("COPY Nothing Foo", {}),
        ("RENAME JobPrio Prio", {"Prio": "5", "JobPrio": "-"}),
        ("DELETE JobPrio", {"JobPrio": "-"}),
        ("DELETE Nothing", {}),
        ("COPY /^Request(.+)/ Original\\1", {"OriginalCpus": "2", "OriginalMemory": "RequestCpus * 100"}),
        ("RENAME /^(Job)(Prio)$/ \\2\\1_\\0", {"PrioJob_JobPrio": "5", "JobPrio": "-"}),
        ("DELETE /^request/", {"RequestCpus": "-", "RequestMemory": "-"}),
        ("x = 1\ny = $(x)2\nx = 3\nSET Foo $(y)", {"Foo": "32"}),
        ('x = a\nx = $(x)b\nSET Foo "$(x)"', {"Foo": '"ab"'}),
        ('SET Foo "$(MY.Cmd)"', {"Foo": '"/bin/sleep"'}),
        ("SET Foo $(MY.RequestMemory) + 1", {"Foo": "RequestCpus * 100 + 1"}),
        ("SET Foo $INT(MY.RequestMemory)", {"Foo": "200"}),
        ("SET Foo $(MY.Nothing:7)", {"Foo": "7"}),
        ('SET Foo "$(Group)"', {"Foo": '"group_north"'}),
        ('site = south\nSET Foo "$(Group)"', {"Foo": '"group_south"'}),
        ('SET Foo "$ENV(HOME)"', {"Foo": '"/home/alice"'}),
        ("if defined MY.JobPrio\nSET Foo 1\nelse\nSET Foo 2\nendif", {"Foo": "1"}),
        ("if ! defined MY.Nothing\nSET Foo 1\nendif", {"Foo": "1"}),
        ("if $INT(MY.JobPrio) == 5\nSET Foo 1\nendif", "complex conditionals are not supported"),
        ("x @=end\n a\n b\n@end\nSET Foo $(x)", {}),
        ("REQUIREMENTS JobPrio == 5\nSET Foo 1", {"Foo": "1"}),
        ("REQUIREMENTS JobPrio == 6\nSET Foo 1", {}),
        ("REQUIREMENTS Nothing == 6\nSET Foo 1", {}),
        ("REQUIREMENTS JobPrio \\\n == \\\n 6\nSET Foo 1", {}),
        ("REQUIREMENTS JobPrio \\\n == 5\nSET Foo 1", {"Foo": "1"}),
        ("if $(LateMaterialization)\nSET Foo 1\nelse\nSET Foo 2\nendif", {"Foo": "2"}),
        ("REQUIREMENTS = JobPrio == 6\nSET Foo 1", {"Foo": "1"}),
        ("x @=end\nSET Foo 2\n@end\nSET Foo 1", {"Foo": "1"}),
        ("if $(IsLinux)\nSET Foo 1\nelif $(IsWindows)\nSET Foo 2\nendif", {"Foo": "1"}),
        ("if $(IsWindows)\nSET Foo 2\nendif", {}),
        ("SET Foo 1\nTRANSFORM\n", {"Foo": "1"}),
        ("SET Foo \\\n  1 + \\\n  2", {"Foo": "1 + 2"}),
        ("# comment\n\nSET Foo 1  ", {"Foo": "1"}),
    ],
)
def test_statements(rules: str, changes: dict[str, str] | str) -> None:
    if isinstance(changes, str):
        with pytest.raises(TransformError, match=changes):
            Bench().run(rules)
    else:
        assert Bench().run(rules) == changes


@pytest.mark.parametrize(
    "line", ["SET c, 7", "SET c= 7", "DEFAULT c, 7", "EVALSET c, 7", "RENAME Cmd, x", "COPY Cmd= x", "DELETE Cmd,"]
)
def test_a_comma_that_touches_a_name_is_told_and_does_nothing(line: str) -> None:
    """HTCondor sets an attribute with a zero byte in its name."""
    bench = Bench()
    assert bench.run(line) == {}
    keyword, name = line.split()[:2]
    assert bench.errors == [f"ERROR: {keyword} {name} does nothing: put a space before the {name[-1]}"]


def test_wrong_statements_are_told_and_passed_over() -> None:
    bench = Bench()
    changes = bench.run("SET A ((\nEVALSET B ((\nCOPY Cmd a-b\nSET a-b 1\nSET /c/ 1\nDELETE /(/\nSET C 1")
    assert changes == {"C": "1"}
    assert bench.errors == [
        "ERROR: SET A invalid expression : ((",
        "ERROR: EVALSET B could not evaluate : ((",
        "ERROR: COPY Cmd new name a-b is not valid",
        "ERROR: could not set a-b to 1",
        "ERROR: could not set /c/ to 1",
        "ERROR: Error compiling regex '('. this entry will be ignored.",
    ]


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("\nFOO a b", "test, line 2: FOO is not a valid transform keyword"),
        ("SET a", "test, line 1: SET needs 2 arguments"),
        ("DELETE", "test, line 1: DELETE needs an argument"),
        ("COPY /abc Foo", "test, line 1: invalid regex"),
        ("x = $(x2)\nx2 = $(x)\nSET Foo $(x)", "test, line 3: macro .* contains itself"),
        ("include : other", "test, line 1: can't open file other"),
        ("if x y\nendif", "test, line 1: .* is not a valid if condition"),
        ("REQUIREMENTS ((\nSET A 1", "invalid REQUIREMENTS"),
    ],
)
def test_rules_that_fail_name_the_line(rules: str, text: str) -> None:
    with pytest.raises(TransformError, match=text):
        Bench().run(rules)


def test_steps_read_as_recorded() -> None:
    bench = Bench(Args='"5"', Iwd='"/tmp"')
    bench.run(
        'x = alice\nSET Foo 17\nEVALSET Bar 1 + RequestCpus\nDEFAULT RequestMemory 99\nDEFAULT Missing "x$(x)"\n'
        "COPY Cmd OrigCmd\nRENAME Args Arguments\nDELETE Iwd\nEVALMACRO z RequestCpus * 10\n"
    )
    assert bench.steps == [
        "SET Foo to 17",
        "EVALSET Bar to 1 + RequestCpus",
        "    SET Bar to 3",
        "DEFAULT RequestMemory to 99",
        'DEFAULT Missing to "xalice"',
        'SET Missing to "xalice"',
        "COPY Cmd to OrigCmd",
        "RENAME Args to Arguments",
        "DELETE Iwd",
        "EVALMACRO z to RequestCpus * 10",
        "          z = 20",
    ]


def test_a_chained_ad_hides_what_its_parent_has() -> None:
    parent = ClassAd.from_text_items([("Owner", '"alice"'), ("JobPrio", "5")])
    ad = ClassAd.from_text_items([("ProcId", "0")])
    ad.chain(parent)
    subject = Subject(ad)
    run(read_rules("DELETE JobPrio\nRENAME Owner O\nSET A 1", "t"), subject, Session(), Log())
    assert dict(ad.local_items()) == {
        "ProcId": "0",
        "JobPrio": "undefined",
        "Owner": "undefined",
        "O": '"alice"',
        "A": "1",
    }
    assert list(subject.changed) == ["jobprio", "owner", "o", "a"]
    assert parent.text("Owner") == '"alice"'


def test_envelope_and_rest() -> None:
    rules = read_rules("NAME First\nUNIVERSE docker\nSET A 1\nTRANSFORM 2 x from (\na\nb\n)\n", "file")
    assert (rules.name, rules.universe, rules.iterate, rules.rest) == ("First", "docker", "2 x from (", "a\nb\n)\n")
    assert rules.body.rstrip("\n") == "\n\nSET A 1"
    assert read_rules("NAME First\n", "knob", keep_name=True).name == "knob"
    assert read_rules("TRANSFORM 1\nSET A 1\n", "f").body.strip() == ""
    assert not read_rules("A = 1\nSET = 2\nB @=end\nSET A 1\n@end\n", "f").has_statements
    assert check_statements(read_rules("SET A 1\nFROB x\n", "f")) == "line 2: FROB is not a valid transform keyword"


def _iteration(text: str) -> list[tuple[str, dict[str, str]]]:
    sources = ItemSources(lambda name: "1 one\n2 two\n", lambda command: "", lambda pattern: ["b", "c"], str)
    expander = Expander({"n": "2"}.get)
    rows = Iteration(read_rules(text, "f"), expander, sources).variables()
    return [(counters["step"], items) for items, counters in rows]


def test_rules_include_files_where_they_may() -> None:
    bench = Bench()
    with pytest.raises(TransformError, match="include of more is not allowed here"):
        bench.run("include : more\n")
    bench.session.read = {"more": "SET Included 7\n"}.__getitem__
    assert bench.run("SET A $(x)\ninclude : more\nSET B 2\n")["Included"] == "7"


def test_transform_statements_make_rows() -> None:
    assert _iteration("TRANSFORM $(n)") == [("0", {}), ("1", {})]
    assert _iteration("TRANSFORM a in (2.0, 100)") == [("0", {"a": "2.0"}), ("0", {"a": "100"})]
    assert _iteration("TRANSFORM in (x)") == [("0", {"item": "x"})]
    assert _iteration("TRANSFORM a,b from (\n1 2\n# no\n3, 4\n)") == [
        ("0", {"a": "1", "b": "2"}),
        ("0", {"a": "3", "b": "4"}),
    ]
    every = [("0", {"a": "1", "b": "one"}), ("0", {"a": "2", "b": "two"})]
    assert _iteration("TRANSFORM a,b from file") == every
    assert _iteration("TRANSFORM a,b from [1:] file") == every  # HTCondor passes over slices here
    assert _iteration("TRANSFORM f matching *") == [("0", {"f": "b"}), ("0", {"f": "c"})]
    assert _iteration("TRANSFORM a from (\n)") == []
    with pytest.raises(TransformError, match="without finding closing brace"):
        _iteration("TRANSFORM a from (\n1")


def test_definitions_hide_the_variables_of_a_transform_statement() -> None:
    bench = Bench()
    bench.session.items = {"step": "item", "x": "item"}
    bench.session.counters = {"row": "0", "itemindex": "0", "xformid": "0", "iterating": "1", "step": "0"}
    rules = 'SET Before "$(x) $(step) $(row)"\nx = mine\nrow = 7\nSET After "$(x) $(step) $(row)"\n'
    assert bench.run(rules) == {"Before": '"item item 0"', "After": '"mine item 7"'}


def test_old_style_rules() -> None:
    text = """[ Name = "old"; Requirements = TARGET.JobPrio == 5 && JobX =!= "TARGET.x"; copy_Cmd = "OrigCmd";
              delete_JobPrio = true; set_Foo = RequestCpus + 1; eval_set_Bar = RequestCpus + extra; extra = 10; ]"""
    assert is_old(text)
    rules = read_old_rules(text, "knob")
    assert rules.name == "old"
    assert rules.requirements == 'JobPrio == 5 && JobX =!= "TARGET.x"'
    bench = Bench()
    run(rules, Subject(bench.ad), bench.session, Log(error=bench.errors.append))
    assert bench.errors == []
    after = dict(bench.ad.text_items())
    assert after["OrigCmd"] == '"/bin/sleep"'
    assert "JobPrio" not in after
    assert after["Foo"] == "RequestCpus + 1"
    assert after["Bar"] == "12"
    assert "extra" not in after
    with pytest.raises(TransformError, match="Could not parse transform classad knob"):
        read_old_rules("[ a = ((", "knob")


def test_a_line_of_a_character_that_is_a_space_to_python_alone_is_no_statement() -> None:
    assert "is not a valid transform keyword" in check_statements(read_rules("\x85", "NAME"))

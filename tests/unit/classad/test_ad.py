"""The ClassAd as the rest of condor_py uses it: text in, text out, typed values, chained ads."""

from __future__ import annotations

import pickle

import pytest

from condor_py.lang.classad import ClassAd, ClassAdError, ClassAdException, ExprTree, Value, clock, parse


def ad_of(**attributes: str) -> ClassAd:
    return ClassAd.from_text_items(attributes.items())


def test_names_are_found_without_case_and_keep_their_first_spelling() -> None:
    ad = ClassAd()
    ad.set_text("JobPrio", "5")
    ad.set_text("JOBPRIO", "6")
    assert ad.text("jobprio") == "6"
    assert list(ad) == ["JobPrio"]


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("5", "5"),
        ("-5", "-5"),
        ("1.50", "1.5"),
        ("1.0", "1.0"),
        ("1e3", "1000.0"),
        ("1E-300", "1E-300"),
        ("TRUE", "true"),
        ("Undefined", "undefined"),
        ('"a\\b"', '"a\\b"'),
        ('"say \\"x\\""', '"say \\"x\\""'),
        ('"ends with \\"', '"ends with \\"'),
        ("1+1", "1 + 1"),
        ("(a)&&!b", "(a) &&  !b"),
        ("a is b", "a =?= b"),
        ("{1,2}", "{ 1,2 }"),
        ("[b=1;a=2]", "[ a = 2; b = 1 ]"),
        ("MAX({ 1024,(A + 1) * 1.25 }) * 1024", "MAX({ 1024,(A + 1) * 1.25 }) * 1024"),
        ("f( x,y )", "f(x,y)"),
        ("a?b:c", "a ? b : c"),
        ("-a", " -a"),
    ],
)
def test_text_is_what_the_tools_print(given: str, printed: str) -> None:
    ad = ad_of(X=given)
    assert ad.text("x") == printed
    assert ad_of(X=printed).text("x") == printed


def test_text_that_does_not_parse_is_kept_and_counts_as_error() -> None:
    ad = ad_of(X="1 +")
    assert ad.text("X") == "1 +"
    assert ad.evaluate("X") is Value.Error


def test_typed_setters_write_the_text_of_the_queue() -> None:
    ad = ClassAd()
    ad.set_int("I", 7)
    ad.set_real("R", 2.0)
    ad.set_bool("B", False)
    ad.set_str("S", 'a"b\\c')
    assert dict(ad.local_items()) == {"I": "7", "R": "2.0", "B": "false", "S": '"a\\"b\\c"'}
    assert ad.eval_str("S") == 'a"b\\c'


def test_typed_getters_convert_numbers_and_nothing_else() -> None:
    ad = ad_of(I="7", R="2.9", B="true", S='"x"', U="undefined", E="I + 1", Bad="1/0")
    assert (ad.eval_int("I"), ad.eval_int("R"), ad.eval_int("B"), ad.eval_int("E")) == (7, 2, 1, 8)
    assert (ad.eval_real("I"), ad.eval_real("R")) == (7.0, 2.9)
    assert (ad.eval_bool("I"), ad.eval_bool("B")) == (True, True)
    assert ad.eval_str("S") == "x"
    for name in ("S", "U", "Bad", "Missing"):
        assert ad.eval_int(name) is None
        assert ad.eval_int(name, 3) == 3
    assert ad.eval_str("I", "none") == "none"
    assert ad.eval_bool("S", default=False) is False


def test_chained_ads_share_what_the_parent_has() -> None:
    cluster = ad_of(Cmd='"/bin/sleep"', Args='"1"', Total="ProcId + 100")
    proc = ad_of(ProcId="3", ARGS='"2"')
    proc.chain(cluster)
    assert proc.eval_str("Cmd") == "/bin/sleep"
    assert proc.text("Args") == '"2"'
    assert proc.eval_int("Total") == 103
    assert proc.local_text("Cmd") is None
    assert proc.has("cmd")
    assert len(proc) == 2
    assert proc.text_items() == [
        ("Cmd", '"/bin/sleep"'),
        ("Args", '"2"'),
        ("Total", "ProcId + 100"),
        ("ProcId", "3"),
    ]
    assert [name for name, _ in proc.text_items("sorted")] == ["Args", "Cmd", "ProcId", "Total"]
    assert proc.remove("args")
    assert not proc.remove("args")
    assert proc.text("Args") == '"1"'
    flat = proc.flat_copy()
    assert flat.parent is None
    assert flat.local_text("Cmd") == '"/bin/sleep"'
    copy = proc.copy()
    copy.set_int("ProcId", 4)
    assert (copy.eval_int("Total"), proc.eval_int("Total")) == (104, 103)


def test_an_ad_cannot_be_its_own_parent() -> None:
    first, second = ClassAd(), ClassAd()
    first.chain(second)
    with pytest.raises(ClassAdError):
        second.chain(first)


def test_equal_pairs_are_one_object_and_parsed_once() -> None:
    text = "TARGET.Memory >= RequestMemory && TARGET.Disk >= RequestDisk"
    ads = [ad_of(Requirements=text, RequestMemory="1", RequestDisk="2") for _ in range(1000)]
    assert len({id(ad.attrs["requirements"]) for ad in ads}) == 1
    assert ads[0].attrs["requirements"].node is ads[-1].attrs["requirements"].node


def test_a_queue_of_procs_costs_little_memory() -> None:
    import tracemalloc

    cluster = ad_of(Cmd='"/bin/true"', Requirements="TARGET.Memory >= 1")
    tracemalloc.start()
    procs = []
    for number in range(10_000):
        proc = ClassAd()
        proc.set_int("ProcId", number)
        proc.set_text("JobStatus", "1")
        proc.set_text("GlobalJobId", f'"host#1.{number}#1700000000"')
        proc.chain(cluster)
        procs.append(proc)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used / len(procs) < 1500


def test_names_that_need_quotes_survive_printing() -> None:
    ad = ClassAd({"with space": 1, "true": 2, "plain": 3})
    assert repr(ad) == "[ 'true' = 2; plain = 3; 'with space' = 1 ]"
    assert ClassAd(repr(ad)) == ad


def test_evaluation_can_be_given_a_clock() -> None:
    ad = ad_of(Now="time()", Old="time() - QDate", QDate="1000")
    with clock.frozen(1700000000.9):
        assert ad.eval_int("Now") == 1700000000
        assert ad.eval_int("Old") == 1699999000
        assert ad.eval_text("CurrentTime") == 1700000000
    assert ad.eval_int("Now", 0) != 1700000000


def test_ads_and_expressions_can_be_pickled_and_copied() -> None:
    ad = ClassAd('[ a = 1; b = a + 1; s = "x" ]')
    assert pickle.loads(pickle.dumps(ad)) == ad
    assert pickle.loads(pickle.dumps(ad.lookup("b"))) == ExprTree("a + 1")


def test_parsed_expressions_are_remembered() -> None:
    assert parse("a + 1") is parse("a + 1")


@pytest.mark.parametrize("name", [1, None, b"A"])
def test_only_strings_are_looked_for(name: object) -> None:
    with pytest.raises(TypeError, match="strings"):
        assert name in ClassAd({"A": 1})


def test_an_attribute_cannot_have_an_empty_name() -> None:
    ad = ClassAd()
    for assign in (lambda: ad.__setitem__("", 1), lambda: ad.setdefault("", 1), lambda: ad.update({"": 1})):
        with pytest.raises(ClassAdException, match="Insert"):
            assign()
    assert len(ad) == 0
    assert repr(ClassAd({"": 1, "a": {"": 1, "b": 2}})) == "[ a = [ b = 2 ] ]"

"""The output forms of the tools, and reading them back."""

from __future__ import annotations

import pytest

from condor_py.cli.output.ads import write_ads
from condor_py.lang.classad import ClassAd, ClassAdParseError, ParserType, parseAds, parseNext, quote, unquote
from condor_py.lang.classad.formats.old import format_old
from condor_py.lang.classad.formats.read import read_ads

CLUSTER = ClassAd.from_text_items(
    [
        ("ClusterId", "25"),
        ("Cmd", '"/bin/sleep"'),
        ("RequestDisk", "MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024"),
        ("JobStatus", "1"),
    ]
)


def proc(number: int, status: int) -> ClassAd:
    ad = ClassAd.from_text_items([("ProcId", str(number)), ("JobStatus", str(status))])
    ad.chain(CLUSTER)
    return ad


ADS = [proc(0, 7), proc(3, 1)]


def show(form: str, ads: list[ClassAd] = ADS, **options: object) -> str:
    return "".join(write_ads(ads, form, **options))  # type: ignore[arg-type]


def test_long() -> None:
    assert show("long", attributes=["clusterid", "ProcId", "RequestDisk", "Foo"]) == (
        "ClusterId = 25\nProcId = 0\nRequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024\n\n"
        "ClusterId = 25\nProcId = 3\nRequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024\n\n"
    )


def test_storage_order_is_by_length_then_name() -> None:
    lines = show("long", ADS[:1], ordered=False).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["Cmd", "ProcId", "ClusterId", "JobStatus", "RequestDisk", ""]


def test_json() -> None:
    assert show("json", attributes=["ClusterId", "Cmd", "JobStatus", "RequestDisk"]) == (
        '[\n{\n  "ClusterId": 25,\n  "Cmd": "/bin/sleep",\n  "JobStatus": 7,\n'
        '  "RequestDisk": "\\/Expr(MAX({ 1024,(TransferInputSizeMB + 1) * 1.250000000000000E+00 }) * 1024)\\/"\n}\n'
        ',\n{\n  "ClusterId": 25,\n  "Cmd": "/bin/sleep",\n  "JobStatus": 1,\n'
        '  "RequestDisk": "\\/Expr(MAX({ 1024,(TransferInputSizeMB + 1) * 1.250000000000000E+00 }) * 1024)\\/"\n}\n]\n'
    )


def test_xml() -> None:
    assert show("xml", ADS[:1], attributes=["ClusterId", "Cmd", "RequestDisk"]) == (
        '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n<c>\n'
        '    <a n="ClusterId"><i>25</i></a>\n    <a n="Cmd"><s>/bin/sleep</s></a>\n'
        '    <a n="RequestDisk"><e>MAX({ 1024,(TransferInputSizeMB + 1) * 1.250000000000000E+00 }) * 1024</e></a>\n'
        "</c>\n</classads>\n"
    )


def test_new_and_json_lines() -> None:
    assert show("new", attributes=["ClusterId", "Cmd"]) == (
        '{\n[ ClusterId = 25; Cmd = "/bin/sleep" ]\n,\n[ ClusterId = 25; Cmd = "/bin/sleep" ]\n}\n'
    )
    assert show("jsonl", attributes=["ClusterId", "Cmd"]) == '{"ClusterId": 25,"Cmd": "/bin/sleep"}\n' * 2


def test_no_ads() -> None:
    assert [show(form, []) for form in ("long", "json", "jsonl", "new")] == ["", "", "", ""]
    assert show("xml", []).endswith("<classads>\n</classads>\n")


EVERYTHING = ClassAd(
    '[ i = -7; r = 2.5; z = 0.0; big = 1E300; t = true; u = undefined; e = error; s = "a\\"b\\\\c\\n<&>\u00e9"; '
    'l = {1,"x",{2}}; n = [p = 1; q = p + 1]; x = i + 1 < 2 && s != "y"; at = absTime("2024-01-02T03:04:05+01:00");'
    " f = strcat(s, \"\\t\"); 'odd name' = 1 ]"
)


@pytest.mark.parametrize("form", ["json", "jsonl", "xml", "new"])
def test_every_form_reads_back(form: str) -> None:
    text = show(form, [EVERYTHING, ADS[0].flat_copy()])
    assert list(read_ads(text)) == [EVERYTHING, ADS[0].flat_copy()]


def test_long_form_reads_back_but_for_line_breaks_in_strings() -> None:
    ad = EVERYTHING.copy()
    ad.set_str("s", 'quote " and backslash \\ inside')
    ad.set_text("f", 'strcat(s, "x")')
    assert list(read_ads(show("long", [ad]))) == [ad]


def test_a_bad_line_ends_its_ad_only() -> None:
    text = "# two ads\nA = 1\nB = (\nC = 3\n\n  D = 4  \n\n\nE = 5"
    assert [ad.text_items() for ad in read_ads(text, "Old")] == [[("A", "1")], [("D", "4")], [("E", "5")]]


def test_windows_line_ends_are_fine() -> None:
    assert [ad.text_items() for ad in read_ads("A = 1\r\n\r\nB = 2\r\n", "Old")] == [[("A", "1")], [("B", "2")]]


@pytest.mark.parametrize("text", ["{", '{"a" 1}', '{"a": }', '["x"]', '<c><a n="x"></a></c>', "[a=", "[;]"])
def test_damaged_texts_are_refused(text: str) -> None:
    with pytest.raises(ClassAdParseError):
        list(read_ads(text, "FileAuto"))


@pytest.mark.parametrize(
    ("text", "ads"),
    [
        ('[\n{"a": 1}\n,\n{"a": 2}\n]\n', 2),
        ('{"a": 1}\n{"a": 2}\n', 2),
        ("{\n[a = 1]\n,\n[a = 2]\n}\n", 2),
        ("[a = 1]\n[a = 2]", 2),
        ('<c><a n="a"><i>1</a></c>\n<c><a n="a"><i>2</i></a>', 2),
        ("# nothing\n\na = 1\n\na = 2\n", 2),
        ("", 0),
        ("[]", 0),
        ("<c>", 0),
    ],
)
def test_files_of_several_ads(text: str, ads: int) -> None:
    assert [ad["a"] for ad in read_ads(text)] == list(range(1, ads + 1))


def test_json_forgives_some_commas_only() -> None:
    assert [len(ad) for ad in read_ads('{,"a": 1,,"b": [],}', "JSON")] == [2]
    for text in ("{,}", '{"a": [1,]}', '{"a": [,1]}'):
        with pytest.raises(ClassAdParseError):
            list(read_ads(text + " ", "JSON"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('"plain"', "plain"), ("'single'", "single'"), ('"a\\"b"', 'a"b'), ('\\\\"a"', '"a'), ('\\n"a"', "n"),
        ('"', None), ('\\"a"', None), ('\\"a\\"', None), ('""', None), ("z", None),
    ],
)  # fmt: skip
def test_a_name_of_xml_is_behind_any_one_character_and_ends_at_a_quote(written: str, name: str | None) -> None:
    """As HTCondor 25 reads them: a backslash counts only inside of the name."""
    text = f"<c><a n={written}><i>1</i></a></c> "
    if name is not None:
        assert [dict(ad) for ad in read_ads(text, "XML")] == [{name: 1}]
        return
    with pytest.raises(ClassAdParseError):
        list(read_ads(text, "XML"))


def test_deep_json_is_refused_not_crashed() -> None:
    with pytest.raises(ClassAdParseError, match="too deeply"):
        list(read_ads('{"a":' + "[" * 100_000, "JSON"))


def test_names_are_quoted_in_old_format() -> None:
    assert format_old([("odd name", "1"), ("Plain", "2")]) == "'odd name' = 1\nPlain = 2\n"


def test_damaged_numbers_of_json_are_refused_and_hexadecimal_reals_read() -> None:
    for text in ("1..2", "60..17", "0x", "0x1", "0x1.", "0x1.8e", "0x1.8e+", "1.", "01"):
        with pytest.raises(ClassAdParseError):
            list(read_ads(f'{{"a": {text}, "b": 2}} ', "JSON"))
    texts = {"..5": 0.0, "0x1.8": 1.5, "-0x1.8": -1.5, "0x1.8e+3": 1.5546875, "1.5e3": 1500.0}
    for text, value in texts.items():
        (ad,) = read_ads(f'{{"a": {text}, "b": [{text}]}}', "JSON")
        assert ad["a"] == value
    assert ClassAd.from_text_items([("a", "0x1.8e8")])["a"] == 1.556640625


def test_what_follows_a_choice_in_an_expression_of_json_is_not_read() -> None:
    (ad,) = read_ads('{"a": "\\/Expr(t ? 1 : 2 : undefined)\\/"}', "JSON")
    assert ad.text("a") == "t ? 1 : 2"
    with pytest.raises(ClassAdParseError):
        list(read_ads('{"a": "\\/Expr(1 2)\\/"} ', "JSON"))


@pytest.mark.parametrize("text", ["[ e-]", "[ e-1]", "['e' -]", "[ e.b /*;*/ -]", "[ e--]"])
def test_a_minus_behind_a_name_is_a_mistake(text: str) -> None:
    """HTCondor's scanner does not look whether a number follows, and so does not come to the end of the text."""
    with pytest.raises(ClassAdParseError):
        list(parseAds(text, ParserType.New))


@pytest.mark.parametrize("text", ["[-]", "[ /*;*/ -1", "[{-1["])
def test_a_minus_that_may_begin_a_number_is_the_end_of_the_text(text: str) -> None:
    """What classad2 makes of it: it has read the last character."""
    assert list(parseAds(text, ParserType.New)) == []


def test_none_is_quoted_as_no_text_and_only_text_is_quoted() -> None:
    assert quote(None) == quote("") == '""'
    for given in (1, b"a"):
        with pytest.raises(TypeError):
            quote(given)  # type: ignore[arg-type]
    for given in (None, 1, b"a"):
        with pytest.raises(TypeError):
            unquote(given)  # type: ignore[arg-type]


def test_a_parser_may_be_given_by_its_number() -> None:
    for number in (-1, 3, 5):
        assert [repr(ad) for ad in parseAds("[a=1] [b=2]", number)] == ["[ a = 1 ]", "[ b = 2 ]"]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parse"):
        parseNext("a = 1", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        parseNext("a = 1", None)  # type: ignore[arg-type]

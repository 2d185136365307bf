"""JSON between daemons: what the quick way writes and reads is what ``json`` does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from condor_py.model import jsontext

VALUES = (
    {},
    {"op": "activate", "job": "1.2", "run": 1, "common": [], "claim": "<127.0.0.1:9618?addrs=x>#1#2#..."},
    {"text": 'quote " and \\ and \n and ü \U0001f600 and \udc80', "none": None, "yes": True, "no": False},
    {"usage": {"user_cpu": 0.1, "huge": 1e300, "least": -(1 << 63)}, "list": [1, [2, [3.5]], ""]},
)


@pytest.mark.parametrize("value", VALUES)
def test_values_go_there_and_back(value: object) -> None:
    text = jsontext.write(value)
    assert text == json.dumps(value, separators=(",", ":"))
    assert jsontext.read(text.encode()) == value


@pytest.mark.parametrize("data", [b" {}", b'{"a": 1}\n', b"[1, 2]", '{"ü": "\U0001f600"}'.encode()])
def test_what_others_write_is_read_as_well(data: bytes) -> None:
    assert jsontext.read(data) == json.loads(data)


@pytest.mark.parametrize("data", [b"", b"{", b"{}x", b"nul", b"\xff", b"{'a': 1}", b'{"a": "\n"}'])
def test_what_is_no_json_is_refused_with_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        jsontext.read(data)


def test_it_is_refused_in_the_same_way_where_json_is_not_loaded() -> None:
    """The part in C makes its errors with a class of ``json``, which a daemon has not loaded at first."""
    program = (
        "import sys\nfrom condor_py.model import jsontext\nassert 'json' not in sys.modules\n"
        'try:\n    jsontext.read(b\'{"op": "query"\')\nexcept ValueError as error:\n    print(error)\n'
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", "Expecting ',' delimiter: line 1 column 15 (char 14)\n")


def test_too_deep_is_refused_and_what_is_no_json_is_not_written() -> None:
    with pytest.raises(RecursionError):
        jsontext.read(b"[" * 100_000)
    with pytest.raises(TypeError):
        jsontext.write({"a": object()})

"""The text of condor_metrics is what the official parsers of the two formats read."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from condor_py.cli.metrics.__init__ import serve
from condor_py.cli.metrics.families import Family, text
from condor_py.model.errors import CondorError

NUMBERS = st.one_of(st.integers(-(10**17), 10**17), st.floats())


@settings(max_examples=400)
@given(st.lists(st.tuples(st.text(), NUMBERS), min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
def test_any_name_and_number_is_read_back(samples: list[tuple[str, float]]) -> None:
    family = Family("condor_things_seconds", "gauge", 'Of "things"\\', "seconds")
    for owner, value in samples:
        family.add(value, {"owner": owner})
    for form, parser in ((True, openmetrics), (False, prometheus)):
        (found,) = parser(text([family], openmetrics=form))
        assert found.type == "gauge"
        assert [sample.labels["owner"] for sample in found.samples] == [owner for owner, _ in samples]
        for sample, (_, value) in zip(found.samples, samples, strict=True):
            assert float(sample.value) == float(value) or (math.isnan(sample.value) and math.isnan(value))


def test_counters_have_their_suffix_and_what_is_not_known_is_left_out() -> None:
    starts, unknown = Family("condor_starts", "counter", "Starts."), Family("condor_nothing", "gauge", "Nothing.")
    starts.add(3)
    unknown.add(None)
    (found,) = openmetrics(text([starts, unknown]))
    assert (found.name, found.type, found.samples[0].name, found.samples[0].value) == (
        "condor_starts",
        "counter",
        "condor_starts_total",
        3,
    )
    (older,) = prometheus(text([starts, unknown], openmetrics=False))
    assert (older.type, older.samples[0].name) == ("counter", "condor_starts_total")


def test_bytes_that_are_no_text_become_a_sign_for_that() -> None:
    family = Family("condor_things", "gauge", "Things.")
    family.add(1, {"owner": b"a\xff".decode("utf-8", "surrogateescape")})
    (found,) = openmetrics(text([family]).encode().decode())
    assert found.samples[0].labels == {"owner": "a\N{REPLACEMENT CHARACTER}"}


@pytest.mark.parametrize(
    "address", ["0.0.0.0:9000", "10.1.2.3:80", "[::]:80", "example.net:80", "x", "127.0.0.1:99999"]
)
def test_it_listens_on_this_machine_only(address: str) -> None:
    with pytest.raises(CondorError, match="condor_metrics: "):
        serve(address, lambda _: "")

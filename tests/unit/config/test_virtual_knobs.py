"""What made-up hardware addresses of virtual machines begin with."""

from __future__ import annotations

import pytest

from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import virtual
from condor_py.model.errors import ConfigError
from condor_py.model.settings.virtual import VmSettings

KNOB = "VM_NETWORKING_MAC_PREFIX"


def configured(prefix: str) -> VmSettings:
    return virtual(load({"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{KNOB}": prefix}))


@pytest.mark.parametrize(
    ("prefix", "begins"),
    [("", "52:54:00"), ("02", "02"), ('"A0:b1:"', "a0:b1"), ("02:00:00:00:00", "02:00:00:00:00")],
)
def test_addresses_begin_as_the_knob_says(prefix: str, begins: str) -> None:
    assert configured(prefix).mac_prefix == begins


@pytest.mark.parametrize("prefix", ["2", "02:0", "0g", "02::03", "02-03", "02:00:00:00:00:00", "é0"])
def test_what_is_no_beginning_of_an_address_is_told(prefix: str) -> None:
    with pytest.raises(ConfigError) as error:
        configured(prefix)
    assert error.value.knob == KNOB

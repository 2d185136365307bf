"""Names of the machine, as the kernel has them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from condor_py.lang.config import detected


@pytest.mark.parametrize(
    ("name", "short", "full"),
    [
        ("a b\nc.d", "a_b_c", "a_b_c.d"),
        ('x"y\\z', "x_y_z", "x_y_z"),
        ("", "localhost", "localhost"),
        ("a\u00a0b\x07c'd\x7f", "a_b_c_d_", "a_b_c_d_"),
        ("jürgen", "jürgen", "jürgen"),
    ],
)
def test_a_host_name_of_any_bytes_is_a_word(monkeypatch: pytest.MonkeyPatch, name: str, short: str, full: str) -> None:
    monkeypatch.setattr(detected.os, "uname", lambda: SimpleNamespace(nodename=name))
    known = SimpleNamespace(text_of=lambda path: "127.0.0.1 localhost\n")
    assert (detected.hostname(), detected.full_hostname(known)) == (short, full)  # type: ignore[arg-type]

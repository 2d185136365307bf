"""The reference implementation: HTCondor's own classad2, loaded as HTCondor's tools load it (with htcondor2)."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from condor_py.lang import classad


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    os.environ.setdefault("CONDOR_CONFIG", "/dev/null")
    pytest.importorskip("htcondor2")
    return pytest.importorskip("classad2")


@pytest.fixture(scope="session")
def both(reference: ModuleType) -> Callable[[Callable[[Any], Any]], tuple[Any, Any]]:
    """Runs a function with either module; gives both outcomes in a form that compares."""

    def run(action: Callable[[Any], Any]) -> tuple[Any, Any]:
        return outcome(reference, action), outcome(classad, action)

    return run


def outcome(module: Any, action: Callable[[Any], Any]) -> Any:
    """The result of ``action(module)``, or the kind of exception."""
    try:
        return plain(action(module))
    except (ValueError, module.ClassAdException):
        return "refused"
    except (KeyError, TypeError) as error:
        return type(error).__name__


def plain(value: Any) -> Any:
    """A value of either module without the module's own types; 1, 1.0 and True stay different."""
    kind = type(value).__name__
    if kind in ("ClassAd", "ExprTree"):
        return (kind, repr(value))
    if kind == "Value":
        return value.name
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return (kind, repr(value))

"""Lint: what is probably wrong with a configuration that loads. Nothing here raises on it, or changes it.

``lint`` looks at one loaded configuration, ``needs_restart`` at two: what a daemon runs with, and what is on disk now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.config.lint.finding import SEVERITIES, Finding, Severity

if TYPE_CHECKING:
    from condor_py.config import Config

__all__ = ["SEVERITIES", "Finding", "Severity", "lint", "needs_restart"]


def lint(config: Config) -> list[Finding]:
    """The findings about what ``config``'s files and environment set, in the order of files and lines."""
    if not len(config.macros):
        return []
    from condor_py.config.lint.effects import check_effects
    from condor_py.config.lint.expressions import check_expressions
    from condor_py.config.lint.groups import check_groups
    from condor_py.config.lint.names import check_names
    from condor_py.config.lint.policy import check_policy
    from condor_py.config.lint.subject import Subject
    from condor_py.config.lint.values import check_values

    subject = Subject(config)
    checks = (check_names, check_values, check_expressions, check_policy, check_groups, check_effects)
    found = {finding for check in checks for finding in check(subject)}
    return sorted(found, key=lambda one: (subject.rank(one.file), one.line, one.knob.lower(), one.message))


def needs_restart(running: Config, loaded: Config) -> list[Finding]:
    """The knobs whose value in ``loaded`` a daemon that runs with ``running`` takes over only when it restarts."""
    from condor_py.config.lint.changes import check_changes

    return list(check_changes(running, loaded))

"""Lint: what is probably wrong with a configuration that loads. Nothing here raises on it, or changes it.

``lint`` reads one loaded configuration, ``needs_restart`` at two: what a daemon runs with, and what is on disk now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.lang.config.lint.finding import SEVERITIES, Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from condor_py.lang.config import Config
    from condor_py.lang.config.lint.starting import Build

__all__ = ["SEVERITIES", "Finding", "Severity", "arranged", "lint", "needs_restart"]

_NONE: Mapping[str, Sequence[Build]] = {}


def lint(
    config: Config, seen: Callable[[str], Config] | None = None, cores: Mapping[str, Sequence[Build]] = _NONE
) -> list[Finding]:
    """The findings about what ``config``'s files and environment set, in the order of files and lines.

    ``seen`` reads the configuration as a daemon does (``load`` with its subsystem); without it conditions on the
    subsystem count as they do for ``config``. ``cores`` is what daemons read, by subsystem, besides their settings:
    ConfigError for what keeps them from starting.
    """
    from condor_py.lang.config.lint.files import check_files, check_sections, check_user_file

    if not config.files and not len(config.macros):
        return list(check_user_file(config))
    from condor_py.lang.config.lint.effects import check_effects, check_programs
    from condor_py.lang.config.lint.expressions import check_expressions
    from condor_py.lang.config.lint.groups import check_groups
    from condor_py.lang.config.lint.names import check_names
    from condor_py.lang.config.lint.policy import check_policy
    from condor_py.lang.config.lint.starting import check_starting
    from condor_py.lang.config.lint.subject import Subject
    from condor_py.lang.config.lint.sums import check_sums
    from condor_py.lang.config.lint.values import check_values
    from condor_py.lang.config.lint.words import check_words

    subject = Subject(config)
    spelled = (check_names, check_values, check_words, check_expressions)
    checks = (*spelled, check_policy, check_groups, check_effects, check_programs, check_files, check_sums)
    found = {finding for check in checks for finding in check(subject)}
    found.update(check_user_file(config), check_sections(config))
    known = {(one.file, one.line, one.knob.lower()) for one in found if one.severity == "error"}
    refused = check_starting(config, seen or config.seen_by, cores)
    found.update(one for one in refused if (one.file, one.line, one.knob.lower()) not in known)
    return arranged(config, found)


def arranged(config: Config, found: Iterable[Finding]) -> list[Finding]:
    """``found`` in the order in which ``config`` was read."""
    ranks = {file: index for index, file in enumerate(config.files)}
    last = len(ranks)  # what is no file
    return sorted(found, key=lambda one: (ranks.get(one.file, last), one.line, one.knob.lower(), one.message))


def needs_restart(running: Config, loaded: Config) -> list[Finding]:
    """The knobs whose value in ``loaded`` a daemon that runs with ``running`` takes over only when it restarts."""
    from condor_py.lang.config.lint.changes import check_changes

    return list(check_changes(running, loaded))

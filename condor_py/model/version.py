"""Version strings in the form that programs parse: two ``$Condor…: … $`` lines."""

from __future__ import annotations

import condor_py

#: The HTCondor release whose behaviour and formats we follow.
HTCONDOR_VERSION = "25.14.0"
HTCONDOR_DATE = "2026-11-20"
#: What tells our daemons from HTCondor's.
BUILD_MARK = "BuildID: condor_py"
CONDOR_VERSION = f"$CondorVersion: {HTCONDOR_VERSION} {HTCONDOR_DATE} {BUILD_MARK}-{condor_py.__version__} $"


def with_commit(commit: str) -> str:
    """The version line of a checkout at ``commit`` ("" for none), where packages of HTCondor have it, too."""
    return CONDOR_VERSION.removesuffix("$") + f"GitSHA: {commit[:8]} $" if commit else CONDOR_VERSION


def condor_platform(arch: str, distro: str) -> str:
    """The platform line for an Arch ("X86_64") and a distribution tag ("Debian_12")."""
    return f"$CondorPlatform: {arch}-{distro} $"

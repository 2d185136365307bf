"""The commands of X.509 proxies."""

from __future__ import annotations

import os
from functools import cache

from condor_py.lang.submit.job import JobMaker
from condor_py.model.later import loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


@cache
def _number() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*[+-]?\d*\Z")


def set_proxy(job: JobMaker) -> None:
    """x509userproxy and DelegateJobGSICredentialsLifetime (seconds). A proxy that cannot be read, or that is not valid
    for CRED_MIN_TIME_LEFT seconds more, fails the job."""
    file = job.param("x509userproxy") if job.looks_at_files else None
    if file is None and job.looks_at_files and job.param_bool("use_x509userproxy"):
        file = job.env.get("X509_USER_PROXY") or f"/tmp/x509up_u{os.getuid()}"
    if file is not None:
        path = job.full_path(file)
        expires = expiration(path)
        if expires is None:
            raise job.fail("unable to read proxy file\n")
        if expires < job.now:
            raise job.fail("proxy has expired\n")
        if expires < job.now + job.settings.min_proxy_time:
            raise job.fail("proxy lifetime too short\n")
        job.assign_string("x509userproxy", path)
    lifetime = job.param("delegate_job_gsi_credentials_lifetime", "DelegateJobGSICredentialsLifetime")
    if lifetime is not None:
        if not _number().match(lifetime):
            raise job.fail(f"invalid integer setting delegate_job_gsi_credentials_lifetime = {lifetime}\n")
        digits = lifetime.strip().lstrip("+-")
        sign = -1 if lifetime.strip().startswith("-") else 1
        job.assign_int("DelegateJobGSICredentialsLifetime", sign * int(digits or 0))


def expiration(path: str) -> int | None:
    """Until when (Unix time) the first certificate of a PEM file is valid; None where there is none."""
    try:
        # The standard library decodes the certificates of files only by this function, which it keeps for its tests.
        found = loaded("_ssl")._test_decode_cert(path)
        import ssl  # of no use to jobs without a proxy

        return int(ssl.cert_time_to_seconds(found["notAfter"]))
    except (OSError, ValueError, KeyError, AttributeError):
        return None

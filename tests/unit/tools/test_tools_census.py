"""Every command of HTCondor is there, or the papers say why not."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from condor_py.cli.entry import PROGRAMS

ROOT = Path(__file__).resolve().parents[3]
CENSUS = runpy.run_path(str(ROOT / "tests" / "tools_census"))
#: Commands that are about to come, or of which it is not yet decided.
_TO_COME = """
    condor_advertise condor_credd condor_credmon_krb condor_credmon_oauth condor_credmon_vault
    condor_evicted_files condor_fetchlog condor_findhost condor_gather_info condor_ping
    condor_pool_job_report condor_qusers condor_scitoken_exchange condor_ssl_fingerprint
    condor_store_cred condor_test_match condor_test_token condor_testwritelog condor_token_create
    condor_token_fetch condor_token_list condor_token_request condor_token_request_approve
    condor_token_request_auto_approve condor_token_request_list condor_updates_stats
    condor_upgrade_check condor_userlog_job_counter condor_vault_storer
"""
TO_COME = set(_TO_COME.split())


def test_each_command_is_there_or_refused() -> None:
    names = set(CENSUS["LISTED"].read_text().split())
    assert names - set(PROGRAMS) - set(CENSUS["refused"]()) <= TO_COME
    assert not set(CENSUS["refused"]()) & set(PROGRAMS), "what is there is not refused"


def test_names_are_found_in_a_list_of_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "list"
    listed.write_text(
        "/.\n/usr/bin/condor_q\n/usr/libexec/condor/condor_kflops\n/usr/share/doc/condor_x\ncondor_rm.rst\n"
    )
    assert CENSUS["main"]([str(listed)]) == 0
    assert capsys.readouterr().out == "condor_kflops\tthere\ncondor_q\tthere\ncondor_rm\tthere\n"
    listed.write_text("/usr/sbin/condor_had\n/usr/bin/condor_nosuch\n")
    assert CENSUS["main"]([str(listed)]) == 1
    assert capsys.readouterr().out == "condor_had\tno second machine takes over\ncondor_nosuch\t?\n"

"""The hooks at the access point are those of the configuration as it is when a job starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from condor_py.daemons.common.program import Ended
from condor_py.daemons.schedd.shadowhooks import Preparations
from condor_py.daemons.starter.starterhooks import decision
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import Activate
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.schedd import ShadowHook, ShadowHooks


def test_a_hook_that_was_just_configured_counts(tmp_path: Path) -> None:
    log, failed = tmp_path / "ShadowLog", list[object]()
    hooks = [ShadowHooks((ShadowHook("A", "/a"),), "A"), ShadowHooks()]
    preparations = Preparations(
        SimpleNamespace(),  # type: ignore[arg-type]
        LogSettings(str(log)),
        ShadowHooks((ShadowHook("A", "/a"),)),
        lambda: hooks.pop(0),
        _unwanted,
        failed.append,
    )
    ad = ClassAd({"Owner": "alice"})
    assert preparations.begin(Activate("claim", JobId(1, 0), 1), ad)
    assert "ERROR: SHADOW_PREPARE_JOB of job 1.0" in log.read_text()
    assert len(failed) == 1
    assert not preparations.begin(Activate("claim", JobId(1, 0), 2), ad)


def _unwanted(*words: object) -> None:
    raise AssertionError("there is nothing to send")


def test_changes_that_were_cut_are_not_made() -> None:
    whole = decision("PREPARE_JOB", "/h", Ended(0, 0, b'Cmd = "/bin/true"\nArgs = "12', b""))
    assert (whole.ok, whole.changes) == (True, (("Cmd", '"/bin/true"'),))
    cut = decision("PREPARE_JOB", "/h", Ended(0, 0, b'Cmd = "/bin/true"\nArgs = 12', b"", cut=True))
    assert (cut.ok, cut.holds, cut.changes) == (False, True, ())
    assert cut.message == "PREPARE_JOB (h) failed (printed more than 27 bytes): <no message>"

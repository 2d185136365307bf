"""The page for a screen on the wall: who sees names on it, and what it says of batches."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import pytest
from tool_runner import Spool

from condor_py.cli.web.app import Site
from condor_py.cli.web.live import Watch
from condor_py.cli.web.login import Doorkeeper
from condor_py.cli.web.page import Asked, Viewer
from condor_py.cli.web.pages import wall
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.web import WebSettings
from condor_py.store.ad_store import AdStore

SLOT = {"Name": '"slot1_1@lab"', "State": '"Claimed"', "Activity": '"Busy"', "Cpus": "1", "Memory": "10", "SlotID": "1",
        "RemoteUser": '"secretive@lab"', "RemoteOwner": '"secretive@lab"', "JobId": '"1.0"',
        "DynamicSlot": "true"}  # fmt: skip


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Two batches of a user whose name is secret, one of which runs, and a slot."""
    for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "local"))
    spool = Spool(tmp_path)
    spool.add(1, 3, owner="secretive", JobBatchName='"covert"')
    spool.set("1.0", "JobStatus", "2")
    spool.add(2, 2, owner="secretive", JobBatchName='"hidden"', LastRejMatchReason='"no match found"')
    made = Watch()
    os.makedirs(made.pool.paths.ads)
    AdStore(made.pool.paths.ads).publish("STARTD", [ClassAd.from_text_items(list(SLOT.items()))])
    return made


def view(watch: Watch, who: str) -> Any:
    return wall.view(watch, Asked(Viewer(who, False), {}, (), 1795212600))


def test_a_person_who_is_logged_in_sees_who_runs_what(watch: Watch) -> None:
    found = view(watch, "bob")
    assert found["jobs"] == {"running": 1, "idle": 4, "held": 0}
    assert [(row["name"], row["running"], row["idle"]) for row in found["running"]] == [("covert", 1, 2)]
    assert [(row["name"], row["idle"]) for row in found["waiting"]] == [("hidden", 2)]
    assert found["waiting"][0]["why"].startswith(("waits", "never"))
    assert [row["name"] for row in found["users"]] == ["secretive"]


def test_others_see_totals_without_names(watch: Watch) -> None:
    found = view(watch, "")
    assert found["jobs"] == {"running": 1, "idle": 4, "held": 0}
    assert found["totals"]["cpus"]["used"] == 1
    for secret in ("secretive", "covert", "hidden", "1.0'"):
        assert secret not in str(found)
        assert secret not in wall.picture(found)


def test_without_a_login_only_the_wall_is_shown_and_only_if_a_knob_says_so(watch: Watch) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient
    for shown in (False, True):
        door = Doorkeeper(WebSettings(wall=shown), lambda user: False, "", lambda: 0.0)
        site = Site(watch, door, print).application()
        browser = TestClient(site, base_url="http://localhost", follow_redirects=False)
        answer = browser.get("/wall")
        assert answer.status_code == (200 if shown else 401)
        assert ("jobs run" in answer.text) == shown
        assert "secretive" not in answer.text
        assert browser.get("/wall?format=json").status_code == (200 if shown else 401)
        assert "secretive" not in browser.get("/wall?format=svg").text
        for other in ("/pool", "/queue", "/dag", "/machine", "/queue/1", "/metrics", "/nothing"):
            assert browser.get(other).status_code == 401, other

"""Programs of a cron list that print more than a daemon should keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.core.slots.cronoutput import CronAd, CronOutput
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.cron import Cron
from condor_py.daemons.common.loop import Loop
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.cron import CronJobSettings, CronMode, CronSettings


@pytest.mark.promise("S68")
def test_only_so_much_of_a_program_is_kept_and_logged(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_text(
        "#!/bin/sh\nn=0\nwhile [ $n -lt 1003 ]; do echo A = $n; echo - tag$n; n=$((n+1)); done\necho B = 1\necho -\n"
        "while [ $n -gt 0 ]; do echo nonsense $n; n=$((n-1)); done\nexit 3\n"
    )
    path.chmod(0o755)
    loop, log, ads, ended = Loop(), list[str](), list[CronAd](), list[bool]()
    job = CronJobSettings("mine", str(path), CronMode.ONE_SHOT)
    cron = Cron(
        loop, CronSettings("STARTD_CRON", (job,), 1.0), log.append, lambda _, ad: ads.append(ad),
        home=Home(None, str(tmp_path)), about=ClassAd, idle=lambda: ended.append(True),
    )  # fmt: skip
    while not ended:
        loop.turn(1)
    cron.stop()
    loop.close()
    assert [ad.tag for ad in ads] == [*(f"tag{n}" for n in range(1000)), ""]
    told = [line for line in log if "left out" in line]
    assert told == ["CronJob: 'mine' has named 1000 ads: 'tag1000' and later ones are left out"]
    assert sum(line.startswith("Can't insert") for line in log) == 20
    assert "CronJob: 983 further lines of 'mine' cannot be inserted" in log


def test_an_ad_has_so_many_attributes_and_no_more() -> None:
    lines = "".join(f"A{n} = {n}\n" for n in range(10_002)) + "A0 = 7\n-\n"
    (ad,) = CronOutput("").feed(lines.encode(), 0)
    assert len(ad.pairs) == 10_001
    assert ad.pairs[0] == ("A0", "7")
    assert ad.pairs[-1][0] == "LastUpdate"
    assert ad.left_out == 2 * len("A10000 = 10000")

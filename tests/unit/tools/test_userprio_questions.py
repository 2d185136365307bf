"""condor_userprio -whatif and -plot: what would be, and what has been."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli.userprio.whatif import User, lines, pies_of
from condor_py.core.accounts import Accountant, edits
from condor_py.core.accounts.whatif import factor_for, shares, steady_shares, within_ceilings
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.store.accountant_log import AccountantLog

ALICE, BOB = "alice@example.net", "bob@example.net"


@pytest.fixture
def log(spool: Spool) -> Path:
    """Two hours of a machine on which alice used 6 cores and bob 2, in an accountant's log."""
    path = spool.path.parent / "Accountantnew.log"
    accountant = Accountant(AccountantSettings(halflife=3600.0))
    now = int(time.time()) - 7200
    accountant.update(now)
    table = AccountantLog(str(path))
    accountant.charge(ALICE, "slot1@x", 6.0, now)
    accountant.charge(BOB, "slot2@x", 2.0, now)
    for minute in range(0, 120, 10):
        accountant.update(now + 60 * minute)
        with table.transaction() as transaction:
            transaction.extend(accountant.take_log())
    edits.set_factor(accountant, BOB, 2000.0)
    with table.transaction() as transaction:
        transaction.extend(accountant.take_log())
    table.close()
    return path


def test_shares_are_the_inverse_ratio_of_effective_priorities() -> None:
    assert shares({"a": 1000.0, "b": 2000.0, "c": 4000.0}) == pytest.approx({"a": 4 / 7, "b": 2 / 7, "c": 1 / 7})


def test_steady_shares_solve_the_pie() -> None:
    """In the steady state everybody's use is his share, computed from the priority that this use gives him."""
    factors = {"a": 1000.0, "b": 4000.0, "nice": 1e7}
    use = {name: share * 12 for name, share in steady_shares(factors, 12).items()}
    again = shares({name: factors[name] * max(0.5, use[name]) for name in factors})
    assert {name: share * 12 for name, share in again.items()} == pytest.approx(use, rel=1e-6)
    assert use["a"] / use["b"] == pytest.approx(2.0)


def test_factor_for_gives_the_ratio() -> None:
    factor = factor_for(2.0, 3.0, 5.0, 1000.0)
    found = shares({"a": 3.0 * factor, "b": 5.0 * 1000.0})
    assert found["a"] / found["b"] == pytest.approx(2.0)


def test_whatif_tells_the_shares_and_the_command(spool: Spool, log: Path) -> None:
    before = log.read_bytes()
    done = spool.run("condor_userprio", "-whatif", "alice=2*bob")
    assert done.code == 0, done.err
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert float(rows[ALICE][-2].rstrip("%")) == pytest.approx(66.67, abs=0.01)
    assert float(rows[BOB][-2].rstrip("%")) == pytest.approx(33.33, abs=0.01)
    assert rows[BOB][0] == "2000.00"
    command = next(line for line in done.out.splitlines() if line.startswith("To make it so"))
    assert log.read_bytes() == before, "nothing was changed"
    words = command.partition(": ")[2].split()
    assert spool.run(*words).code == 0
    again = spool.run("condor_userprio", "-whatif", f"{BOB}={2000}").out
    rows = {line.split()[0]: line.split() for line in again.splitlines()}
    assert float(rows[ALICE][-2].rstrip("%")) == pytest.approx(66.67, abs=0.1)


def test_whatif_raises_the_other_factor_where_one_is_not_enough(spool: Spool, log: Path) -> None:
    out = spool.run("condor_userprio", "-whatif", "alice=100000*bob").out
    assert f"-setfactor {ALICE} 1\n" in out
    assert f"-setfactor {BOB} " in out


@pytest.mark.parametrize("change", ["alice", "alice=0.5", "alice=2*alice", "alice=x*bob"])
def test_whatif_refuses_what_is_no_change(spool: Spool, log: Path, change: str) -> None:
    done = spool.run("condor_userprio", "-whatif", change)
    assert done.code == 1
    assert len(done.err.splitlines()) == 1


def test_whatif_knows_nobody_who_never_submitted(spool: Spool, log: Path) -> None:
    done = spool.run("condor_userprio", "-whatif", "alcie=2*bob")
    assert done.code == 1
    assert "alcie has never submitted a job here" in done.err


def test_what_is_above_a_ceiling_goes_to_the_others() -> None:
    assert within_ceilings({"a": 2.0, "b": 1.0}, 9.0, {"a": 3.0}) == pytest.approx({"a": 3.0, "b": 6.0})
    assert within_ceilings({"a": 2.0}, 9.0, {"a": 3.0}) == {"a": 3.0}
    steady = steady_shares({"a": 1000.0, "b": 1000.0}, 9.0, {"a": 3.0})
    assert {name: share * 9 for name, share in steady.items()} == pytest.approx({"a": 3.0, "b": 6.0}, rel=1e-6)


def test_whatif_keeps_ceilings(spool: Spool, log: Path) -> None:
    assert spool.run("condor_userprio", "-setceiling", ALICE, "0").code == 0
    out = spool.run("condor_userprio", "-whatif", "alice=2*bob").out
    rows = {line.split()[0]: line.split() for line in out.splitlines()}
    assert (rows[ALICE][-2], rows[BOB][-2]) == ("0.00%", "100.00%")


def test_plot_as_text(spool: Spool, log: Path) -> None:
    out = spool.run("condor_userprio", "-plot").out
    assert "Real priority" in out
    use = [line for line in out.partition("Slot weight in use")[2].splitlines() if line.startswith(ALICE)]
    assert use[0].split()[-1] == "6"


def test_plot_as_svg(spool: Spool, log: Path, tmp_path: Path) -> None:
    done = spool.run("condor_userprio", "-plot", "-svg", str(tmp_path / "use.svg"), "alice")
    assert done.code == 0, done.err
    root = ElementTree.parse(tmp_path / "use.svg").getroot()
    titles = [one.text for one in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles.count(ALICE) == 2, "alice in both panels"
    assert "bob" not in (tmp_path / "use.svg").read_text()


def test_plot_of_users_that_are_not_on_record(spool: Spool, log: Path) -> None:
    said = "condor_userprio: nothing is on record of the use of these users in this time\n"
    assert spool.run("condor_userprio", "-plot", "zoe") == ("", said, 1)
    assert spool.run("condor_userprio", "-plot", "-until", "3d") == ("", said, 1)


def test_plot_names_records_that_cannot_be_read(
    spool: Spool, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_NEGOTIATION_HISTORY", str(tmp_path))
    for words in (("-plot",), ("-explain", "alice")):
        done = spool.run("condor_userprio", *words)
        assert (done.out, done.code) == ("", 1)
        assert done.err.startswith("condor_userprio: ")
        assert str(tmp_path) in done.err


def test_plot_without_a_log_says_so(spool: Spool) -> None:
    done = spool.run("condor_userprio", "-plot")
    assert done.code == 1
    assert "Accountantnew.log" in done.err


def test_whatif_keeps_the_quotas_of_groups() -> None:
    """Users share what their group may have; groups that accept surplus share the rest in the ratio of their quotas."""
    users = {
        "physics.a@x": User(1.0, 1.0, group="physics"),
        "physics.b@x": User(1.0, 1.0, group="physics"),
        "closed.c@x": User(1.0, 1.0, group="closed"),
    }

    def quota(name: str, amount: float, policy: str) -> ClassAd:
        return ClassAd({"Name": name, "IsAccountingGroup": True, "EffectiveQuota": amount, "SurplusPolicy": policy})

    closed = [quota("physics", 6.0, "no"), quota("closed", 2.0, "no")]
    assert pies_of(closed, users, 10.0) == {"physics": 6.0, "closed": 2.0}
    open_ = [quota("physics", 6.0, "byquota"), quota("closed", 2.0, "no")]
    assert pies_of(open_, users, 10.0) == {"physics": 8.0, "closed": 2.0}
    assert pies_of(open_, users, 4.0) == {"physics": 3.0, "closed": 1.0}, "a machine smaller than the quotas"
    everyone = {**users, "dave@x": User(1.0, 1.0)}
    whole = [quota("physics", 6.0, "no"), quota("closed", 2.0, "no"), quota("<none>", 2.0, "no")]
    assert pies_of(whole, everyone, 10.0) == {"physics": 6.0, "closed": 2.0, "<none>": 2.0}
    shared = [quota("physics", 4.0, "byquota"), quota("<none>", 1.0, "no")]
    assert pies_of(shared, {"physics.a@x": users["physics.a@x"], "dave@x": User(1.0, 1.0)}, 10.0) == {
        "physics": 8.0, "<none>": 2.0}  # fmt: skip
    rows = {line.split()[0]: line.split() for line in lines(closed, users, users, 10.0) if "@x" in line}
    assert [rows[name][-2] for name in users] == ["30.00%", "30.00%", "20.00%"]
    half = {**users, "physics.a@x": users["physics.a@x"]._replace(factor=2.0)}
    rows = {line.split()[0]: line.split() for line in lines(closed, users, half, 10.0) if line.count("%")}
    assert [rows[name][-2] for name in users] == ["20.00%", "40.00%", "20.00%"], "the other group does not notice"

"""Who may act on everybody's jobs: QUEUE_SUPER_USERS."""

from __future__ import annotations

import grp
import os
import pwd
from pathlib import Path

import pytest

from condor_py.client.accounts import is_super_user
from condor_py.lang.config import load
from condor_py.lang.config.builders.schedd import schedd
from condor_py.lang.config.builders.starter import starter
from condor_py.lang.config.builders.superusers import super_users


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("", ("root", "condor")),
        ("ann, bob", ("ann", "bob")),
        ("ann@lab.example bob@LAB.example", ("ann@lab.example", "bob@LAB.example", "ann", "bob")),
        ("ann@elsewhere.example", ("ann@elsewhere.example",)),
        ("%staff,root", ("%staff", "root")),
    ],
)
def test_accounts_of_this_domain_may_be_listed_with_it(tmp_path: Path, text: str, listed: tuple[str, ...]) -> None:
    file = tmp_path / "condor_config"
    file.write_text(f"LOCAL_DIR = /pool\nUSER_CONFIG_FILE =\nUID_DOMAIN = lab.example\nQUEUE_SUPER_USERS = {text}\n")
    config = load({"CONDOR_CONFIG": str(file)})
    assert super_users(config) == listed
    assert (schedd(config).queue_super_users, starter(config).queue_super_users) == (listed, listed)


def test_a_group_stands_for_its_members() -> None:
    mine = pwd.getpwuid(os.getuid())
    own = grp.getgrgid(mine.pw_gid).gr_name
    assert is_super_user(mine.pw_name, ("condor", f"%{own}"))
    assert not is_super_user(mine.pw_name, (f"{own}s", "%", "%no-such-group", "%no\0group"))
    assert not is_super_user("no-such-account", (f"%{own}",))
    assert is_super_user("no-such-account", ("no-such-account",))


def test_members_that_the_group_lists_belong_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    staff = grp.struct_group(("staff", "x", 77, ["ann"]))
    monkeypatch.setattr(grp, "getgrnam", lambda name: staff)
    assert is_super_user("ann", ("%staff",))
    assert not is_super_user("root", ("%staff",))

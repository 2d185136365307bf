"""condor_credd: what it does by itself with the credentials of all users."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from condor_py.daemons.credd import CreddDaemon
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.store.credentials import TokenFiles


def test_credentials_that_cannot_be_removed_keep_no_others(tmp_path: Path) -> None:
    """Those of all users behind them in the order of their names stayed for ever."""
    tokens, logged = TokenFiles(str(tmp_path)), list[str]()
    for user in ("alice", "bob"):
        tokens.put(user, "box", "use", b"token")
        tokens.mark(user)
    (tmp_path / "alice" / "of a monitor").mkdir()
    credd: Any = SimpleNamespace(
        knobs=CredentialSettings(sweep_delay=0), log=SimpleNamespace(write=logged.append), _directories=lambda: [tokens]
    )
    credd._forget = partial(CreddDaemon._forget, credd)
    CreddDaemon._sweep(credd)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alice", "alice.mark"]
    assert logged[0].startswith("ERROR: cannot remove the credentials of alice: ")
    assert logged[1] == f"Removed the credentials of bob in {tmp_path}: the user has no jobs"

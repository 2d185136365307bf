"""condor_credd: what it does by itself with the credentials of all users."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from condor_py.client.credentials import OAUTH2
from condor_py.daemons.credd import CreddDaemon, with_scopes
from condor_py.model.messages.credentials import Outcome, StoreCredential
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.store.credentials import MOST_BYTES, TokenFiles


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


def test_a_refresh_token_does_not_grow_by_its_scopes(tmp_path: Path) -> None:
    """One of 100 kB became a file of 100 MB, and the daemon worked at it for seconds."""
    deep = b"[" * 900 + b"]" * 900
    body = b'{"refresh_token": "x", "nested": [' + b",".join([deep] * 60) + b"]}"
    found = with_scopes(body, "read", "https://a")
    assert len(found) < 2 * len(body)
    assert json.loads(found) == {**json.loads(body), "scopes": "read", "audience": "https://a"}
    assert with_scopes(b"[" * 100_000, "read", "") == b""
    tokens = TokenFiles(str(tmp_path))
    (tmp_path / "pid").write_text(f"{os.getpid()}\n")  # of a credential monitor
    credd: Any = SimpleNamespace(services=SimpleNamespace(kind=lambda service: OAUTH2))
    request = StoreCredential("add", "oauth", service="box", scopes="read")
    large = json.dumps({"text": "\u00e4" * (MOST_BYTES // 3)}, ensure_ascii=False).encode()
    answer = CreddDaemon._add_token(credd, tokens, "alice", "box", request, large)
    assert (answer.outcome, answer.why) == (Outcome.BAD_ARGS, "the credential is empty or too large")
    assert tokens.users() == []

"""``htcondor credential VERB``: the credentials that condor_credd keeps."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from condor_py.bindings import CredType, Schedd, param
from condor_py.bindings.credd import Credd
from condor_py.bindings.errors import HTCondorException
from condor_py.lang.classad import quote_string
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say

#: The jobs of a credential: cluster -> procs.
_Jobs = Mapping[int, list[int]]
_ENDINGS = (".top", ".use")
_PASSWORDS = "passwords are for jobs on Windows and for the PASSWORD method, which this pool does not have"


def list_own(say: Say) -> None:
    """Show which credentials one has."""
    credd = Credd()
    print(">> no Windows password found")
    when = None
    try:
        when = credd.query_user_cred(CredType.Kerberos)
    except HTCondorException:  # no directory for them
        pass
    print(f">> Kerberos timestamp {datetime.fromtimestamp(int(when))}" if when else ">> no Kerberos credential found")
    answer = dict(line.split(" = ", 1) for line in credd.query_user_service_cred(CredType.OAuth, None).splitlines())
    user = answer.pop("fully_qualified_user", '""').strip('"')
    found = {name[:-4]: int(text) for name, text in answer.items() if name.endswith(_ENDINGS)}
    if not found:
        print(f">> no OAuth credentials found for '{user}'")
        return
    jobs = _jobs_by_name(f"User == {quote_string(user)}")
    width = max(4, *(len(name) + 4 for name in found))
    print(f">> Found OAuth2 credentials for '{user}':")
    print(f"   {'Service':<18}  {'Handle':<18}  {'Last Refreshed':>19}  {'File':<{width}}  Jobs")
    for name, when in found.items():
        print(f"   {_row(name, when, width)}  {_compact(jobs.get(('', name), {}))}")


def list_all(say: Say) -> None:
    """Show the tokens of all users, and the jobs that need them: for the account of the pool."""
    top = param.get("SEC_CREDENTIAL_DIRECTORY_OAUTH")
    if top is None:
        return
    try:
        users = [name for name in sorted(os.listdir(top)) if os.path.isdir(f"{top}/{name}")]
        found = {user: dict(_files(f"{top}/{user}")) for user in users}
    except PermissionError:
        print(
            "This command is meant to be run by the access point administrator.  "
            "(You don't have permission to read the credentials directory.)"
        )
        return
    if not found:
        print(">> no OAuth credentials found")
        return
    jobs = _jobs_by_name("true")
    column = max(4, *map(len, found))
    width = max(4, *(len(name) + 4 for names in found.values() for name in names))
    print(">> Found the following OAuth2 credentials:")
    head = f"{'Service':<18}  {'Handle':<18}  {'Last Refreshed':>19}  {'File':<{width}}  Jobs"
    print(f"   {'User':<{column}}  {head}")
    for user, names in found.items():
        for name, when in names.items():
            print(f"   {user:<{column}}  {_row(name, when, width)}  {_compact(jobs.get((user, name), {}))}")


def add(say: Say, type: str, credential_file: str, service: str | None, handle: str | None) -> None:
    """Store the content of a file."""
    with open(credential_file, "rb") as file:
        content = file.read()
    if type == "password":
        raise CondorError(_PASSWORDS)
    if type == "kerberos":
        Credd().add_user_cred(CredType.Kerberos, content)
        return
    if service is None and handle is None:
        service, _, handle = os.path.basename(credential_file).partition("_")
    Credd().add_user_service_cred(CredType.OAuth, content, service or "", handle or None)


def remove(say: Say, type: str, service: str | None, handle: str | None) -> None:
    """Delete a credential."""
    if type == "password":
        raise CondorError(_PASSWORDS)
    if type == "kerberos":
        Credd().delete_user_cred(CredType.Kerberos)
    else:
        Credd().delete_user_service_cred(CredType.OAuth, service, handle)


def get(say: Say, type: str, service: str | None, handle: str | None) -> None:
    """Print one's own access token of a service."""
    if type != "oauth2":
        raise CondorError(f"a {type} credential cannot be read back")
    print(Credd().get_oauth2_credential(service or "", handle))


def _files(directory: str) -> Iterator[tuple[str, int]]:
    for name in sorted(os.listdir(directory)):
        if name.endswith(_ENDINGS):
            yield name[:-4], int(os.stat(f"{directory}/{name}", follow_symlinks=False).st_mtime)


def _row(name: str, when: int, width: int) -> str:
    service, _, handle = name.partition("_")
    date = str(datetime.fromtimestamp(when))
    return f"{service:<18}  {handle:<18}  {date:>19}  {f'{name}.use':<{width}}"


def _jobs_by_name(constraint: str) -> dict[tuple[str, str], dict[int, list[int]]]:
    """The jobs that need tokens, by owner ("" for any) and the name of the token's file."""
    found: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    names = ["Owner", "OAuthServicesNeeded", "ClusterId", "ProcId"]
    for ad in Schedd().query(f"{constraint} && OAuthServicesNeeded =!= undefined", projection=names):
        for service in ad.eval_str("OAuthServicesNeeded", "").split(","):
            for owner in ("", ad.eval_str("Owner", "")):
                procs = found[owner, service.replace("*", "_")][ad.eval_int("ClusterId", 0)]
                procs.append(ad.eval_int("ProcId", 0))
    return found


def _compact(jobs: _Jobs) -> str:
    """Jobs in few words: ``7.0; 8.0,2; 9.[0-3],5``."""
    return "; ".join(f"{cluster}.{_procs(sorted(jobs[cluster]))}" for cluster in sorted(jobs))


def _procs(procs: list[int]) -> str:
    if len(procs) < 3:
        return ",".join(map(str, procs))
    runs: list[list[int]] = []
    for proc in procs:
        if runs and runs[-1][-1] == proc - 1:
            runs[-1].append(proc)
        else:
            runs.append([proc])
    return ",".join(f"[{run[0]}-{run[-1]}]" if len(run) > 1 else str(run[0]) for run in runs)

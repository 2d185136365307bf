"""condor_store_cred: store, query and delete the credentials that jobs get."""

from __future__ import annotations

import sys

from condor_py.cli.options import EXACT, Opt, ToolSpec
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.messages.credentials import StoreCredential, Stored

_SPEC = ToolSpec(
    name="condor_store_cred",
    usage="ACTION[-TYPE] [options]",
    summary="Store, query or delete a credential for one's jobs.",
    positional="ACTION",
    positional_help="add, delete or query, with -krb (Kerberos) or -oauth (OAuth2 or SciTokens) behind it",
    description=(
        "condor_credd keeps the credentials, and jobs find them in the directory that _CONDOR_CREDS names: the tokens "
        "of the services that use_oauth_services names, and the Kerberos cache, which KRB5CCNAME names, where the site "
        "has SEC_CREDENTIAL_PRODUCER. A token that is stored with -P is what jobs get; without -P it is a refresh "
        "token, which needs a credential monitor of the site. A second add of a token replaces the first, also for "
        "jobs that run; a Kerberos credential that jobs can use is replaced when it is older than "
        "SEC_CREDENTIAL_REFRESH_INTERVAL, by default never: delete it first. Passwords (add, delete and query alone or "
        "with -pwd, -c) are for Windows and for the PASSWORD method of authentication, and refused. -f writes a key "
        "for condor_token_create(1)."
    ),
    options=(
        Opt("i", EXACT, "FILE", "read the credential from FILE; - reads standard input", takes="file"),
        Opt("s", EXACT, "SERVICE", "the OAuth2 service"),
        Opt("H", EXACT, "HANDLE", "tells several tokens of a service apart"),
        Opt("S", EXACT, "SCOPES", "scopes, with commas: noted in a refresh token (JSON), or compared with it"),
        Opt("A", EXACT, "AUDIENCE", "audience: noted in a refresh token (JSON), or compared with it"),
        Opt("P", EXACT, help="the credential is an access token"),
        Opt("u", EXACT, "USER@DOMAIN", "whose credential; those in CRED_SUPER_USERS may name others"),
        Opt("n", EXACT, "NAME", "the machine to ask; this one is the only one"),
        Opt("p", EXACT, "PASSWORD", "the key for -f; - reads standard input. Others can see it while the command runs"),
        Opt("c", EXACT, help="the password of the pool; refused"),
        Opt("f", EXACT, "FILE", "write a key that signs tokens, in HTCondor's format: that of -i or -p, or one line of "
            "standard input", takes="file"),
        Opt("d", EXACT, help="accepted; messages go to standard error in any case"),
        Opt("h", EXACT, help="this text"),
    ),
    examples=(
        ("condor_store_cred add-oauth -s box -P -i token", "jobs that name the service box get it as box.use"),
        ("condor_store_cred query-oauth", "shows which tokens are stored"),
        ("condor_store_cred delete-oauth -s box", "removes that of one service"),
        ("openssl rand -base64 32 | condor_store_cred -f KEY", "a key for condor_token_create -key"),
        ("condor_store_cred add-krb -i /tmp/krb5cc_1000", "stores a Kerberos cache"),
    ),
    exit_status="0 on success, 2 when scopes or audience of a stored token differ, 1 for any other failure.",
    see_also=("condor_submit", "condor_credd", "condor_token_create"),
)  # fmt: skip
SPECS = (_SPEC,)
#: Bytes of a credential, which the daemon refuses beyond that.
_MOST = 1 << 20
#: Bytes of a key that is typed.
_MOST_TYPED = 255
_ACTIONS = ("add", "delete", "query")
_VALUES = {
    "n": "name", "p": "password", "u": "username", "i": "filename", "s": "service", "H": "handle", "S": "scopes",
    "A": "audience", "f": "filename",
}  # fmt: skip
_FLAGS = ("c", "d", "P", "h")
#: What follows an action -> the kind, and the letters that its prefix must have.
_TYPES = (
    ("pwd", 1, "password"), ("password", 2, "password"), ("krb", 2, "krb"), ("kerberos", 2, "krb"),
    ("oauth", 2, "oauth"), ("oath", 2, "oauth"), ("scitokens", 3, "oauth"),
)  # fmt: skip


class _Usage(CondorError):
    """A command line that cannot be understood: its line, and the usage below it."""


class _Words:
    """A command line, read as HTCondor reads it: an option is its first letter."""

    def __init__(self, argv: list[str]) -> None:
        self.action, self.kind = "", ""
        self.values: dict[str, str] = {}
        words = iter(argv)
        for word in words:
            if word.startswith("-"):
                self._option(word, words)
            else:
                self._take_action(word)

    def _option(self, word: str, words: object) -> None:
        letter = word[1:2]
        if letter in _VALUES and letter:
            value = next(words, None)  # type: ignore[call-overload]
            if value is None:
                raise _Usage(f"ERROR: Option '{word}' requires a {_VALUES[letter]} argument\n")
            if letter in self.values:
                raise _Usage(f"ERROR: only one '-{letter}' arg may be provided")
            self.values[letter] = value
        elif letter and letter in _FLAGS:
            self.values[letter] = ""
        else:
            raise _Usage(f"ERROR: Unrecognized option - '{word}'\n")

    def _take_action(self, word: str) -> None:
        action, dash, tag = word.partition("-")
        if action.lower() not in _ACTIONS:
            raise _Usage(f"ERROR: Unrecognized command - '{action}'\n")
        if self.action and self.action != action.lower():
            raise _Usage("ERROR: exactly one command must be provided")
        if self.action:
            return
        kinds = [kind for name, least, kind in _TYPES if name.startswith(tag.lower()) and len(tag) >= least]
        if dash and not kinds:
            raise _Usage(f"ERROR: -{tag} is not a known credential type")
        self.action, self.kind = action.lower(), kinds[0] if dash else "password"


def main(argv: list[str]) -> int:
    """Run condor_store_cred."""
    if argv[:1] in (["-help"], ["--help"]):
        sys.stdout.write(_help())
        return 0
    if argv[:1] in (["-version"], ["--version"]):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    try:
        words = _Words(argv)
    except _Usage as error:
        sys.stderr.write(f"{error}\n{_help()}")
        return 1
    if "h" in words.values or not (words.action or "f" in words.values):
        sys.stderr.write(_help())
        return 1
    return _carry_out(words)


def _help() -> str:
    from condor_py.cli.command import help_text

    return help_text(_SPEC)


def _carry_out(words: _Words) -> int:
    from condor_py.client.credentials import ask_credd
    from condor_py.client.pool import open_pool
    from condor_py.model.messages.credentials import Outcome, StoreCredential

    values = words.values
    if "f" in values:
        return _write_key(values["f"], _key(values))
    if words.kind != "oauth" and words.kind != "krb":
        raise CondorError(
            "condor_store_cred: passwords are for jobs on Windows and for the PASSWORD method of authentication, which "
            "this pool does not have; add-oauth and add-krb store credentials"
        )
    _check(words)
    user = values.get("u", "")
    request = StoreCredential(
        words.action,  # type: ignore[arg-type]
        words.kind,  # type: ignore[arg-type]
        user,
        values.get("s", ""),
        values.get("H", ""),
        values.get("S", ""),
        values.get("A", ""),
        "P" not in values if words.kind == "oauth" else None,
    )
    pool = open_pool()
    _check_name(values.get("n", ""), pool)
    sys.stdout.write(f"Account: {user or f'<current> ({pool.owner})'}\n")
    sys.stdout.write(f"CredType: {'kerberos' if words.kind == 'krb' else words.kind}\n\n")
    body = _read(values["i"]) if words.action == "add" else b""
    answer = ask_credd(pool, request, body)
    code = _tell(request, answer)
    sys.stdout.flush()
    if answer.why:
        sys.stderr.write(f"condor_store_cred: {answer.why}\n")
    return 2 if answer.outcome == Outcome.MISMATCH else code


def _key(values: dict[str, str]) -> bytes:
    """The key of -i or -p, or a line of standard input. CondorError."""
    if "i" in values:
        data = _read(values["i"])
    elif values.get("p"):
        data = _read("-") if values["p"] == "-" else values["p"].encode("utf-8", "surrogateescape")
    else:
        data = _typed()
    if not data or b"\0" in data:
        raise CondorError(f"condor_store_cred: the key {'has a byte of value 0' if data else 'is empty'}")
    return data


def _typed() -> bytes:
    """A line of standard input, which a terminal does not show. CondorError."""
    sys.stdout.write("Enter password: ")
    sys.stdout.flush()
    if sys.stdin.isatty():
        from getpass import getpass

        data = getpass("").encode("utf-8", "surrogateescape")
    else:
        data = sys.stdin.buffer.readline(_MOST_TYPED + 2).removesuffix(b"\n")
        sys.stdout.write("\n")
    if len(data) > _MOST_TYPED:
        raise CondorError(f"condor_store_cred: the key has more than {_MOST_TYPED} bytes; -i reads longer ones")
    return data


def _write_key(path: str, key: bytes) -> int:
    from condor_py.model.errors import StoreError
    from condor_py.store.signing_keys import write_key

    try:
        write_key(path, key)
    except StoreError as error:
        sys.stdout.flush()
        raise CondorError(f"error writing password file: {path}\n{error}") from None
    return 0


def _check(words: _Words) -> None:
    """Refuse what does not go together. CondorError."""
    user = words.values.get("u", "@@")
    if user != "@@" and not all(user.rpartition("@")):
        raise CondorError(f"ERROR: Username '{user}' is not of the form: account@domain")
    if words.action == "add" and "i" not in words.values:
        raise CondorError("ERROR: add-krb and add-oauth commands require a credential filename argument")
    if words.action == "add" and words.kind == "oauth" and not words.values.get("s"):
        raise CondorError("ERROR: add-oauth command requires a service name")


def _check_name(name: str, pool: Pool) -> None:
    host = pool.settings.host.lower()
    if name and name.lower().rpartition("@")[2] not in (host, host.partition(".")[0], "localhost"):
        raise CondorError(f"ERROR: {name} is not a valid daemon name: this machine is the only one that can be asked")


def _read(path: str) -> bytes:
    """The content of a file, or of standard input for "-". CondorError."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(_MOST + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(_MOST + 1)
    except OSError as error:
        raise CondorError(f"Could not read credential from {path}: {error.strerror}") from None
    if not data or len(data) > _MOST:
        what = "it is empty" if not data else f"it has more than {_MOST} bytes"
        raise CondorError(f"Could not read credential from {path}: {what}")
    return data


def _tell(request: StoreCredential, answer: Stored) -> int:
    """Write the result in HTCondor's words; the exit code."""
    from time import localtime, strftime

    from condor_py.model.messages.credentials import TEXTS, Outcome

    asks = request.action == "query"
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(answer.when)) if answer.when and request.action != "delete" else ""
    match answer.outcome:
        case Outcome.SUCCESS | Outcome.PENDING:
            waits = " and is waiting for processing" if answer.outcome == Outcome.PENDING else ""
            if asks:
                line = f"A credential was stored{f' on {when}' if when else ''}{waits or ' and is valid'}."
            else:
                line = f"Operation succeeded{waits}." + (f" Credential was stored on {when}" if when else "")
            sys.stdout.write(f"{line}\n\nCredential info:\n")
            sys.stdout.write("".join(f"{name} = {text}\n" for name, text in answer.pairs) + "\n")
            return 0
        case Outcome.NOT_FOUND:
            sys.stdout.write("No credential is stored.\n" if asks else "Operation failed: username not found.\n")
        case Outcome.FAILURE:
            sys.stdout.write("Operation failed.\n")
        case other:
            sys.stdout.flush()
            sys.stderr.write(f"{TEXTS.get(Outcome(other), 'Operation failed')}\n")
    return 1

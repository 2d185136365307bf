"""Settings of the users' credentials: their places, and for how long they are kept."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, words


class CredentialSettings(Settings, group="Credentials"):
    """``local_names`` are the services whose tokens the pool signs itself, ``name`` is that of the daemon's ad.

    Kerberos credentials are stored again when they are older than ``krb_renewal`` seconds; below 0 never.
    """

    oauth: str = path("SEC_CREDENTIAL_DIRECTORY_OAUTH", None, "Directory of the users' OAuth2 credentials.")
    krb: str = path("SEC_CREDENTIAL_DIRECTORY_KRB", None, "Directory of the users' Kerberos credentials.")
    krb_renewal: int = integer(
        "SEC_CREDENTIAL_REFRESH_INTERVAL", -1, "Age in seconds from which a Kerberos credential is stored again."
    )
    refresh: int = integer(
        "SEC_CREDENTIAL_REFRESH", 300, "Seconds between looks for renewed credentials of a running job; 0 for none."
    )
    super_users: tuple[str, ...] = words("CRED_SUPER_USERS", "", "Accounts that may store credentials for others.")
    patience: int = integer(
        "CREDD_POLLING_TIMEOUT", 20, "Seconds to wait until a credential monitor has prepared a credential.", least=0
    )
    sweep_interval: int = integer(
        "SEC_CREDENTIAL_SWEEP_INTERVAL", 300, "Seconds between removals of credentials of users without jobs.", least=1
    )
    sweep_delay: int = integer(
        "SEC_CREDENTIAL_SWEEP_DELAY", 3600, "Seconds after a user's last job until the credentials are removed.",
        least=0,
    )  # fmt: skip
    trusts: bool = boolean(
        "TRUST_CREDENTIAL_DIRECTORY", False, "Take credential files whoever owns them and may read them."
    )

"""``DAGMan``: commands to the condor_dagman that runs a DAG."""

from __future__ import annotations

import enum

from condor_py.bindings.schedd import Schedd
from condor_py.lang.classad import ClassAd

_THROTTLES = {
    "max_nodes": "DAGMan_MaxJobs",
    "max_idle": "DAGMan_MaxIdle",
    "max_pre": "DAGMan_MaxPreScripts",
    "max_hold": "DAGMan_MaxHoldScripts",
    "max_post": "DAGMan_MaxPostScripts",
    "max_submits": "DAGMan_MaxSubmitsPerInterval",
}


class DAGMan:
    """The DAG whose condor_dagman is the job ``dag_id``. It is looked for when the first command is given."""

    class Command(enum.IntEnum):
        """Commands that a condor_dagman accepts."""

        HALT = 1
        RESUME = 2
        SET_THROTTLES = 3

    class Failure(enum.IntEnum):
        """Reasons why a command did not arrive."""

        OPEN_SOCKET = 1
        SEND_PAYLOAD = 2
        GET_RESULT = 3
        NO_ID = 4
        CONNECT_SCHEDD = 5
        GET_CONTACT = 6
        DENIED = 7

    class ContactInfo:
        """The address of a condor_dagman, and the secret that shows it that the caller may command it."""

        def __init__(self, addr: str, secret: str) -> None:
            self.addr = addr
            self.secret = secret

    _CMD_DAGMAN_GENERIC = 61500
    _SUCCESS = 0

    def __init__(self, dag_id: int) -> None:
        """``dag_id`` is the cluster of the DAG's job. TypeError for what is no number."""
        if not isinstance(dag_id, int):
            raise TypeError("dag_id must be an integer")
        self._dag_id = dag_id
        self._contact: DAGMan.ContactInfo | None = None

    @property
    def dag_id(self) -> int:
        """The cluster of the DAG's job."""
        return self._dag_id

    def halt(self, reason: str | None = None, pause: bool | None = None) -> tuple[bool, str]:
        """Let what runs end and start nothing more: (whether it worked, what to say)."""
        request = ClassAd({"DagCommand": int(self.Command.HALT)})
        if pause is not None:
            request["IsPause"] = pause
        if reason is not None:
            request["HaltReason"] = reason
        return self._command(request, "Paused" if pause else "Halted")

    def resume(self) -> tuple[bool, str]:
        """Continue after ``halt``; return whether it worked, and a message."""
        return self._command(ClassAd({"DagCommand": int(self.Command.RESUME)}), "Resumed")

    def throttle(self, **kwargs: int | None) -> ClassAd | str:
        """Set limits (``max_nodes``, ``max_idle``, ``max_pre``, ``max_hold``, ``max_post``, ``max_submits``): all
        limits that hold then, or why it did not work."""
        request = ClassAd({"DagCommand": int(self.Command.SET_THROTTLES)})
        chosen = {name: value for name, value in kwargs.items() if name in _THROTTLES and value is not None}
        if not chosen:
            return "No valid throttle specified"
        for name, value in chosen.items():
            request[_THROTTLES[name]] = value
        answer = self._ask(request)
        if isinstance(answer, str):
            return answer
        return ClassAd({name: answer.get(name) for name in _THROTTLES.values()})

    def _command(self, request: ClassAd, done: str) -> tuple[bool, str]:
        answer = self._ask(request)
        if isinstance(answer, str):
            return False, answer
        return True, f"{done} DAG {self._dag_id}"

    def _ask(self, request: ClassAd) -> ClassAd | str:
        """The answer of condor_dagman, or why there is none."""
        from condor_py.client.dagman_requests import ask

        try:
            found = Schedd()._get_dag_contact_info(self._dag_id)
            if not found.get("Result"):
                return str(found.get("ErrorString", "Unknown"))
            answer = ask(str(found["Address"]), dict(request.items()))
        except Exception as error:
            return f"Failed to get contact information: {error}"
        if not answer.get("Result"):
            return str(answer.get("ErrorString", "Unknown"))
        return ClassAd(answer)

"""batchspawner: JupyterHub's spawner for Condor starts the server of a user as a job, asks for it and stops it."""

import asyncio
import getpass
import json
import os
import socket
import subprocess
import urllib.request

from batchspawner import CondorSpawner
from jupyterhub import orm
from jupyterhub.objects import Hub, Server
from jupyterhub.user import User
from traitlets.config import Config


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def tell_port(spawner: CondorSpawner, port: int) -> None:
    """What the hub does when the server tells it its port."""
    while not spawner.job_id:
        await asyncio.sleep(0.1)
    spawner.port = port


async def main() -> None:
    session = orm.new_session_factory("sqlite:///:memory:")()
    row = orm.User(name=getpass.getuser())
    session.add(row)
    session.commit()
    user = User(row, {"config": Config(), "db": session})
    port = free_port()
    spawner = CondorSpawner(
        db=session,
        user=user,
        hub=Hub(),
        exec_prefix="",
        batchspawner_singleuser_cmd="",
        cmd=["python3", "-m", "http.server", "--bind", "127.0.0.1", str(port)],
        req_memory="64",
        req_nprocs="1",
        req_homedir=os.getcwd(),
        start_timeout=60,
        env_keep=[name for name in os.environ if name == "PATH" or "CONDOR" in name],
    )
    spawner.server = Server(orm_server=orm.Server(proto="http", ip="", port=port, base_url="/", cookie_name=""))
    (host, told), _ = await asyncio.gather(spawner.start(), tell_port(spawner, port))
    running = await spawner.poll()
    with open("page.txt", "w") as file:
        file.write("served")
    for _ in range(50):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/page.txt") as page:
                text = page.read().decode()
            break
        except OSError:
            await asyncio.sleep(0.2)
    job = spawner.job_id
    await spawner.stop()
    left = subprocess.run(["condor_q", job, "-af", "JobStatus"], capture_output=True, text=True, check=True).stdout
    print(json.dumps([host == socket.gethostname(), told == port, running, text, left, await spawner.poll()]))


asyncio.run(main())

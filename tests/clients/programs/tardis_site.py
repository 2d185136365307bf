"""cobald-tardis' HTCondor site adapter: drones are jobs."""

import asyncio
import json
import time
from unittest.mock import patch

from tardis.adapters.sites.htcondor import HTCondorAdapter
from tardis.interfaces.siteadapter import ResourceStatus
from tardis.utilities.attributedict import AttributeDict

with open("drone.jdl", "w") as file:
    file.write(
        "executable = /bin/sleep\narguments = 600\ntransfer_executable = False\nlog = drones.log\n"
        'environment = "${Environment}"\nrequest_cpus = ${Cores}\nrequest_memory = ${Memory}\nrequest_disk = ${Disk}\n'
    )
CONFIGURATION = AttributeDict(
    here=AttributeDict(
        MachineTypes=["drone"],
        MachineMetaData=AttributeDict(drone=AttributeDict(Cores=1, Memory=0.5, Disk=0.1)),
        MachineTypeConfiguration=AttributeDict(drone=AttributeDict(jdl="drone.jdl")),
        bulk_delay=0.05,
    )
)


async def until(adapter, drone, state):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = (await adapter.resource_status(drone)).resource_status
        if found is state:
            return found.name
        await asyncio.sleep(0.1)
    raise SystemExit(f"not {state}: {found}")


async def main():
    adapter = HTCondorAdapter(machine_type="drone", site_name="here")
    made = await asyncio.gather(*(
        adapter.deploy_resource(
            AttributeDict(drone_uuid=f"here-{number}", obs_machine_meta_data_translation_mapping=AttributeDict(
                Cores=1, Memory=1000, Disk=1000,
            ))
        )
        for number in range(2)
    ))  # fmt: skip
    first, second = (AttributeDict(remote_resource_uuid=each.remote_resource_uuid) for each in made)
    seen = [await until(adapter, each, ResourceStatus.Running) for each in (first, second)]
    await adapter.stop_resource(first)
    seen.append(await until(adapter, first, ResourceStatus.Stopped))
    await asyncio.gather(adapter.terminate_resource(first), adapter.terminate_resource(second))
    seen += [await until(adapter, each, ResourceStatus.Deleted) for each in (first, second)]
    print(json.dumps(seen))


with patch("tardis.interfaces.siteadapter.Configuration", return_value=CONFIGURATION):
    asyncio.run(main())

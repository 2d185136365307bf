"""gwcelery: its Celery task that runs a command in a job and takes what it printed."""

import json

from gwcelery import app
from gwcelery.tasks import condor

app.conf["task_always_eager"] = True
app.conf["task_eager_propagates"] = True
print(json.dumps([condor.check_output.s(["echo", "one two", "it's"]).apply().get()]))

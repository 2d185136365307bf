"""htmap: a function mapped over values, each in a job."""

import json

import htmap

htmap.settings["DELIVERY_METHOD"] = "assume"
htmap.settings["MAP_OPTIONS.request_memory"] = "100MB"
htmap.settings["MAP_OPTIONS.getenv"] = "PATH"  # a Python that has cloudpickle


def double(number):
    return 2 * number


mapped = htmap.map(double, range(3), tag="doubles")
mapped.wait(timeout=60, show_progress_bar=False)
answer = [list(mapped), sorted({str(status) for status in mapped.component_statuses})]
mapped.remove()
print(json.dumps(answer))

"""b2luigi tasks that run as HTCondor jobs."""

import json
import os
import sys

import b2luigi


class Square(b2luigi.Task):
    number = b2luigi.IntParameter()
    htcondor_settings = {"request_cpus": 1}  # noqa: RUF012 - b2luigi wants it so

    def output(self):
        yield self.add_to_output("square.txt")

    def run(self):
        with open(self.get_output_file_name("square.txt"), "w") as file:
            file.write(f"{self.number**2} {os.environ.get('_CONDOR_SLOT', '')}")


class All(b2luigi.WrapperTask):
    def requires(self):
        for number in range(3):
            yield self.clone(Square, number=number)


if __name__ == "__main__":
    b2luigi.set_setting("batch_system", "htcondor")
    b2luigi.set_setting("batch_status_cache_ttl", 1)
    b2luigi.set_setting("result_dir", "results")
    b2luigi.set_setting("log_dir", "logs")
    b2luigi.set_setting("executable", [sys.executable])
    b2luigi.set_setting("working_dir", os.getcwd())
    env = {name: os.environ[name] for name in ("PATH", "PYTHONPATH")}
    b2luigi.set_setting("env", env)
    b2luigi.process([All()], batch=True, workers=3)
    texts = {}
    for folder, _, names in os.walk("results"):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                texts[folder] = file.read().split()
    print(json.dumps(sorted((int(value), bool(slot)) for value, slot in texts.values())))

"""obob-condor: a class of a job with every value of an argument, and the submit file that it writes."""

import getpass
import glob
import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import obob_condor


class Squares(obob_condor.Job):
    def run(self, number, directory):
        with open(f"{directory}/{number}.txt", "w") as file:
            file.write(str(int(number) ** 2))


def whole_environment() -> str:
    """An interpreter whose parent directory has all of Python, as its jobs want it (PYTHONHOME); the path of it."""
    library = Path("whole", "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}").absolute()
    library.mkdir(parents=True)
    for path in Path(sysconfig.get_path("stdlib")).iterdir():
        if path.name != "site-packages":
            (library / path.name).symlink_to(path)
    (library / "site-packages").symlink_to(sysconfig.get_path("purelib"))
    program = Path("whole", "bin", "python").absolute()
    program.parent.mkdir()
    program.symlink_to(Path(sys.executable).resolve())
    return str(program)


if __name__ == "__main__":
    jobs = obob_condor.JobCluster(
        required_ram="100M", jobs_dir="jobs", python_bin=whole_environment(), owner=getpass.getuser(), adjust_mem=True
    )
    jobs.add_job(Squares, obob_condor.PermuteArgument([2, 3, 4]), str(Path().absolute()))
    jobs.submit(do_submit=False)
    (file,) = glob.glob("jobs/*/condor/submit.sub")
    subprocess.run(["condor_submit", file], check=True, capture_output=True)
    (log,) = glob.glob("jobs/*/log/log")
    subprocess.run(["condor_wait", "-wait", "60", log], check=True, capture_output=True)
    print(json.dumps([{path.name: path.read_text() for path in sorted(Path().glob("[0-9].txt"))}]))

"""nipype: a workflow of two nodes through its plugin for Condor, which submits with condor_qsub."""

import json
import os

from nipype import config
from nipype.interfaces.utility import Function
from nipype.pipeline.engine import Node, Workflow
from nipype.utils.filemanip import loadpkl

config.update_config({"execution": {"job_finished_timeout": "60", "poll_sleep_duration": "0.5", "check_version": "0"}})


def plus(number):
    return number + 1


def workflow(name: str) -> Workflow:
    nodes = [
        Node(Function(input_names=["number"], output_names=["out"], function=plus), name=f"n{number}")
        for number in range(2)
    ]
    nodes[0].inputs.number = 40
    made = Workflow(name=name, base_dir=os.getcwd())
    made.connect(nodes[0], "out", nodes[1], "number")
    return made


workflow("qsub").run(plugin="Condor")
print("")
print(json.dumps([loadpkl("qsub/n1/result_n1.pklz").outputs.out]))

"""The checks of condor_dag_checker: every error of a .dag file at once, and figures of its graph.

``checker`` goes through the commands, ``members`` keeps nodes and splices, ``figures`` counts and looks for cycles.
"""

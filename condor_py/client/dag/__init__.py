"""The work of condor_submit_dag before it submits: write the submit file of condor_dagman from options and DAGs."""

"""What condor_submit_dag does before it submits: options and files of DAGs become the submit file of condor_dagman."""

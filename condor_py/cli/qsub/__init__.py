"""condor_qsub: jobs described as PBS and SGE users do."""

"""condor_config_val: what the configuration says, and why."""

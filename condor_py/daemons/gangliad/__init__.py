"""condor_gangliad: figures of the ads of daemons for the monitoring system Ganglia."""

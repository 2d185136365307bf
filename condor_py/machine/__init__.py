"""The code that touches the machine: probes, execution of jobs, batch systems."""

"""Virtual machines as jobs: what one is (``spec``), the child of the starter that keeps it (``keeper``), what it is run
with (``qemu``, ``libvirt``), and the executor that the run has (``executor``)."""

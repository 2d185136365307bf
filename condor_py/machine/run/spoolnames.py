"""What the directories of jobs in the spool are called (``spool``)."""

#: Behind the name of a directory that the job was submitted with: what its runs leave.
CHECKPOINT = ".checkpoint"
#: Suffixes of a set that is being made, and of the one that it replaces.
ARRIVING, LEAVING = ".tmp", ".old"

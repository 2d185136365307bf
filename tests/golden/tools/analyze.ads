ClusterId = 38
FileSystemDomain = "vm"
JobStatus = 1
JobUniverse = 5
LastRejMatchNegotiator = "vm"
LastRejMatchReason = "no match found"
LastRejMatchTime = 1795213895
Owner = "alice"
ProcId = 0
RequestCpus = 64
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
RequestMemory = 128
Requirements = (TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (versionGE(split(TARGET.CondorVersion)[1],"25.12.0") || (TARGET.Disk >= RequestDisk)) && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus) && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))
TransferInputSizeMB = 1
User = "alice@example.net"

ClusterId = 39
HoldReason = "via condor_hold (by user alice)"
JobStatus = 5
JobUniverse = 5
Owner = "alice"
ProcId = 0
Requirements = TARGET.Memory > 100
User = "alice@example.net"

-- Schedd: vm : <127.0.0.1:9618?addrs=127.0.0.1-9618> @ 11/21/25 04:40:00

ClusterId = 1
ProcId = 0
Owner = "alice"
User = "alice@vm"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = (TARGET.Arch == "X86_64") && (TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus)
AutoClusterId = 1
LastRejMatchTime = 1763700000
LastRejMatchReason = "no match found "
LastRejMatchNegotiator = "vm"

ClusterId = 1
ProcId = 1
Owner = "alice"
User = "alice@vm"
JobStatus = 2
JobUniverse = 5
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = (TARGET.Arch == "X86_64") && (TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus)
AutoClusterId = 1
LastMatchTime = 1763700100

ClusterId = 2
ProcId = 0
Owner = "bob"
User = "bob@vm"
JobStatus = 1
JobUniverse = 5
RequestCpus = 64
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = (TARGET.Arch == "X86_64") && (TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus)
AutoClusterId = 2

ClusterId = 3
ProcId = 0
Owner = "bob"
User = "bob@vm"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = ifThenElse(Big =?= true,20000,4000)
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = Machine =!= "nowhere" && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus * 2 > 1.5 ? !(TARGET.Foo =?= 3) : TARGET.Cpus > 0 || false)

ClusterId = 4
ProcId = 0
Owner = "carol"
User = "carol@vm"
JobStatus = 5
JobUniverse = 5
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = (TARGET.GPUs ?: 0) >= 1 && TARGET.Arch == "ARM"
HoldReason = "Out of quota"
AutoClusterId = 3

ClusterId = 5
ProcId = 0
Owner = "carol"
User = "carol@vm"
JobStatus = 1
JobUniverse = 12
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = true

ClusterId = 6
ProcId = 0
Owner = "dave"
User = "dave@vm"
JobStatus = 1
JobUniverse = 9
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = true
GridResource = "condor a b"

ClusterId = 7
ProcId = 0
Owner = "dave"
User = "dave@vm"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = 128
RequestDisk = MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024
TransferInputSizeMB = 1
FileSystemDomain = "vm"
Requirements = TARGET.Cpus >= RequestCpus
NiceUser = true

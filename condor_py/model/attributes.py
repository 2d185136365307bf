"""Names of ClassAd attributes that HTCondor 25 knows: facts, for tools that check what people write.

The sets follow the attribute appendices of the manual. Pools and users add names of their own, so a name that is not
here is not wrong for that. Names compare without case; the sets keep HTCondor's spelling.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Of jobs.
JOB = _names(
    """
    Absent AcctGroup AcctGroupUser ActivationDuration ActivationExecutionDuration ActivationSetupDuration
    ActivationTeardownDuration AllowedExecuteDuration AllowedJobDuration AllRemoteHosts Args Arguments
    AuthTokenGroups AuthTokenId AuthTokenIssuer AuthTokenScopes AuthTokenSubject BatchExtraSubmitArgs
    BatchProject BatchQueue BatchRuntime BlockReadKbytes BlockReads BlockWriteKbytes BlockWrites
    CheckpointDestination CloudLabelNames ClusterId Cmd CommittedSlotTime CommittedSuspensionTime
    CommittedTime CompletionDate ConcurrencyLimits CondorPlatform CondorVersion ContainerImageSource
    ContainerTargetDir CpusProvisioned CpusUsage CronDayOfMonth CronDayOfWeek CronHour CronMinute CronMonth
    CumulativeRemoteSysCpu CumulativeRemoteUserCpu CumulativeSlotTime CumulativeSuspensionTime
    CumulativeTransferTime CurrentHosts DAG_AdUpdateTime DAG_InRecovery DAG_JobsCompleted DAG_JobsHeld
    DAG_JobsIdle DAG_JobsRunning DAG_JobsSubmitted DAG_NodesDone DAG_NodesFailed DAG_NodesFutile
    DAG_NodesPostrun DAG_NodesPrerun DAG_NodesQueued DAG_NodesReady DAG_NodesTotal DAG_NodesUnready DAG_Status
    DAGLifetimeJob DAGMan_MaxHoldScripts DAGMan_MaxIdle DAGMan_MaxJobs DAGMan_MaxPostScripts
    DAGMan_MaxPreScripts DAGMan_MaxSubmitsPerInterval DAGManJobId DAGManNodeRetry DAGManNodesLog
    DAGManNodesMask DAGNodeName DAGParentNodeNames DeferralPrepTime DeferralTime DeferralWindow EndedNodes
    DelegateJobGSICredentialsLifetime DiskProvisioned DiskUsage DockerImage EC2AccessKeyId EC2AmiID
    EC2BlockDeviceMapping EC2ElasticIp EC2IamProfileArn EC2IamProfileName EC2InstanceName EC2InstanceType
    EC2KeyPair EC2KeyPairFile EC2ParameterNames EC2RemoteVirtualMachineName EC2SecretAccessKey
    EC2SecurityGroups EC2SecurityIDs EC2SpotPrice EC2SpotRequestID EC2StatusReasonCode EC2TagNames EC2UserData
    EC2UserDataFile EmailAttributes EncryptExecuteDirectory EnteredCurrentStatus Env Environment
    EraseOutputAndErrorOnRestart ExecutableSize ExecuteDirWasEncrypted ExitBySignal ExitCode ExitSignal
    ExitStatus FirstJobMatchDate GceAuthFile GceImage GceJsonFile GceMachineType GceMetadata GceMetadataFile
    GcePreemptible GlobalJobId GPUsMaxCapability GPUsMinCapability GPUsMinMemory GPUsMinRuntime GridJobId
    GridJobStatus GridResource GridResourceUnavailableTime HoldKillSig HoldReason HoldReasonCode
    HoldReasonSubCode HookKeyword ImageSize InitialWaitDuration InteractiveJob IOWait Iwd IwdFlushNFSCache
    JobAdInformationAttrs JobBatchName JobCoolDownExpiration JobCurrentFinishTransferInputDate
    JobCurrentFinishTransferOutputDate JobCurrentReconnectAttempt JobCurrentStartDate
    JobCurrentStartExecutingDate JobCurrentStartTransferInputDate JobCurrentStartTransferOutputDate
    JobDescription JobDisconnectedDate JobLeaseDuration JobMaterializePaused JobMaxVacateTime JobNotification
    JobPrio JobRunCount JobStartDate JobStarterDebug JobStarterLog JobStatus JobSubmitFile JobSubmitMethod
    JobUniverse KeepClaimIdle KillSig KillSigTimeout LastMatchTime LastRejMatchReason LastRejMatchTime
    LastRemotePool LastRemoteWallClockTime LastShadowException LastSuspensionTime LastVacateTime
    LeaveJobInQueue MaxHosts MaxJobRetirementTime MaxTransferInputMB MaxTransferOutputMB MemoryProvisioned
    MemoryUsage MinHosts NextJobStartDelay NiceUser Nonessential NTDomain NumHolds NumHoldsByReason
    NumInputTransferStarts NumJobCompletions NumJobCoolDowns NumJobMatches NumJobReconnects NumJobStarts
    NumOutputTransferStarts NumPids NumRestarts NumShadowExceptions NumShadowStarts NumSystemHolds NumVacates
    NumVacatesByReason NumVacatesByReasonPreExecution NumVacatesPreExecution OSHomeDir OsUser
    OtherJobRemoveRequirements OutputDestination OutputDirectory Owner ParallelShutdownPolicy PeriodicVacate
    PostArgs PostArguments PostCmd PostCmdExitBySignal PostCmdExitCode PostCmdExitSignal PostEnv
    PostEnvironment PostJobPrio1 PostJobPrio2 PreArgs PreArguments PreCmd PreCmdExitBySignal PreCmdExitCode
    PreCmdExitSignal PreEnv PreEnvironment PreJobPrio1 PreJobPrio2 PreserveRelativeExecutable
    PreserveRelativePaths ProcId ProportionalSetSizeKb ProvisionerState QDate RecentBlockReadKbytes
    RecentBlockReads RecentBlockWriteKbytes RecentBlockWrites ReleaseReason RemoteHost RemoteIwd RemotePool
    RemoteSysCpu RemoteUserCpu RemoteWallClockTime RemoveKillSig RequestCpus RequestDisk RequestedChroot
    RequestGPUs RequestMemory RequireGPUs Requirements ResidentSetSize ScitokensFile ScratchDirFileCount
    ServerTime SpoolOnEvict StackSize StageOutFinish StageOutStart StderrMtime StdoutMtime StreamErr StreamOut
    SubmitEventNotes SubmitEventNotesAttrs SubmitEventUserNotes SubmitterAutoregroup SubmitterGlobalJobId
    SubmitterGroup SubmitterNegotiatingGroup SubmitVersion SuccessCheckpointExitBySignal
    SuccessCheckpointExitCode SuccessCheckpointExitSignal SuccessPostExitBySignal SuccessPostExitCode
    SuccessPostExitSignal SuccessPreExitBySignal SuccessPreExitCode SuccessPreExitSignal
    TotalJobReconnectAttempts TotalSuspensions TransferCheckpoint TransferContainer TransferErr
    TransferExecutable TransferIn TransferInFinished TransferInput TransferInputFileCounts TransferInputSizeMB
    TransferInputStats TransferInQueued TransferInStarted TransferOut TransferOutFinished TransferOutput
    TransferOutputStats TransferOutQueued TransferOutStarted TransferPlugins TransferQueued TransferringInput
    TransferringOutput UserLog VacateReason VacateReasonCode VacateReasonSubCode VM_MACAddr WantContainer
    WantDocker WantFTOnCheckpoint WantGracefulRemoval WantTransferPluginMethods WindowsBuildNumber
    WindowsMajorVersion WindowsMinorVersion X509UserProxy X509UserProxyEmail X509UserProxyExpiration
    X509UserProxyFirstFQAN X509UserProxyFQAN X509UserProxySubject X509UserProxyVOName
    """
)

#: Of slots (and of their machines).
MACHINE = _names(
    """
    AcceptedWhileDraining Activity Arch AvgTransferInputMB AvgTransferOutputMB BrokenContextAds BrokenSlotCpus
    BrokenSlotDisk BrokenSlotMemory CanHibernate CgroupEnforced ChildAccountingGroup ChildActivity ChildCpus
    ChildCurrentRank ChildEnteredCurrentState ChildMemory ChildName ChildRemoteOwner ChildRemoteUser
    ChildRetirementTimeRemaining ChildState ClaimEndTime CleanupCategoryCounts ClientMachine ClockDay ClockMin
    CloudImage CloudInstanceID CloudInterruptible CloudPlatform CloudProvider CloudRegion CloudVMType
    CloudZone CondorLoadAvg CondorVersion ConsoleIdle CpuCacheSize CpuFamily CpuModelNumber Cpus CurrentRank
    CurrentTime DetectedCpus DetectedDisk DetectedMemory DeviceGPUsAverageUsage DeviceGPUsMemoryPeakUsage Disk
    DockerCachedImageSizeMb DockerOfflineReason DotNetVersions Draining DrainingRequestId DynamicSlot
    EnteredCurrentActivity ExpectedMachineGracefulDrainingBadput ExpectedMachineGracefulDrainingCompletion
    ExpectedMachineQuickDrainingBadput ExpectedMachineQuickDrainingCompletion FileSystemDomain has_avx
    has_avx2 has_avx512dnni has_avx512dq has_avx512f Has_sse4_1 Has_sse4_2 has_ssse3 HasContainer HasDocker
    HasEncryptExecuteDirectory HasFileTransfer HasFileTransferPluginMethods HasRotationalScratch
    HasSandboxImage HasSelfCheckpointTransfers HasSIF HasSingularity HasSshd HasUserNamespaces HasVM
    IsDataSlot IsEnforcingDiskUsage IsWakeAble IsWakeEnabled JobBusyTimeAvg JobBusyTimeCount JobBusyTimeMax
    JobBusyTimeMin JobDurationAvg JobDurationCount JobDurationMax JobDurationMin JobId JobPreemptions
    JobRankPreemptions JobStart JobStarts JobUserPrioPreemptions JobVM_VCPUS KeyboardIdle KFlops
    LastDrainStartTime LastDrainStopTime LastHeardFrom LastPeriodicCheckpoint LoadAvg LvmBackingStore
    LvmDetectedDisk LvmIsThinProvisioning LvmNonCondorDiskUsage LvmUsingLoopback Machine MachineLastMatchTime
    MachineMaxVacateTime MaxClaimTime MaxJobRetirementTime Memory Microarch Mips MonitorSelfAge
    MonitorSelfCPUUsage MonitorSelfImageSize MonitorSelfRegisteredSocketCount MonitorSelfResidentSetSize
    MonitorSelfSecuritySessions MonitorSelfTime MyAddress MyCurrentTime MyType Name Offline OfflineUniverses
    OpSys OpSysAndVer OpSysLegacy OpSysLongName OpSysMajorVer OpSysName OpSysShortName OpSysVer
    PartitionableSlot PreemptingOwner PreemptingRank PreemptingUser PslotRollupInformation
    RecentJobBusyTimeAvg RecentJobBusyTimeCount RecentJobBusyTimeMax RecentJobBusyTimeMin RecentJobDurationAvg
    RecentJobDurationCount RecentJobDurationMax RecentJobDurationMin RecentJobPreemptions
    RecentJobRankPreemptions RecentJobStarts RecentJobUserPrioPreemptions RemoteAutoregroup RemoteGroup
    RemoteNegotiatingGroup RemoteOwner RemoteProject RemoteScheddName RemoteUser Requirements
    RetirementTimeRemaining SingularityUserNamespaces SingularityVersion SlotBrokenCode SlotBrokenReason
    SlotID SlotType SlotWeight Start StartdIpAddr State TargetType TotalClaimRunTime TotalClaimSuspendTime
    TotalCondorLoadAvg TotalCpus TotalDisk TotalJobRunTime TotalJobSuspendTime TotalLoadAvg
    TotalMachineDrainingBadput TotalMachineDrainingUnclaimedTime TotalMemory TotalSlotCpus TotalSlotDisk
    TotalSlotMemory TotalSlots TotalTimeBackfillBusy TotalTimeBackfillIdle TotalTimeBackfillKilling
    TotalTimeClaimedBusy TotalTimeClaimedCleaning TotalTimeClaimedIdle TotalTimeClaimedRetiring
    TotalTimeClaimedSuspended TotalTimeMatchedIdle TotalTimeOwnerIdle TotalTimePreemptingKilling
    TotalTimePreemptingVacating TotalTimeUnclaimedBenchmarking TotalTimeUnclaimedIdle TotalTransferInputMB
    TotalTransferOutputMB UidDomain Unhibernate VirtualMemory VM_AvailNum VM_Guest_Mem VM_Memory VM_Networking
    VM_Type VMOfflineReason VMOfflineTime WindowsBuildNumber WindowsMajorVersion WindowsMinorVersion
    """
)

#: Of submitters.
SUBMITTER = _names(
    """
    CondorVersion FlockedJobs HeldJobs IdleJobs LocalJobsIdle LocalJobsRunning MyAddress Name RunningJobs
    ScheddIpAddr ScheddName SchedulerJobsIdle SchedulerJobsRunning SubmitterTag WeightedIdleJobs
    WeightedRunningJobs
    """
)

#: Of schedds.
SCHEDULER = _names(
    """
    Autoclusters CollectorHost CondorVersion DaemonCoreDutyCycle DaemonLastReconfigTime DaemonStartTime
    DetectedCpus DetectedMemory EffectiveFlockList FileTransferDiskThrottleHigh FileTransferDiskThrottleLevel
    FileTransferDiskThrottleLow FileTransferDownloadBytes FileTransferFileReadSeconds
    FileTransferFileWriteSeconds FileTransferMBWaitingToDownload FileTransferMBWaitingToUpload
    FileTransferNetReadSeconds FileTransferNetWriteSeconds FileTransferUploadBytes JobQueueBirthdate
    JobsAccumBadputTime JobsAccumExceptionalBadputTime JobsAccumRunningTime JobsAccumTimeToStart
    JobsBadputRuntimes JobsBadputSizes JobsCheckpointed JobsCompleted JobsCompletedRuntimes JobsCompletedSizes
    JobsCoredumped JobsDebugLogError JobsExecFailed JobsExited JobsExitedAndClaimClosing JobsExitedNormally
    JobsExitException JobsKilled JobsMissedDeferralTime JobsNotStarted JobsRestartReconnectsAttempting
    JobsRestartReconnectsBadput JobsRestartReconnectsFailed JobsRestartReconnectsInterrupted
    JobsRestartReconnectsLeaseExpired JobsRestartReconnectsSucceeded JobsRunning JobsRunningRuntimes
    JobsRunningSizes JobsRuntimesHistogramBuckets JobsShadowNoMemory JobsShouldHold JobsShouldRemove
    JobsShouldRequeue JobsSizesHistogramBuckets JobsStarted JobsSubmitted JobsUnmaterialized Machine
    MaxJobsRunning MonitorSelfAge MonitorSelfCPUUsage MonitorSelfImageSize MonitorSelfRegisteredSocketCount
    MonitorSelfResidentSetSize MonitorSelfSecuritySessions MonitorSelfTime MyAddress MyCurrentTime Name
    NumJobStartsDelayed NumPendingClaims NumPendingClaimsInContact NumPendingClaimsInQueue NumUsers
    PublicNetworkIpAddr RecentDaemonCoreDutyCycle RecentJobsAccumBadputTime RecentJobsAccumRunningTime
    RecentJobsAccumTimeToStart RecentJobsBadputRuntimes RecentJobsBadputSizes RecentJobsCheckpointed
    RecentJobsCompleted RecentJobsCompletedRuntimes RecentJobsCompletedSizes RecentJobsCoredumped
    RecentJobsDebugLogError RecentJobsExecFailed RecentJobsExited RecentJobsExitedAndClaimClosing
    RecentJobsExitedNormally RecentJobsExitException RecentJobsKilled RecentJobsMissedDeferralTime
    RecentJobsNotStarted RecentJobsShadowNoMemory RecentJobsShouldHold RecentJobsShouldRemove
    RecentJobsShouldRequeue RecentJobsStarted RecentJobsSubmitted RecentShadowsReconnections
    RecentShadowsRecycled RecentShadowsStarted RecentStatsLifetime RecentStatsTickTime RecentWindowMax
    ScheddIpAddr ShadowsReconnections ShadowsRecycled ShadowsRunning ShadowsRunningPeak ShadowsStarted
    StartLocalUniverse StartSchedulerUniverse StatsLastUpdateTime StatsLifetime TotalFlockedJobs TotalHeldJobs
    TotalIdleJobs TotalJobAds TotalLocalJobsIdle TotalLocalJobsRunning TotalRemovedJobs TotalRunningJobs
    TotalSchedulerJobsIdle TotalSchedulerJobsRunning TransferQueueDownloadWaitTime TransferQueueMaxDownloading
    TransferQueueMaxUploading TransferQueueNumDownloading TransferQueueNumUploading
    TransferQueueNumWaitingToDownload TransferQueueNumWaitingToUpload TransferQueueUploadWaitTime
    TransferQueueUserExpr UpdateInterval UpdateSequenceNumber VirtualMemory WantResAd
    """
)

#: Of the negotiator.
NEGOTIATOR = _names(
    """
    CondorVersion DaemonLastReconfigTime DaemonStartTime LastNegotiationCycleActiveSubmitterCount
    LastNegotiationCycleCandidateSlots Machine MyAddress MyCurrentTime Name NegotiatorIpAddr
    PublicNetworkIpAddr UpdateSequenceNumber
    """
)

#: Of the collector.
COLLECTOR = _names(
    """
    ActiveQueryWorkers ActiveQueryWorkersPeak CollectorIpAddr CondorVersion CurrentForkWorkers
    CurrentJobsRunning CurrentJobsRunningAll DaemonLastReconfigTime DaemonStartTime DroppedQueries
    HandleLocate HandleLocateForked HandleLocateForkedRuntimeAvg HandleLocateMissedFork
    HandleLocateMissedForkRuntimeAvg HandleLocateRuntimeAvg HandleQuery HandleQueryForked
    HandleQueryForkedRuntimeAvg HandleQueryMissedFork HandleQueryMissedForkRuntimeAvg HandleQueryRuntimeAvg
    HostsClaimed HostsOwner HostsTotal HostsUnclaimed IdleJobs Machine MaxJobsRunningAll MyAddress
    MyCurrentTime Name PeakForkWorkers PendingQueries PendingQueriesPeak RunningJobs StartdAds StartdAdsPeak
    SubmitterAds SubmitterAdsPeak UpdateInterval UpdateSequenceNumber UpdatesInitial UpdatesLost
    UpdatesLostMax UpdatesLostRatio UpdatesTotal
    """
)

#: Of masters.
MASTER = _names(
    """
    CondorVersion DaemonLastReconfigTime DaemonStartTime LinuxCapabilities Machine MasterIpAddr MonitorSelfAge
    MonitorSelfCPUUsage MonitorSelfImageSize MonitorSelfRegisteredSocketCount MonitorSelfResidentSetSize
    MonitorSelfSecuritySessions MonitorSelfTime MyAddress MyCurrentTime Name PublicNetworkIpAddr RealUid
    UpdateSequenceNumber
    """
)

#: Of the defragmenter.
DEFRAG = _names(
    """
    AvgDrainingBadput AvgDrainingUnclaimedTime DaemonLastReconfigTime DaemonStartTime DrainedMachines
    DrainFailures DrainSuccesses Machine MachinesDraining MachinesDrainingPeak MeanDrainedArrived
    MonitorSelfAge MonitorSelfCPUUsage MonitorSelfImageSize MonitorSelfRegisteredSocketCount
    MonitorSelfResidentSetSize MonitorSelfSecuritySessions MonitorSelfTime MyAddress MyCurrentTime Name
    RecentCancelsList RecentDrainFailures RecentDrainsList RecentDrainSuccesses RecentStatsLifetime
    UpdateSequenceNumber WholeMachines WholeMachinesPeak
    """
)

#: Of grid resources.
GRID = _names(
    """
    GahpCommandRuntime GahpCommandsInFlight GahpCommandsIssued GahpCommandsQueued GahpCommandsTimedOut GahpPid
    GridResourceUnavailableTime GridResourceUnavailableTimeReason GridResourceUnavailableTimeReasonCode
    IdleJobs JobLimit NumJobs SubmitsAllowed SubmitsWanted
    """
)

#: Of the accountant.
ACCOUNTING = _names(
    """
    AccountingGroup AccumulatedUsage BeginUsageTime ConfigQuota IsAccountingGroup LastUsageTime Name Priority
    PriorityFactor ResourcesUsed SubmitterLimit SubmitterShare WeightedAccumulatedUsage WeightedResourcesUsed
    """
)

#: Statistics of every daemon.
DAEMON = _names(
    """
    DCUdpQueueDepth DebugOuts PipeMessages PipeRuntime SelectWaittime SignalRuntime Signals SocketRuntime
    SockMessages TimerRuntime TimersFired
    """
)

#: Added by the collector to every ad.
ADDED = _names(
    """
    AuthenticatedIdentity AuthenticationMethod LastHeardFrom UpdatesHistory UpdatesLost UpdatesSequenced
    UpdatesTotal
    """
)

#: In no appendix of the manual: internal names, those of commands between daemons, and of retired features.
OTHER = _names(
    """
    _condor_JOBINFO_MAXINTERVAL _condor_PrivRemoteAdminCapability _condor_RESOURCE_CLUSTER
    _condor_RESOURCE_CONSTRAINT _condor_RESOURCE_COUNT _condor_RESOURCE_PROC _condor_StartdHandlesAlives
    _ContainerPort _userrec_opt_ _userrec_opt_create _userrec_opt_create_project _userrec_opt_me
    _userrec_opt_update AccessPoint ActionConstraint ActionIds ActionResult ActionResultType AddressV1 alias
    AnnexName AppendFiles ArcApplication ArcDataStaging ArcResources ArcRte AuthCommand AuthenticatedName
    Authentication AuthenticationNew AuthMethods AuthMethodsList AuthorizationSucceeded AuthRequired AuthToken
    AuthTokenProject AutoClusterAttrs AutoClusterId AWSRegion AzureAdminKey AzureAdminUsername AzureAuthFile
    AzureImage AzureLocation AzureSize AzureSubscription AzureVmId BackfillSlot BadputCausedByDraining
    BadputCausedByPreemption BlockReadBytes BlockWriteBytes BrokenItemId BrokenReasons BufferBlockSize
    BufferBlocksUsed BufferFiles BufferPrefetchSize BufferSize BytesRecvd BytesSent Capability Catalog
    CatalogID CatalogPath CatalogScope CatalogScopeType CatalogSize Catalogs
    SingularityBind SingularityImage CCBID CCBOriginalRequester CCBPriorHop
    CCBRoute CCBTTL CERequirements CheckExpr CheckpointNumber CheckpointSig Checksum ChecksumType
    ChildClaimIds ChirpDelayedAttrs ClaimId ClaimIdList ClaimIds ClaimStartd ClaimState ClaimType
    ClassAdLifetime ClientId CloudLabel CODClaims Command CommonInputCatalogs CommonInputFiles
    CommonInputFilesSizeMB CompressFiles CondorAdmin CondorScratchDir ConnectSinful Consumption
    ContainerDuration ContainerImage ContainerIsCommon ContainerServiceNames ContextAd Continue ContinueReason
    Cookie CoreSize CpuBusy CpuBusyTime CPUInstructions CpuIsBusy create CredDIpAddr CronCurrentTimeRange
    CronNextRunTime CronPrepTime CronWindow CryptoMethods CryptoMethodsList CUDAVersion CurbMatchmaking
    CurrentStatusUnknown DaemonHistorySubsys DaemonShutdown DaemonShutdownFast DAG_Address dag_node_name
    DAG_NodesHoldrun DAG_Stats DataflowJobSkipped DeferralOffset DelegatedProxyExpiration Destination Detected
    DisableReason DiskHeldByClaimInMB DiskQuantum DockerNetworks DockerNetworkType DockerOverrideEntrypoint
    DockerPullPolicy DockerSendCredentials DockerVersion DockerVolumes DontEncryptInputFiles
    DontEncryptOutputFiles Downloading DrainingDeadline DrainReason DropJobAdInSandbox DSlotId
    EC2AvailabilityZone EC2ElasticBlockStorageVolumes EC2Param EC2ParamNames EC2ServerType EC2SessionToken
    EC2Tag EC2VpcIp EC2VpcSubnet ECDHPublicKey EditedClusterAttrs Enabled Enact EncryptInputFiles Encryption
    EncryptOutputFiles EnteredCurrentState EnvDelim EpochAdType EpochWriteDate Err ErrorCode ErrorString
    ErrSize ExceptionHierarchy ExceptionName ExceptionType ExitReason ExitRequirements ExpirationTime
    FailureFiles FetchFiles FetchWorkDelay FileName FileReadBytes FileReadCount FileRemaps FileSeekCount
    FileSize FileTransferDiskThrottleExcess FileTransferDiskThrottleLimit FileTransferDiskThrottleShortfall
    FileTransferDownloadBytesPerSecond FileTransferDownloadDiskLoad FileTransferDownloadNetLoad
    FileTransferUploadBytesPerSecond FileTransferUploadDiskLoad FileTransferUploadNetLoad FileWriteBytes
    FileWriteCount Flavor FlockTo Force GceAccount GceProject GceZone Gid GridmanagerSelectionValue
    GridResourceUnavailableReason GridResourceUnavailableReasonCode GroupQuota GroupResourcesAllocated
    GroupResourcesInUse GZIP HadControlleeName HadIndex HadIsActive HadList HadSelfID HardwareAddress
    HasCheckpointing HasCommonFilesTransfer HasDockerURL HashName HasIOProxy HasJava HasJICLocalConfig
    HasJICLocalStdin HasJobAd HasJobAdFromFile HasJobDeferral HasJobNetworking HasJobTransferPlugins HasMPI
    HasOldVanilla HasOsUser HasPerFileEncryption HasPidNamespaces HasPVM HasReconnect HasStartDaemonAd HasTDP
    HasTransferInputRemaps HasWindowsRunAsOwner HealthExprs Healthy HibernationLevel HibernationMethod
    HibernationRawMask HibernationState HibernationSupportedStates HistoryAdTypeFilter HistoryRecordSource
    HoldCopiedFromTargetJob HowFast IDs In Inactive IncludeClusterAd IncludeJobsetAds InitialJobStatus
    Integrity Interactive IsDaemonCore IsDirectAttach IsLocalStartd IsLocalUser IsNoopJob IsOCUHolder IsOwner
    IsQueueSuperUser IsSplittable IssuerKeys IsTransferShadow IsWakeOnLanEnabled IsWakeOnLanSupported JarFiles
    JavaSpecificationVersion JavaVendor JavaVersion JavaVMArgs JavaVMArguments JobAbortEventLogged JobAction
    JobBatchId JobCoreDumped JobCoreFileName JobDuration JobFinishedHookDone JobKeyword JobLanguage
    JobLastCheckpointTime JobLastStartDate JobLeaseExpiration JobMachineAttrs JobMachineAttrsHistoryLength
    JobMaterializeConstraint JobMaterializeDate JobMaterializeDigestFile JobMaterializeItemsFile
    JobMaterializeLimit JobMaterializeMaxIdle JobMaterializeNextProcId JobMaterializeNextRow
    JobMaterializePauseReason JobMaterializeStepSize JobMaxRetries JobPid JobPreparingTasks JobPrioArray
    JobPrioArrayOverflow JobRequiresSandbox JobSetId JobSetName JobState JobStatusOnRelease JobSuccessExitCode
    JobVM_MACADDR JobVMCheckpoint JobVMCpuUtilization JobVMHardwareVT JobVMMemory JobVMNetworking
    JobVMNetworkingType JobVMType JobVMVNCConsole Kill LastAvailInterval LastBenchmark LastCkptTime
    LastClaimState LastFetchWorkCompleted LastFetchWorkSpawned LastFileTransferErrorProtocol LastForwarded
    LastHoldReason LastHoldReasonCode LastHoldReasonSubCode LastJobLeaseRenewal LastJobStatus
    LastMatchListLength LastMatchName LastNegotiationCycleCpuTime LastNegotiationCycleDuration
    LastNegotiationCycleEnd LastNegotiationCycleMatches LastNegotiationCycleMatchRate
    LastNegotiationCycleMatchRateSustained LastNegotiationCycleNumIdleJobs
    LastNegotiationCycleNumJobsConsidered LastNegotiationCycleNumSchedulers LastNegotiationCyclePeriod
    LastNegotiationCyclePhase1CpuTime LastNegotiationCyclePhase1Duration LastNegotiationCyclePhase2CpuTime
    LastNegotiationCyclePhase2Duration LastNegotiationCyclePhase3CpuTime LastNegotiationCyclePhase3Duration
    LastNegotiationCyclePhase4CpuTime LastNegotiationCyclePhase4Duration LastNegotiationCyclePies
    LastNegotiationCyclePieSpins LastNegotiationCyclePrefetchCpuTime LastNegotiationCyclePrefetchDuration
    LastNegotiationCycleRejections LastNegotiationCycleScheddsOutOfTime LastNegotiationCycleSlotShareIter
    LastNegotiationCycleSubmittersFailed LastNegotiationCycleSubmittersOutOfTime
    LastNegotiationCycleSubmittersShareLimit LastNegotiationCycleTime LastNegotiationCycleTotalSlots
    LastNegotiationCycleTrimmedSlots LastPublicClaimId LastPublicClaimIds LastRejMatchNegotiator
    LastReleaseReason LastRemoteHost LastRemoteStatusUpdate LastSlotName LastUpdate Lifetime
    LimitAuthorization LimitDirectoryAccess LimitResults LoadProfile LoadUserProfile LocalCpu LocalCredd
    LocalFiles LocationQuery MachineAttr MachineAttrSlotWeight0 MachineCount MachineResources Managed
    ManagedManager ManifestDesired ManifestDir MappingMethod MatchCaps MatchClaimedPslots Matched_PSG
    MatchedConcurrencyLimits MaxRequestMemory MaxRunningJobs MaxTransferBytes MountUnderScratch MPIIsMaster
    MPIMasterAddr MultipleTasksPerPvmd MyProxyPassword MyRemoteUserName NeedRefresh NegotiatedSession
    NegotiatorJobConstraint NegotiatorMatchExpr NegotiatorName NegotiatorRequirements NetworkInputMb
    NetworkOutputMb NewlyCommittedTime NewSession NextClusterNum NextFetchWorkDelay NextJobSetNum Node Nonce
    NoopJobExitCode NoopJobExitSignal NoProcAds NotifyUser NumAds NumCkpts NumCkpts_RAW NumClaims NumCODClaims
    NumDynamicSlots NumOwners OAuthServicesNeeded OCU OCUActivationStartTime OCUBorrowerActivations
    OCUBorrowerActivationTime OCUClaim OCUClaimedTime OCUId OCUName OCUOwnerActivations OCUOwnerActivationTime
    OCUState OCUWanted OnExitHold OnExitHoldReason OnExitHoldSubCode OnExitRemove OnExitRemoveReason OrigCmd
    OriginalErr OriginalOut OrigIwd OrigMaxHosts Out OutgoingNegotiation OutSize PacketCount ParallelIsMaster
    ParallelMasterAddr ParallelSchedulingGroup ParallelScriptShadow ParallelScriptStarter ParentSlotId
    ParentUniqueID PeriodicCheckpoint PeriodicHold PeriodicHoldReason PeriodicHoldSubCode PeriodicRelease
    PeriodicReleaseReason PeriodicRemove PeriodicRemoveReason PeriodicVacateReason PostExitBySignal
    PostExitCode PostExitReason PostExitSignal PreemptingAccountingGroup PreemptingConcurrencyLimits
    PreemptState Preferences PreferParallelSchedulingGroup PrevLastHeardFrom PrevRecvEstimate PrevSendEstimate
    PrimaryUnixGroup PrivateNetworkName Projection ProjectName ProvisionerResourceID PublicClaimId
    PublicClaimIds PublicInputFiles Rank RefCount ReleaseClaim RemoteGroupQuota RemoteGroupResourcesInUse
    RemoteHosts RemoteSlotID RemoteSpoolDir RemoteUserFloor RemoteUserPrio RemoteUserResourcesInUse
    RemoteVersion RemoveReason ReplicationList ReportInterval Request RequestedCapacity RequestedCatalogIDs
    RequestedCatalogs RequestedKey RequestId RequestResultCode RequestResultSubCode RequestVirtualMemory
    RequeueReason Require ReservedSpace Respond RestrictToAuthenticatedIdentity Result ResumeOnCompletion
    ResumeResponse Retry RetryRequestMemory ReturnCode RSCBytesRecvd RSCBytesSent RunAsOwner RunBenchmarks
    RunInstanceID RunningCODJob SandboxSize ScheddInterval ScheddsAreSubmitters ScheddSwapExhausted Scheduler
    SendCredential SendPrivateAttributes SendServerTime ServerCommandSock ServerEndpoint ServerPid
    ServerPublicCert SessionDuration SessionExpires SessionInfo SessionLease ShadowBday ShadowIpAddr
    ShadowVersion ShadowWaitForDebug SharedPortCommandSinfuls Shell ShortVersion ShouldForward
    ShouldTransferFiles Sid Size SkipIfDataflow SkipMatchmaking SlotAd SlotTypeID sock SortExpr SortExprString
    Source SplitClaimId SpooledOutputFiles SpoolExecutable SSHKeyGenArgs SSHPrivateClientKey
    SSHPublicServerKey StageInFinish StageInStart StagingDir StartdPrincipal StartdSendsAlives
    StarterAbilityList StarterExitStatus StarterIpAddr StarterPid StarterUserLog StarterUserLogUseXML
    StarterWaitForDebug StartExpr StartupLimitCostAllowed StartupLimitError StartupLimitExpiration
    StartupLimitExpression StartupLimitIgnoredSources StartupLimitJobsAllowed StartupLimitJobsSkipped
    StartupLimitLastIgnoredTime StartupLimitMatchesIgnored StartupLimitName StartupLimitRateBurst
    StartupLimitRateBurstMaxCost StartupLimitRateCost StartupLimitRateCount StartupLimitRateWindow
    StartupLimitStatus StartupLimitTag StartupLimitUUID Status StreamIn StructuredNotes Submission
    SubmissionId SubmitAlwaysCheckCreds Submitter SubmitterGroupQuota SubmitterGroupResourcesInUse SubmitterId
    SubmitterUserPrio SubmitterUserResourcesInUse SubmittorPrio Subnet SubnetMask SubProcId Subsystem Suspend
    SuspendJobAtExec SuspendReason Tag TerminationExitReason TerminationPending Timeout TimerRemove
    TimerRemoveSent TimeToLive ToE Token TokenLifetime ToolDaemonArgs ToolDaemonArguments ToolDaemonCmd
    ToolDaemonError ToolDaemonInput ToolDaemonOutput Total TotalClusterAds TotalCompletedJobs
    TotalLocalJobsHeld TotalSchedulerJobsHeld TotalSlot TotalSubmitProcs TotalTimeDrainedIdle
    TotalTimeDrainedRetiring TotalTimeInCycle TotalVirtualMemory TransferCommonStats TransferInputRemaps
    TransferIntermediate TransferKey TransferOutputRemaps TransferQueueInputList TransferSocket
    TransferTheseCatalogs TransferType TransformBody_ TransformOnEvict TriedAuthentication TrustDomain
    TryAgain Uid UncommittedSuspensionTime UpdatePrio UseParrot User UserLogExecuteEventAttrs UserLogUseXML
    UseSession UtsnameMachine UtsnameNodename UtsnameRelease UtsnameSysname UtsnameVersion UUID Vacate
    VacateType ValidCommands VisaDaemonPID VisaDaemonType VisaHostname VisaIpAddr VisaTimestamp
    VM_All_Guest_IPs VM_All_Guest_Macs VM_CkptIP VM_CkptMac VM_Guest_IP VM_Guest_Mac VM_HardwareVT
    VM_Networking_Types WakeOnLanEnabledFlags WakeOnLanSupportedFlags WakePort WallClockCheckpoint
    WantAdRevaluate WantCheckpointSignal WantClaiming WantCompletionVisaFromSchedD WantDelayedUpdates
    WantDockerImage WantExecutionVisaFromStarter WantIOProxy WantJobNetworking WantMatchDiagnostics
    WantMatching WantParallelScheduling WantParallelSchedulingGroups WantPslotPreemption WantRemoteUpdates
    WantSandboxImage WantSIF Warning WhenToTransferOutput WindowsProductType WindowsServicePackMajorVersion
    WindowsServicePackMinorVersion WithinResourceLimits x509User
    """
)

#: Names with a free part: custom resources, properties of devices, universes and time spans.
PATTERNS = (
    r"\w+Provisioned",
    r"MachineAttr\w+?\d+",
    r"Requ(est|ire)\w+",
    r"(Assigned|Available|Detected|Offline|Total|TotalSlot)?GPUs\w*",
    r"(CUDA|OCL|GPUs?_)\w+",
    r"\w+(BoardTempC|Capability|ClockMhz|ComputeUnits|CoresPerCU|DeviceName|DieTempC|DriverVersion|ECCEnabled)",
    r"\w+(EccErrors(Double|Single)Bit|FanSpeedPct|GlobalMemoryMb|NvidiaDriver|OpenCLVersion|RuntimeVersion)",
    r"(LastNegotiationCycle|Recent|Child)\w+",
    r"FileTransfer\w+_\w+",
    r"MaxJobsRunning\w+",
    r"(MonitorSelf|DC|UW)\w+",
)

#: Attributes whose value is a number, where it is there.
NUMBERS = _names(
    """
    ClockDay ClockMin ClusterId CommittedTime CompletionDate CondorLoadAvg ConsoleIdle Cpus CpusUsage CurrentTime
    DetectedCpus DetectedDisk DetectedMemory Disk DiskUsage EnteredCurrentActivity EnteredCurrentState
    EnteredCurrentStatus ExitCode ExitSignal ExitStatus GPUs HoldReasonCode HoldReasonSubCode ImageSize
    JobCurrentStartDate JobPrio JobRunCount JobStartDate JobStatus JobUniverse KFlops KeyboardIdle LastMatchTime
    LastHeardFrom LoadAvg Memory MemoryUsage Mips MyCurrentTime NumHolds NumJobCompletions NumJobMatches NumJobStarts
    NumRestarts NumShadowStarts NumSystemHolds OpSysMajorVer OpSysVer ProcId QDate RemoteSysCpu RemoteUserCpu
    RemoteWallClockTime RequestCpus RequestDisk RequestGPUs RequestMemory ResidentSetSize ServerTime SlotID SlotWeight
    TotalCpus TotalDisk TotalJobRunTime TotalLoadAvg TotalMemory TotalSlotCpus TotalSlotDisk TotalSlotMemory TotalSlots
    VirtualMemory
    """
)

#: Attributes whose value is a string, where it is there.
STRINGS = _names(
    """
    AccountingGroup AcctGroup AcctGroupUser Activity Arch Arguments Args Cmd CondorPlatform CondorVersion Env
    Environment
    Err FileSystemDomain GlobalJobId HoldReason In Iwd JobBatchName Machine Microarch MyType Name OpSys OpSysAndVer
    OpSysLongName OpSysName OpSysShortName Out Owner ReleaseReason RemoteHost RemoteOwner RemoteUser RemoveReason
    SlotType State UidDomain User UserLog
    """
)

#: Attributes whose value is a boolean, where it is there.
BOOLEANS = _names(
    """
    DynamicSlot Draining ExitBySignal HasContainer HasDocker HasFileTransfer HasJICLocalConfig HasSIF HasSingularity
    HasVM NiceUser PartitionableSlot StreamErr StreamOut TransferErr TransferExecutable TransferOut WantContainer
    WantDocker WantGracefulRemoval
    """
)

#: Attributes that every job in the queue has.
EVERY_JOB = _names(
    """
    Arguments ClusterId Cmd CommittedSlotTime CommittedSuspensionTime CommittedTime CompletionDate CondorPlatform
    CondorVersion CumulativeRemoteSysCpu CumulativeRemoteUserCpu CumulativeSlotTime CumulativeSuspensionTime
    CurrentHosts DiskUsage EnteredCurrentStatus Environment Err ExecutableSize ExitBySignal ExitStatus
    FileSystemDomain ImageSize In Iwd JobNotification JobPrio JobStatus JobSubmitMethod JobUniverse
    LastSuspensionTime LeaveJobInQueue MaxHosts MinHosts MyType NumCkpts NumJobCompletions NumJobStarts NumRestarts
    NumSystemHolds Out Owner ProcId QDate Rank RemoteSysCpu RemoteUserCpu RemoteWallClockTime RequestCpus
    RequestDisk RequestMemory Requirements ShouldTransferFiles TargetType TotalSuspensions TransferIn User
    WhenToTransferOutput
    """
)

#: Attributes that every slot has.
EVERY_SLOT = _names(
    """
    Activity Arch ClockDay ClockMin CondorLoadAvg CondorPlatform CondorVersion ConsoleIdle CpuBusyTime Cpus CurrentRank
    DetectedCpus DetectedMemory Disk Draining EnteredCurrentActivity EnteredCurrentState FileSystemDomain
    HasFileTransfer IsOwner JobStarts KeyboardIdle LoadAvg Machine MaxJobRetirementTime Memory MyAddress MyCurrentTime
    MyType Name OpSys OpSysAndVer OpSysLegacy OpSysLongName OpSysMajorVer OpSysName OpSysShortName OpSysVer Rank
    Requirements RetirementTimeRemaining SlotID SlotType SlotTypeID SlotWeight Start StartdIpAddr State TargetType
    TotalCondorLoadAvg TotalCpus TotalDisk TotalLoadAvg TotalMemory TotalSlotCpus TotalSlotDisk TotalSlotMemory
    TotalSlots UidDomain VirtualMemory
    """
)

#: What an expression may name besides: scopes, and what the language itself provides.
SCOPES = _names("MY TARGET SELF OTHER PARENT ROOT TOPLEVEL CurrentTime")

#: The knobs of policy that a slot ad carries as attributes, and others that configuration refers to by name.
POLICY = _names(
    """
    Start Suspend Continue Preempt Kill Vacate WantSuspend WantVacate IsOwner WithinResourceLimits PeriodicHold
    PeriodicRelease PeriodicRemove OnExitHold OnExitRemove MaxJobRetirementTime RemoteUserPrio SubmitterUserPrio
    SubmitterUserResourcesInUse SubmitterGroup SubmitterGroupQuota SubmitterGroupResourcesInUse
    SubmitterNegotiatingGroup
    RemoteGroup RemoteGroupQuota RemoteGroupResourcesInUse RemoteUserResourcesInUse MemoryUsage
    """
)


@cache
def _pattern() -> re.Pattern[str]:
    import re

    return re.compile("(?:" + "|".join(PATTERNS) + r")\Z", re.IGNORECASE)


@cache
def known() -> dict[str, str]:
    """Every name: lower case -> HTCondor's spelling."""
    every: dict[str, str] = {}
    for names in (OTHER, ADDED, DAEMON, ACCOUNTING, GRID, DEFRAG, MASTER, COLLECTOR, NEGOTIATOR, SCHEDULER):
        every.update((name.lower(), name) for name in names)
    for names in (SUBMITTER, EVERY_JOB, EVERY_SLOT, POLICY, SCOPES, BOOLEANS, STRINGS, NUMBERS, MACHINE, JOB):
        every.update((name.lower(), name) for name in names)
    return every


def is_known(name: str) -> bool:
    """Whether HTCondor knows ``name``, exactly or by one of the patterns."""
    return name.lower() in known() or _pattern().match(name) is not None

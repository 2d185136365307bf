# Nothing is fetched while START is false for every job; the time for the next look runs all the same.
> with slots_connected_to_keyboard=9 slots_connected_to_console=9
> hooks keyword=HOOK fetch_work=/fetch
> policy hook_keyword=hook start="KeyboardIdle > 5" fetch_work_delay=60
> static 1
> start keyboard_idle=0
| slot1: New Slot of type 1 allocated
| slot1: 	Cpus: 8.00, Memory: 16000, Swap: 16384000, Disk: 75600000, GPUs: 0
| slot1: State change: IS_OWNER is false
| slot1: Changing state: Owner -> Unclaimed
[Publish]
> wake
in 60 s
> wait 59
slot1@vm: TotalTimeUnclaimedIdle = 59
> wait 1 keyboard_idle=0
slot1@vm: TotalTimeUnclaimedIdle = 60
> wake
in 60 s
> wait 60
slot1@vm: TotalTimeUnclaimedIdle = 120
> WorkFetched slot=slot1@vm job=
slot1@vm: LastFetchWorkCompleted = 1795000120
> policy hook_keyword=NONE
> reconfig
| Reconfigured
vm: DaemonLastReconfigTime = 1795000120
> wait 60
slot1@vm: TotalTimeUnclaimedIdle = 180
> wake
never

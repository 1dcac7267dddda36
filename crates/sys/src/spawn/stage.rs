//! Steps of a start, by number: a child reports a failed step as one word.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Stage {
    /// `clone(2)`.
    Create = 1,
    /// `sched_setscheduler(2)`.
    Policy = 2,
    /// `setpriority(2)`.
    Nice = 3,
    /// `personality(2)`.
    Personality = 4,
    /// `chdir(2)`.
    WorkingDirectory = 5,
    /// `dup2(2)` onto the standard descriptors.
    Stdio = 6,
    /// `ptrace(2)`.
    Trace = 7,
    /// `execve(2)`.
    Exec = 8,
    /// `sched_setaffinity(2)`, called by the parent before the child exists.
    Affinity = 9,
    /// Writing to `cgroup.procs`, see `cgroups(7)`.
    Group = 10,
    /// `PR_SET_THP_DISABLE` of `prctl(2)`, called by the parent before the child exists.
    HugePages = 11,
    /// `fcntl(2)`, for a descriptor that is to stay open.
    Inherited = 12,
    /// The wait at a `Gate`, which ended without an order to execute.
    Hold = 13,
    /// `setrlimit(2)`.
    StackLimit = 14,
    /// `set_mempolicy(2)`.
    MemoryPolicy = 15,
    /// `sched_setaffinity(2)` for a thread of the program, called by the parent when the thread is created.
    Thread = 16,
    /// `wait4(2)`, called by the parent while the program runs.
    Wait = 17,
}

impl Stage {
    pub fn from_number(number: i32) -> Option<Stage> {
        use Stage::*;
        let start = [Create, Policy, Nice, Personality, WorkingDirectory, Stdio, Inherited, Trace, Exec];
        let stages = start.into_iter().chain([
            Affinity,
            Group,
            HugePages,
            Hold,
            StackLimit,
            MemoryPolicy,
            Thread,
            Wait,
        ]);
        stages.into_iter().find(|stage| *stage as i32 == number)
    }
}

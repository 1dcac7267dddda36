//! Factors, which a sweep varies, and their levels.

use std::fmt;

use fauxplat_units::CpuSet;

use crate::{Background, HugePages, Limit, MemoryPolicy, Policy, StackLimit};

/// A property of a run that can be varied without changing the work of the program, or a parameter of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factor {
    EnvSize,
    /// Size of the arguments, varied by the length of `argv[0]`.
    ArgvSize,
    /// Length of the path of the working directory.
    CwdLength,
    Aslr,
    HeapPad,
    Cpu,
    /// Nice value or scheduling policy.
    Priority,
    Background,
    Frequency,
    Limit,
    HugePages,
    MemoryPolicy,
    /// Limit of the size of the stack, which also decides where the kernel places mappings.
    StackLimit,
    /// Locale, on which it depends how programs sort, compare and print.
    Locale,
    /// Order of the objects, or of the sections, of a program that fauxplat builds.
    LinkOrder,
    /// Padding before the code and the data of a program that fauxplat builds.
    LinkPadding,
    /// Alignment of the functions of a program that fauxplat builds.
    CodeAlign,
    /// A parameter of the command, with the name that stands in braces in the command.
    Parameter(String),
}

impl Factor {
    pub const BUILT_IN: [Factor; 17] = [
        Factor::EnvSize,
        Factor::ArgvSize,
        Factor::CwdLength,
        Factor::Aslr,
        Factor::HeapPad,
        Factor::Cpu,
        Factor::Priority,
        Factor::Background,
        Factor::Frequency,
        Factor::Limit,
        Factor::HugePages,
        Factor::MemoryPolicy,
        Factor::StackLimit,
        Factor::Locale,
        Factor::LinkOrder,
        Factor::LinkPadding,
        Factor::CodeAlign,
    ];

    pub fn name(&self) -> &str {
        match self {
            Factor::EnvSize => "env-size",
            Factor::ArgvSize => "argv-size",
            Factor::CwdLength => "cwd-length",
            Factor::Aslr => "aslr",
            Factor::HeapPad => "heap-pad",
            Factor::Cpu => "cpu",
            Factor::Priority => "priority",
            Factor::Background => "background",
            Factor::Frequency => "frequency",
            Factor::Limit => "limit",
            Factor::HugePages => "huge-pages",
            Factor::MemoryPolicy => "memory-policy",
            Factor::StackLimit => "stack-limit",
            Factor::Locale => "locale",
            Factor::LinkOrder => "link-order",
            Factor::LinkPadding => "link-padding",
            Factor::CodeAlign => "code-align",
            Factor::Parameter(name) => name,
        }
    }

    /// Description of the levels for a list of factors. Brackets hold the levels that are swept if none are given.
    pub fn about(&self) -> &'static str {
        match self {
            Factor::EnvSize => "bytes of a clean environment with one variable [0..8192]",
            Factor::ArgvSize => {
                "bytes by which argv[0] is longer, by slashes before the program's path [0..4096]"
            }
            Factor::CwdLength => {
                "bytes of the working directory's path; folders are made and removed [..1024:32]"
            }
            Factor::Aslr => "on, off",
            Factor::HeapPad => "bytes by which the heap begins further on [0..4080:16]",
            Factor::Cpu => "each allowed CPU; several as 0-1 or 0+2",
            Factor::Priority => "nice values, fifo:N, rr:N [0,10,19, and -10,fifo:1 where permitted]",
            Factor::Background => {
                "none, burner@same, burner@other, burner@all, each with a share: burner@all:50%"
            }
            Factor::Frequency => "kHz, where cpufreq exists [lowest, middle, highest]",
            Factor::Limit => {
                "none, or what --limit takes: cpu:50%, memory:64MiB+swap:0, mems:1 [none,cpu:75%,cpu:50%,cpu:25%]"
            }
            Factor::HugePages => "inherit, never, malloc",
            Factor::MemoryPolicy => {
                "local, interleave:0-1, bind:1, preferred:1; several nodes as 0-1 or 0+2 [local, bind to each node]"
            }
            Factor::StackLimit => {
                "soft limit of the stack: a size, unlimited, inherit [8MiB,64MiB,1GiB,unlimited]"
            }
            Factor::Locale => "value of LC_ALL; to programs, one that is not installed is C [C,C.UTF-8]",
            Factor::LinkOrder => {
                "seeds of the order in which a program is linked that --build or --link makes (0: as it is), \
                 each checked to give the same answer [0..15]"
            }
            Factor::LinkPadding => {
                "bytes of padding before code and data of a program that --build or --link makes, each checked to \
                 give the same answer [0..240:16]"
            }
            Factor::CodeAlign => {
                "alignment of the functions of a program that --build makes, each checked to give the same answer \
                 [16,32,64]"
            }
            Factor::Parameter(_) => {
                "a parameter of the command: n=1..16, n=fast,slow (param:NAME where a factor has that name)"
            }
        }
    }

    /// Unit of the levels as numbers; `None` if the levels are words or have no unit.
    pub fn unit(&self) -> Option<&'static str> {
        match self {
            Factor::EnvSize
            | Factor::ArgvSize
            | Factor::CwdLength
            | Factor::HeapPad
            | Factor::StackLimit
            | Factor::LinkPadding
            | Factor::CodeAlign => Some("bytes"),
            Factor::Frequency => Some("kHz"),
            _ => None,
        }
    }

    /// Whether the levels are different builds of a program.
    pub fn is_built(&self) -> bool {
        matches!(self, Factor::LinkOrder | Factor::LinkPadding | Factor::CodeAlign)
    }

    /// Whether the factor itself moves the stack. Levels must then not be made equal by padding of the environment.
    pub fn moves_the_stack(&self) -> bool {
        matches!(self, Factor::EnvSize | Factor::ArgvSize | Factor::CwdLength | Factor::Aslr)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A nice value under the ordinary policy.
    Nice(i8),
    /// A real-time policy.
    RealTime(Policy),
}

/// A property of a run with the value that a level gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Bytes of the only variable of the environment, terminator included; 0 is an empty environment.
    EnvSize(u16),
    /// Bytes by which `argv[0]` is longer than the path of the program.
    ArgvSize(u16),
    /// Length of the path of the working directory in bytes.
    CwdLength(u16),
    Aslr(bool),
    /// Displacement of the heap in bytes.
    HeapPad(u16),
    Cpus(CpuSet),
    Priority(Priority),
    Background(Background),
    /// Clock frequency of the CPU, in kHz.
    FrequencyKhz(u32),
    Limit(Limit),
    HugePages(HugePages),
    MemoryPolicy(MemoryPolicy),
    StackLimit(StackLimit),
    /// Value of `LC_ALL`, see locale(7).
    Locale(String),
    /// Seed of the link order; 0 keeps the given order.
    LinkOrder(u64),
    /// Bytes of padding before the code, and as many before the data.
    LinkPadding(u32),
    /// Alignment of functions in bytes.
    CodeAlign(u32),
    Parameter {
        name: String,
        value: String,
    },
}

/// A level of a factor, or a combination of one level of each of two factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    pub name: String,
    /// The level as a number; `None` for levels that are words.
    pub number: Option<f64>,
    pub settings: Vec<Setting>,
    /// For a product: index of the level in the first and in the second factor.
    pub cell: Option<(u16, u16)>,
}

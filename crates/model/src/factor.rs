//! What a sweep varies: factors, and the levels that each of them takes.

use std::fmt;

use fauxplat_units::CpuSet;

use crate::{Background, HugePages, Limit, MemoryPolicy, Policy, StackLimit};

/// Something about a run that can be varied without changing what the program does; or a parameter of its command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factor {
    /// Size of the environment.
    EnvSize,
    /// Size of the arguments: `argv[0]` is lengthened.
    ArgvSize,
    /// Length of the path of the working directory.
    CwdLength,
    /// Address space layout randomisation.
    Aslr,
    /// Displacement of the heap.
    HeapPad,
    /// The CPU.
    Cpu,
    /// Nice value, or scheduling policy.
    Priority,
    /// Load beside the command.
    Background,
    /// Clock frequency of the CPU.
    Frequency,
    /// Limits of CPU time and memory.
    Limit,
    /// Huge pages.
    HugePages,
    /// Memory nodes from which pages come.
    MemoryPolicy,
    /// Limit of the stack, by which the kernel places mappings.
    StackLimit,
    /// Language and character set, by which programs sort, compare and print.
    Locale,
    /// Order of the objects, or of the sections, of a program that fauxplat builds.
    LinkOrder,
    /// Padding before the code and the data of such a program.
    LinkPadding,
    /// Alignment of its functions.
    CodeAlign,
    /// A parameter of the command: the name that stands in braces.
    Parameter(String),
}

impl Factor {
    /// All factors that are not parameters.
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

    /// The word that the command line uses.
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

    /// What its levels are, and in brackets those that are swept when none are given.
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
                "bytes of padding before code and data of such a program, checked likewise [0..240:16]"
            }
            Factor::CodeAlign => "alignment of the functions of such a program, checked likewise [16,32,64]",
            Factor::Parameter(_) => {
                "a parameter of the command: n=1..16, n=fast,slow (param:NAME where a factor has that name)"
            }
        }
    }

    /// Unit of its levels' numbers, where they have one.
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

    /// Whether its levels are different builds of the program.
    pub fn is_built(&self) -> bool {
        matches!(self, Factor::LinkOrder | Factor::LinkPadding | Factor::CodeAlign)
    }

    /// Whether it moves the stack by itself, so that no padding may even its levels out.
    pub fn moves_the_stack(&self) -> bool {
        matches!(self, Factor::EnvSize | Factor::ArgvSize | Factor::CwdLength | Factor::Aslr)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How much of the CPU a command may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A nice value under the ordinary policy.
    Nice(i8),
    /// A real-time policy.
    RealTime(Policy),
}

/// One thing about a run that a level fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The environment has one variable of so many bytes, its terminator included; 0: it is empty.
    EnvSize(u16),
    /// `argv[0]` is so many bytes longer than the path of the program.
    ArgvSize(u16),
    /// The path of the working directory has so many bytes.
    CwdLength(u16),
    /// Address space layout randomisation.
    Aslr(bool),
    /// The heap begins so many bytes further on.
    HeapPad(u16),
    /// On these CPUs.
    Cpus(CpuSet),
    /// With this priority.
    Priority(Priority),
    /// With this load beside it.
    Background(Background),
    /// At this frequency.
    FrequencyKhz(u32),
    /// Under these limits.
    Limit(Limit),
    /// With these pages.
    HugePages(HugePages),
    /// With memory from these nodes.
    MemoryPolicy(MemoryPolicy),
    /// With this limit of its stack.
    StackLimit(StackLimit),
    /// In this locale, see locale(7).
    Locale(String),
    /// Linked in the order of this seed; 0: as it is.
    LinkOrder(u64),
    /// With so many bytes before its code, and as many before its data.
    LinkPadding(u32),
    /// With functions at multiples of so many bytes.
    CodeAlign(u32),
    /// With this value of a parameter.
    Parameter {
        /// The name that stands in braces.
        name: String,
        /// The value in its place.
        value: String,
    },
}

/// One level of a factor, or one combination of the levels of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// What reports call it.
    pub name: String,
    /// The level as a number, where it is one.
    pub number: Option<f64>,
    /// What it fixes: one setting per factor.
    pub settings: Vec<Setting>,
    /// For a product: index of the level in the first and in the second factor.
    pub cell: Option<(u16, u16)>,
}

//! Values of options about the appearance of reports.

use clap::ValueEnum;

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
}

/// Orders of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Auto,
    Command,
    MeanTime,
}

/// hyperfine's styles of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Look {
    Auto,
    Basic,
    Full,
    Nocolor,
    Color,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

//! Options of `table`.

use std::path::PathBuf;

use clap::Args;
use fauxplat_units::Nanos;

use super::help::after;
use super::output::{Output, Seen};
use super::time_with_unit;

const EXAMPLES: &str = "\
  fauxplat table /dev/shm/server.table
  fauxplat table /dev/shm/server.table --watch 500ms --names requests=0,bytes=1";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct TableArgs {
    /// The table's file, such as /dev/shm/my-table
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Look again and again, this long apart, and show how fast the values rise [default interval: 1s]
    #[arg(short, long, value_name = "INTERVAL", num_args = 0..=1, default_missing_value = "1s",
        value_parser = time_with_unit)]
    pub watch: Option<Nanos>,
    /// With --watch: end after so many looks
    #[arg(short = 'n', long, value_name = "N", requires = "watch", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Only this object (repeatable) [default: all]
    #[arg(long = "object", value_name = "N")]
    pub objects: Vec<u64>,
    /// Only this key (repeatable) [default: all]
    #[arg(long = "key", value_name = "N")]
    pub keys: Vec<u64>,
    /// What keys and objects are called: requests=0,bytes=1 for keys, server=@7 for object 7, or a file with one of
    /// these per line; they come before what the table says of its keys. For openmetrics a name in _total of a key that
    /// the table does not describe is a counter, and every other one a gauge
    #[arg(long, value_name = "NAME=KEY|NAME=@OBJECT|FILE", value_delimiter = ',')]
    pub names: Vec<String>,
    #[command(flatten)]
    pub output: Output<Seen>,
}

//! `compare --commits`: the commands in work trees of revisions.

use fauxplat_experiment::Failure;
use fauxplat_options::CompareArgs;
use fauxplat_revisions::Compared;

use crate::output;

/// Makes the work trees of the revisions that `--commits` names, and builds them; `None` where the option is absent.
pub(super) fn open(args: &CompareArgs) -> Result<Option<Compared>, Failure> {
    let (words, build) = (&args.commits.commits, args.build.build.as_deref());
    let tell = |line: &str| {
        if !args.output.is_quiet() {
            output::complain(line);
        }
    };
    Compared::open(words, args.commits.merge_base, build, &tell)
}

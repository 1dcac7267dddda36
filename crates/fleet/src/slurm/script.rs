//! The script of a Slurm job, which finds the program on the node, runs it with the order, and writes the answer.

use crate::FleetError;
use crate::engine::Task;
use crate::site::Site;

pub(super) const JOB_FILE: &str = "job.sh";

/// Exit statuses by which the script reports errors; programs rarely use these.
const NOTHING_IN_COMMON: u8 = 90;
const NO_PROGRAM: u8 = 91;
const NOT_RUNNABLE: u8 = 92;
const NO_ROOM: u8 = 93;

/// Meaning of the exit status of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The node does not see the folder of the run.
    NothingInCommon,
    /// The script reported this error.
    Told(&'static str),
    /// The program exited with this status.
    Program(u8),
}

pub(super) fn ending(code: Option<u8>) -> Ending {
    match code {
        Some(NOTHING_IN_COMMON) => Ending::NothingInCommon,
        Some(NO_PROGRAM) => {
            Ending::Told("there is no program for its architecture: name one with --program ARCH=PATH")
        }
        Some(NOT_RUNNABLE) => Ending::Told(
            "the program cannot be run there: a static one runs on every Linux (cargo xtask dist makes it)",
        ),
        Some(NO_ROOM) => {
            Ending::Told("no answer can be written into the folder of the run: no permission, or no room")
        }
        Some(status) => Ending::Program(status),
        None => Ending::Program(0),
    }
}

/// Returns the arguments of the script for a task. The text of the script is the same for all tasks.
pub(super) fn arguments(task: &Task) -> [String; 5] {
    let Task { number, node, round, attempt, token } = task;
    [number.to_string(), token.clone(), node.clone(), round.to_string(), attempt.to_string()]
}

/// Writes the script, unless it exists.
///
/// # Errors
/// Fails where the file cannot be written.
pub(super) fn write(site: &Site) -> Result<(), FleetError> {
    match site.folder.file(JOB_FILE).exists() {
        true => Ok(()),
        false => site.folder.write(JOB_FILE, text(site)?.as_bytes()),
    }
}

fn text(site: &Site) -> Result<String, FleetError> {
    let folder = shell_words::quote(&site.folder.path().display().to_string()).into_owned();
    let program = match &site.options.program_there {
        Some(path) => shell_words::quote(path).into_owned(),
        None => "\"$folder/programs/$(uname -m)\"".to_owned(),
    };
    let (token, order) = (site.folder.token()?, &site.order);
    Ok(format!(
        r#"#!/bin/sh
# A measurement of fauxplat fleet. Arguments: task, token, node, round, attempt.
folder={folder}
program={program}
[ "$(cat "$folder/token" 2>/dev/null)" = '{token}' ] || exit {NOTHING_IN_COMMON}
[ -f "$program" ] || exit {NO_PROGRAM}
umask 077
out="$folder/out/$1"
true 2>/dev/null > "$out.part" || exit {NO_ROOM}
"$program" node --framed "$2" --node "$3" --round "$4" --attempt "$5" --order '{order}' > "$out.part" 2>> "$folder/errors/$1"
code=$?
[ "$code" -ne 126 ] && [ "$code" -ne 127 ] || exit {NOT_RUNNABLE}
mv -f "$out.part" "$out" || exit {NO_ROOM}
exit "$code"
"#
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use fauxplat_launch::Capture;
    use fauxplat_model::Outcome;

    use super::*;
    use crate::folder::RunFolder;
    use crate::site::EngineOptions;

    /// Creates a run below a folder whose name needs quoting; in place of fauxplat, the run has this program.
    fn site(runs: &Path, program: &str) -> Site {
        let folder = RunFolder::make(&runs.join("it's $(a) folder")).unwrap();
        let site = Site { folder, order: "T1JERVI=".into(), options: EngineOptions::default() };
        std::fs::write(site.own_program(), program).unwrap();
        std::fs::set_permissions(site.own_program(), std::fs::Permissions::from_mode(0o700)).unwrap();
        site
    }

    fn task() -> Task {
        Task { number: 7, node: "n$(1)".into(), round: 2, attempt: 3, token: "abc".into() }
    }

    fn run(site: &Site) -> u8 {
        write(site).unwrap();
        let script = site.folder.file(JOB_FILE).display().to_string();
        let arguments = [vec![script], arguments(&task()).to_vec()].concat();
        let done = Capture { program: "/bin/sh".into(), arguments, ..Capture::default() }.run().unwrap();
        match done.outcome {
            Outcome::Exited(status) => status,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_program_gets_its_words_whatever_they_hold() {
        let runs = crate::private();
        let site = site(runs.path(), "#!/bin/sh\nprintf '%s\\n' \"$@\"; echo oh >&2\n");
        assert_eq!(run(&site), 0);
        let said = std::fs::read_to_string(site.folder.out(7)).unwrap();
        let words = [
            "node",
            "--framed",
            "abc",
            "--node",
            "n$(1)",
            "--round",
            "2",
            "--attempt",
            "3",
            "--order",
            "T1JERVI=",
        ];
        assert_eq!(said.lines().collect::<Vec<_>>(), words);
        assert_eq!(std::fs::read_to_string(site.folder.errors(7)).unwrap(), "oh\n");
    }

    #[test]
    fn what_is_wrong_is_told_by_the_status() {
        let runs = crate::private();
        let failing = site(runs.path(), "#!/bin/sh\nexit 3\n");
        assert_eq!(ending(Some(run(&failing))), Ending::Program(3));
        let other = site(runs.path(), "#!/no/such/interpreter\n");
        assert!(matches!(ending(Some(run(&other))), Ending::Told(why) if why.contains("static")));
        std::fs::remove_file(other.own_program()).unwrap();
        assert!(matches!(ending(Some(run(&other))), Ending::Told(why) if why.contains("--program")));
        std::fs::remove_dir_all(failing.folder.file("out")).unwrap();
        assert!(matches!(ending(Some(run(&failing))), Ending::Told(why) if why.contains("room")));
        // The node sees the folder of another run, or no folder: the folder of the run is not shared.
        std::fs::write(failing.folder.file("token"), "another").unwrap();
        assert_eq!(ending(Some(run(&failing))), Ending::NothingInCommon);
    }
}

//! Failing disks under the journal of changes, for each process that writes it: the tuner, its guardian, and `restore`.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

use fauxplat_sys::process::Exit;

use super::Subject;
use super::disk::{self, Fault, Whose};
use crate::machine::{Fake, expect_same_values};
use crate::round::{Scenario, Whom};
use crate::state::State;

/// The process that writes the journal and whose disk fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// A tuner that ends by itself.
    Tuner,
    /// The guardian of a killed tuner.
    Guardian,
    /// The guardian that restores the machine when the time of `--max` is over.
    LateGuardian,
    /// `restore`, after tuner and guardian were killed.
    Restore,
}

/// A journal on a disk that fails under one of its writers.
struct Journal {
    writer: Writer,
    scenario: Scenario,
    state: Box<dyn Fn() -> State>,
    before: State,
    said: PathBuf,
}

/// The journal of a made-up machine, once for each writer.
pub(super) fn subjects(fake: &Fake) -> Vec<Box<dyn Subject + '_>> {
    [Writer::Tuner, Writer::Guardian, Writer::LateGuardian, Writer::Restore]
        .map(|writer| {
            let (scenario, state) = match writer {
                Writer::Tuner => fake.scenarios().remove(0),
                _ => fake.hotplug(),
            };
            let scenario = match writer {
                Writer::Tuner | Writer::Restore => scenario,
                Writer::Guardian => scenario.with_end(&["--for", "sh", "-c", "kill -KILL $PPID"]),
                Writer::LateGuardian => scenario.with_end(&["--max", "300ms"]),
            };
            let (before, said) = (state(), scenario.journal.with_file_name("said"));
            Box::new(Journal { writer, scenario, state, before, said }) as Box<dyn Subject>
        })
        .into()
}

impl Subject for Journal {
    fn name(&self) -> &str {
        match self.writer {
            Writer::Tuner => "journal, tuner",
            Writer::Guardian => "journal, guardian",
            Writer::LateGuardian => "journal, guardian, late",
            Writer::Restore => "journal, restore",
        }
    }

    fn calls(&self) -> u32 {
        let (calls, exit) = self.write(None);
        assert!(self.ends_as_usual(exit) && calls > 4, "{}: {exit:?} after {calls} calls", self.name());
        self.expect_same("without a fault");
        self.scenario.assert_done();
        calls
    }

    fn meet(&self, fault: Fault) -> bool {
        let (_, exit) = self.write(Some(fault));
        let when = format!("{fault:?}");
        // A guardian outlives its tuner, so faults of its disk do not change how the tuner ends.
        let failed = match self.writer {
            Writer::Tuner => super::failed(exit, &self.said, &when),
            Writer::Restore => {
                let failed = super::failed(exit, &self.said, &when);
                failed || self.scenario.journal.exists()
            }
            Writer::Guardian | Writer::LateGuardian => {
                assert!(self.ends_as_usual(exit), "{when}: {exit:?}");
                self.scenario.journal.exists()
            }
        };
        // The machine's values are restored even if the disk fails, and the next `restore` only has to finish the
        // journal.
        self.scenario.wait_until_free();
        self.expect_same(&when);
        self.scenario.restore();
        self.expect_same(&format!("{when}, restored"));
        self.scenario.assert_done();
        failed
    }
}

impl Journal {
    /// Lets the writer write on a disk that fails; returns the number of its calls that would have changed the journal,
    /// and how the program that was started ended.
    fn write(&self, fault: Option<Fault>) -> (u32, Exit) {
        let (mut command, whose) = match self.writer {
            Writer::Tuner => (self.scenario.tuner(), Whose::Program),
            Writer::Guardian | Writer::LateGuardian => (self.scenario.tuner(), Whose::Guardian),
            Writer::Restore => (self.restoring(), Whose::Program),
        };
        command.stderr(File::create(&self.said).expect("a file for what it says"));
        disk::run(&mut command, &self.scenario.journal, whose, fault)
    }

    /// The command that restores a machine, after leaving a machine with values to restore.
    fn restoring(&self) -> Command {
        self.scenario.end_while_held(Whom::Everybody);
        assert!(!self.before.differences(&(self.state)()).is_empty(), "nothing is to be restored");
        self.scenario.restoring()
    }

    fn ends_as_usual(&self, exit: Exit) -> bool {
        match self.writer {
            Writer::Guardian => exit == Exit::Signal(libc::SIGKILL as u8),
            // Exit code 3 is accepted from a tuner that got no CPU time before its time limit.
            Writer::LateGuardian => matches!(exit, Exit::Status(0 | 3)),
            Writer::Tuner | Writer::Restore => exit == Exit::Status(0),
        }
    }

    #[track_caller]
    fn expect_same(&self, when: &str) {
        let when = format!("{}, {when}", self.name());
        expect_same_values(&self.scenario, &self.before, self.state.as_ref(), &when);
    }
}

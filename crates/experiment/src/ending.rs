//! Notification at the end of an experiment: a sound, or a command of the user.

use std::cell::RefCell;
use std::rc::Rc;

use fauxplat_model::document::Record;

use crate::{Event, Failure, Listener, Notice};

/// Notice of an experiment's end, shared between the listener that receives it and the code that sends it.
#[derive(Clone, Debug)]
pub struct Ending {
    notice: Rc<RefCell<Option<Notice>>>,
    sentence: fn(&Record<'_>) -> String,
}

impl Default for Ending {
    fn default() -> Self {
        Ending { notice: Rc::default(), sentence: |_| String::new() }
    }
}

impl Listener for Ending {
    fn hear(&mut self, event: &Event<'_>) {
        if let Event::Finished { state, record } = event {
            *self.notice.borrow_mut() = Some(Notice::of(state, record.findings, (self.sentence)(record)));
        }
    }
}

impl Ending {
    /// A second handle to this notice, with a function that summarises a record in a sentence.
    #[must_use]
    pub fn in_words(&self, sentence: fn(&Record<'_>) -> String) -> Self {
        Ending { notice: self.notice.clone(), sentence }
    }

    /// Runs a shell line that finds the notice in its environment, see [`Notice::tell`]. A failure of the line does not
    /// change the result of the experiment.
    ///
    /// # Errors
    /// Returns the reason if the line could not be run, exceeded its time limit or did not end with status 0.
    pub fn tell(&self, line: &str, done: &Result<(), Failure>, exit_code: u8) -> Result<(), String> {
        self.notice(done).tell(line, exit_code)
    }

    /// The notice to send: the verdict, or the failure if there is nothing else to report.
    fn notice(&self, done: &Result<(), Failure>) -> Notice {
        let told = self.notice.borrow().clone();
        match (told, done) {
            (Some(told), Err(failure)) if told.verdict == "failed" => {
                Notice { sentence: failure.to_string(), ..told }
            }
            (Some(told), _) => told,
            (None, Ok(())) => Notice { verdict: "finished".to_owned(), sentence: String::new() },
            (None, Err(failure)) => Notice { verdict: "failed".to_owned(), sentence: failure.to_string() },
        }
    }
}

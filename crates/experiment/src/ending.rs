//! The end of an experiment, for those who did not wait for it: a sound, and a command of the user's.

use std::cell::RefCell;
use std::rc::Rc;

use fauxplat_model::document::Record;

use crate::{Event, Failure, Listener, Notice};

/// What the experiment said at its end; whoever listens to it and whoever tells it share this.
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
    /// The same ending, for a listener who puts a record into a sentence.
    #[must_use]
    pub fn in_words(&self, sentence: fn(&Record<'_>) -> String) -> Self {
        Ending { notice: self.notice.clone(), sentence }
    }

    /// Tells it by a line for the shell, which changes nothing.
    ///
    /// # Errors
    /// Why the line could not be run, or how it ended.
    pub fn tell(&self, line: &str, done: &Result<(), Failure>, exit_code: u8) -> Result<(), String> {
        self.notice(done).tell(line, exit_code)
    }

    /// What is told: the verdict, unless what went wrong is all that there is to say.
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

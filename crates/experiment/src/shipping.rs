//! Copies (ships) an experiment to a shared store after the last measurement, with a time limit.

use std::rc::Rc;
use std::time::Duration;

use fauxplat_model::document::Header;
use fauxplat_store::{Patience, Shipment, Store, Url};
use fauxplat_sys::clock;
use fauxplat_sys::signal::stop_requested;

use crate::Failure;
use crate::recorder::Recorder;

/// Time limits for each answer of the server, and for copying everything.
const ANSWER: Duration = Duration::from_secs(5);
const IN_ALL: Duration = Duration::from_secs(30);
/// Time limit for copying everything after the user has pressed Ctrl-C.
const IN_A_HURRY: Duration = Duration::from_secs(3);

/// Ships an experiment, and returns sentences about data that the shared store has not acknowledged. The number of the
/// experiment in `header` becomes that of the shared store.
pub(crate) fn ship(
    stored: &Result<(), Failure>,
    recorder: &Recorder,
    header: &mut Header,
    is_interrupted: bool,
) -> Vec<String> {
    let target = recorder.store().and_then(|store| Some((store, store.target()?)));
    let target = target.filter(|_| stored.is_ok());
    let Some(((store, url), id)) = target.zip(header.id) else { return Vec::new() };
    let shipment = store.ship(id, patience(is_interrupted));
    header.id = shipment.acknowledged;
    let told = told((store, url), id, recorder.samples.len(), &shipment);
    header.warnings.extend(told.iter().cloned());
    told
}

fn patience(is_interrupted: bool) -> Patience {
    let in_all = if is_interrupted { IN_A_HURRY } else { IN_ALL }.as_nanos() as u64;
    let began_ns = clock::monotonic_ns();
    let go_on = move || {
        clock::monotonic_ns().saturating_sub(began_ns) < in_all && (is_interrupted || !stop_requested())
    };
    Patience { answer: ANSWER, go_on: Rc::new(go_on) }
}

/// Sentences about data that the shared store has not acknowledged, in which file it is, and how to ship it.
fn told((store, url): (&Store, &Url), id: i64, samples: usize, shipment: &Shipment) -> Vec<String> {
    let (path, why) =
        (store.path().display(), shipment.trouble.as_deref().unwrap_or("sending was not finished"));
    // A URL may contain `?` and `&`, which a shell would interpret.
    let quoted = url.typeable();
    let quoted = shell_words::quote(&quoted);
    let own = shipment.acknowledged.is_none().then(|| {
        format!(
            "{samples} samples of this experiment are not acknowledged by the shared store yet ({why}): they are in {path} as \
             experiment {id}, and `fauxplat history push {quoted} {id}` carries them"
        )
    });
    let others = shipment.waiting.iter().filter(|one| **one != id).count();
    let earlier = (others > 0).then(|| {
        format!("{others} earlier experiments in {path} wait for {url}: `fauxplat history push {quoted}` carries them")
    });
    own.into_iter().chain(earlier).collect()
}

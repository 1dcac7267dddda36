//! `fauxplat node`: carries out an order on a machine of a fleet.

use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;

use fauxplat_experiment::{Failure, Launch, measure};
use fauxplat_fleet::{unpacked, wire};
use fauxplat_model::NodeOrder;
use fauxplat_sys::poll::{Interest, Poller};
use fauxplat_sys::signal;
use fauxplat_sys::text::read_text;

use fauxplat_options::NodeArgs;

pub(crate) fn node(args: &NodeArgs, invocation: &[String]) -> Result<(), Failure> {
    let mut order = order(args)?;
    end_unheard();
    let named = || std::env::var("FAUXPLAT_NODE").ok().filter(|name| !name.is_empty());
    order.node = args.node.clone().or_else(named).or(order.node);
    order.round = args.round.unwrap_or(order.round);
    order.attempt = args.attempt.unwrap_or(order.attempt);
    let record = measure::node::record(&order, Launch::spawner(), invocation);
    let text = serde_json::to_string(&record).map_err(Failure::machine)?;
    let done = write(args.framed.as_deref(), text);
    if args.shipped {
        // A shipped program removes itself, since nobody else would. If it is gone already, that is no error.
        let _gone = std::env::current_exe().and_then(std::fs::remove_file);
    }
    done
}

/// Ends this process in order once the reader of its output is gone. A connection without a terminal shows its end in
/// no other way, and a process that continued would disturb the measurement of a second order.
fn end_unheard() {
    let watch = || -> fauxplat_sys::Result<Poller> {
        let poller = Poller::new()?;
        poller.add(std::io::stdout().as_fd(), 0, Interest::Urgent)?;
        Ok(poller)
    };
    // Epoll refuses regular files, in which case nothing is watched: a report in a file may be read at any later time.
    if let Ok(poller) = watch() {
        std::thread::spawn(move || wait_for_end(&poller));
    }
}

fn wait_for_end(poller: &Poller) {
    let mut ready = Vec::new();
    while poller.wait(&mut ready, None).is_ok() {
        match ready.first() {
            Some(end) if end.is_over => return signal::send(std::process::id() as i32, signal::SIGTERM),
            // The output is ready for another reason, urgent data, and would make every later wait return at once, so
            // watching ends.
            Some(_) => return,
            None => {}
        }
    }
}

/// The order to carry out: packed in the option `--order`, or as JSON in a file or on standard input.
fn order(args: &NodeArgs) -> Result<NodeOrder, Failure> {
    if let Some(word) = &args.order {
        return Ok(unpacked(word)?);
    }
    let file = args.file.as_deref().unwrap_or(Path::new("-"));
    let path = if file == Path::new("-") { Path::new("/dev/stdin") } else { file };
    let fail = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", file.display()));
    let text = read_text(path, fauxplat_plan::BYTES_MAX).map_err(|error| fail(&error))?;
    serde_json::from_str(&text).map_err(|error| fail(&error))
}

fn write(token: Option<&str>, text: String) -> Result<(), Failure> {
    let text = match token {
        Some(token) => wire::lines(token, &text)?.join("\n"),
        None => text,
    };
    let mut out = std::io::stdout().lock();
    let done = writeln!(out, "{text}").and_then(|()| out.flush());
    done.map_err(|error| Failure::machine(format!("the answer cannot be written: {error}")))
}

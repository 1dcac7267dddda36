//! `fauxplat node`: what is done on a machine of a fleet.

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

/// Carries an order out, and writes what came of it.
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
        // It lies where nobody looks for it again; one that is gone already is as good.
        let _gone = std::env::current_exe().and_then(std::fs::remove_file);
    }
    done
}

/// Has this process end, as if it was asked to, once nobody reads what it writes any more. A connection without a
/// terminal tells nobody else that it is gone, and whoever asks again would have two measure side by side.
fn end_unheard() {
    let watch = || -> fauxplat_sys::Result<Poller> {
        let poller = Poller::new()?;
        poller.add(std::io::stdout().as_fd(), 0, Interest::Urgent)?;
        Ok(poller)
    };
    // A file is none that can be waited for: it is read whenever somebody comes.
    if let Ok(poller) = watch() {
        std::thread::spawn(move || wait_for_end(&poller));
    }
}

fn wait_for_end(poller: &Poller) {
    let mut ready = Vec::new();
    while poller.wait(&mut ready, None).is_ok() {
        match ready.first() {
            Some(end) if end.is_over => return signal::send(std::process::id() as i32, signal::SIGTERM),
            // Something urgent for whoever reads would be there again at once.
            Some(_) => return,
            None => {}
        }
    }
}

/// An order is not larger than a definition and what is said around it.
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

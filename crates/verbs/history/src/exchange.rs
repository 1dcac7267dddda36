//! `history push` and `pull`: copies experiments from one store to another.

use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, open_store};
use fauxplat_report::Format;
use fauxplat_store::{Exchanged, Store};
use fauxplat_verb::Host;

use fauxplat_options::OutputArgs;

/// Copies experiments from the store that the options of output name to the store `to`.
pub(crate) fn push(
    to: &Path,
    ids: &[String],
    all: bool,
    (host, output): (&dyn Host, &OutputArgs),
) -> Result<(), Failure> {
    let (from, to) = (host.history(output)?, other(to)?);
    let ids = match (ids.is_empty(), all) {
        (true, false) => waiting(&from, &to)?,
        _ => chosen(&from, ids)?,
    };
    carry(&from, &to, &ids, (host, output))
}

/// Copies experiments from the store `from` to the store that the options of output name.
pub(crate) fn pull(
    from: &Path,
    ids: &[String],
    (host, output): (&dyn Host, &OutputArgs),
) -> Result<(), Failure> {
    // The other store is opened for reading, which creates no file.
    let named = OutputArgs { store: Some(from.to_owned()), ..OutputArgs::default() };
    let (from, to) = (host.history(&named)?, host.store(output)?);
    let ids = chosen(&from, ids)?;
    carry(&from, &to, &ids, (host, output))
}

fn other(path: &Path) -> Result<Store, Failure> {
    let opened = open_store(Some(&PathBuf::from(path)))?;
    opened.ok_or_else(|| Failure::usage("`none` is no store; for a file of that name say ./none"))
}

/// Numbers of the experiments that `ids` names; of all finished experiments if it is empty.
fn chosen(store: &Store, ids: &[String]) -> Result<Vec<i64>, Failure> {
    match ids.is_empty() {
        true => Ok(store.all_over()?),
        false => ids.iter().map(|id| Ok(store.resolve(id)?)).collect(),
    }
}

/// Numbers of the experiments that were measured for a shared store, and are not in it yet. Other experiments in the
/// file are not sent.
fn waiting(from: &Store, to: &Store) -> Result<Vec<i64>, Failure> {
    match to.is_shared() {
        true => Ok(from.waiting_for(to)?),
        false => Err(Failure::usage(format!(
            "no experiments wait to be sent to {}, which is a file: name experiments, or --all",
            to.path().display()
        ))),
    }
}

fn carry(
    from: &Store,
    to: &Store,
    ids: &[i64],
    (host, output): (&dyn Host, &OutputArgs),
) -> Result<(), Failure> {
    if !matches!(output.format, Format::Text | Format::Json) {
        return Err(Failure::usage(format!(
            "push and pull report as text or json, not as {}",
            output.format
        )));
    }
    let exchanged = from.carry_to(to, ids)?;
    let told = match output.format {
        Format::Json => as_json(from, to, &exchanged)?,
        _ => as_text(to, &exchanged),
    };
    host.lines(&told, output)?;
    let kept = exchanged.kept.len();
    match exchanged.trouble {
        Some(error) => Err(error.into()),
        None if kept > 0 => {
            Err(Failure::machine(format!("{kept} of {} experiments were not carried", ids.len())))
        }
        None => Ok(()),
    }
}

fn as_text(to: &Store, exchanged: &Exchanged) -> String {
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    };
    let (carried, samples) = (exchanged.carried.len(), exchanged.samples() as usize);
    // Experiments that only use fauxplat's own workers have no samples.
    let with = if samples > 0 { format!(" with {}", count(samples, "sample")) } else { String::new() };
    let mut text = format!(
        "{}: {}{with} arrived, {} there already\n",
        to.path().display(),
        count(carried, "experiment"),
        match exchanged.known.len() {
            1 => "1 was".to_owned(),
            many => format!("{many} were"),
        }
    );
    for (id, reason) in &exchanged.kept {
        text += &format!("experiment {id} stays: {reason}\n");
    }
    text
}

fn as_json(from: &Store, to: &Store, exchanged: &Exchanged) -> Result<String, Failure> {
    let carried = exchanged
        .carried
        .iter()
        .map(|(id, there, samples)| serde_json::json!({ "id": id, "id_there": there, "samples": samples }));
    let known = exchanged.known.iter().map(|(id, there)| serde_json::json!({ "id": id, "id_there": there }));
    let kept = exchanged.kept.iter().map(|(id, reason)| serde_json::json!({ "id": id, "reason": reason }));
    let document = serde_json::json!({
        "schema": "fauxplat.transfer/1",
        "from": from.path(), "to": to.path(),
        "carried": carried.collect::<Vec<_>>(),
        "there_already": known.collect::<Vec<_>>(),
        "kept": kept.collect::<Vec<_>>(),
        "trouble": exchanged.trouble.as_ref().map(ToString::to_string),
    });
    Ok(serde_json::to_string_pretty(&document).map_err(Failure::usage)? + "\n")
}

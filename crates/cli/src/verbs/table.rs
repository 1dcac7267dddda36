//! `fauxplat table`: values that a measured program publishes, now and while it runs.

use std::collections::BTreeMap;

use fauxplat_experiment::Failure;
use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{TableFindings, TableKey, TableKind, TableValue};
use fauxplat_sys::{clock, signal, timer};
use fauxplat_table::{AnyTable, Key, Kind, Rate, Rates, Selection, TableFile};

use crate::inspection;
use crate::names::Names;
use crate::output::{self, Looks};
use fauxplat_options::TableArgs;

/// Prints a table once, or follows it until the user interrupts or `--count` is reached.
pub(crate) fn table(args: &TableArgs, invocation: &[String]) -> Result<(), Failure> {
    let names = Names::read(&args.names)?;
    let header = inspection::header(std::path::Path::new("/"), invocation);
    let mut live = Live::open(args, names)?;
    match args.watch {
        None => match live.look()? {
            Some(findings) => inspection::report(&header, &findings, &args.output),
            None => Ok(()),
        },
        Some(interval) => follow(&mut live, args, &header, interval.0),
    }
}

/// Reads the table at regular times until the user interrupts or `--count` is reached. The times do not drift by the
/// time that a reading takes.
fn follow(live: &mut Live<'_>, args: &TableArgs, header: &Header, interval_ns: u64) -> Result<(), Failure> {
    if interval_ns == 0 {
        return Err(Failure::usage("--watch 0: the interval must be longer than nothing"));
    }
    signal::stop_on_interrupt().map_err(Failure::machine)?;
    let mut looks = Looks::open(&args.output)?;
    let (begun_ns, mut number) = (clock::monotonic_ns(), 0);
    while !signal::stop_requested() {
        if let Some(findings) = live.look_again()? {
            looks.show(header, &findings)?;
        }
        number += 1;
        if args.count.is_some_and(|count| number >= count) {
            break;
        }
        timer::sleep_unless_stopped(begun_ns.saturating_add(interval_ns.saturating_mul(number)));
    }
    Ok(())
}

fn described(key: &Key) -> TableKey {
    let kind = match key.kind {
        Kind::Counter => TableKind::Counter,
        Kind::Gauge => TableKind::Gauge,
    };
    let Key { number, name, unit, help, .. } = key.clone();
    TableKey { key: number, name, kind, unit, help }
}

/// An open table, and its earlier readings.
struct Live<'a> {
    args: &'a TableArgs,
    names: Names,
    selection: Selection,
    /// The open table; `None` while its file is gone.
    table: Option<AnyTable>,
    rates: Rates,
    /// Time of the first reading by `CLOCK_MONOTONIC`; `None` before.
    started_ns: Option<u64>,
}

impl<'a> Live<'a> {
    fn open(args: &'a TableArgs, names: Names) -> Result<Self, Failure> {
        let selection = Selection { objects: args.objects.clone(), keys: args.keys.clone() };
        let table = Some(AnyTable::open_read_only(&args.file)?);
        Ok(Live { args, names, selection, table, rates: Rates::new(), started_ns: None })
    }

    /// Reads the open table once; `None` if the user asked to stop meanwhile.
    fn look(&mut self) -> Result<Option<Findings>, Failure> {
        let now_ns = clock::monotonic_ns();
        let gone = || Failure::usage(format!("{}: the table is gone", self.args.file.display()));
        let table = self.table.as_ref().ok_or_else(gone)?;
        let sample = self.rates.sample_until(table, &self.selection, now_ns, &signal::stop_requested)?;
        let Some(rates) = sample else { return Ok(None) };
        let info = table.info();
        let keys = table.described();
        if self.started_ns.is_none() && !self.args.output.quiet {
            self.doubts(keys, &rates).iter().for_each(|doubt| output::complain(doubt));
        }
        let names = self.key_names(keys);
        Ok(Some(Findings::Table(TableFindings {
            file: self.args.file.display().to_string(),
            elapsed_ns: now_ns - *self.started_ns.get_or_insert(now_ns),
            value_bytes: info.value_bytes,
            records: info.records,
            creator_pid: info.creator_pid,
            creator_alive: info.creator_alive,
            followed: self.args.watch.is_some(),
            keys: keys.iter().map(described).collect(),
            values: rates.iter().map(|rate| self.value(rate, &names)).collect(),
        })))
    }

    /// Names of the keys of a table, by number. A name that the user gave replaces the name that the table's creator
    /// gave.
    fn key_names(&self, keys: &[Key]) -> BTreeMap<u64, String> {
        let is_free = |key: &&Key| !self.names.keys.values().any(|name| *name == key.name);
        let own = keys.iter().filter(is_free).map(|key| (key.number, key.name.clone()));
        own.chain(self.names.keys.clone()).collect()
    }

    /// Warnings about names that the user gave to keys or objects that the table does not have, or that the table has
    /// for another key.
    fn doubts(&self, keys: &[Key], rates: &[Rate]) -> Vec<String> {
        let is_chosen = |chosen: &[u64], number: &u64| chosen.is_empty() || chosen.contains(number);
        let has_key =
            |key: &u64| keys.iter().any(|it| it.number == *key) || rates.iter().any(|it| it.key == *key);
        let has_object = |object: &u64| rates.iter().any(|it| it.object == *object);
        let idle = |kind: &str, number: &u64, name: &String| {
            format!("--names: the table has no {kind} {number}, so that `{name}` names nothing in it")
        };
        let of_keys =
            self.names.keys.iter().filter(|(key, _)| is_chosen(&self.args.keys, key) && !has_key(key));
        let of_objects = self
            .names
            .objects
            .iter()
            .filter(|(object, _)| is_chosen(&self.args.objects, object) && !has_object(object));
        let taken = keys.iter().filter_map(|own| {
            let (key, name) = self.names.keys.iter().find(|(key, name)| **name == own.name && **key != own.number)?;
            (!self.names.keys.contains_key(&own.number)).then(|| {
                let number = own.number;
                format!("--names: the table calls its key {number} `{name}`; that key has no name here, since key {key} has it")
            })
        });
        let idle_keys = of_keys.map(|(key, name)| idle("key", key, name));
        idle_keys.chain(of_objects.map(|(object, name)| idle("object", object, name))).chain(taken).collect()
    }

    fn value(&self, rate: &Rate, names: &BTreeMap<u64, String>) -> TableValue {
        TableValue {
            object: rate.object,
            object_name: self.names.objects.get(&rate.object).cloned(),
            key: rate.key,
            key_name: names.get(&rate.key).cloned(),
            value: rate.value,
            rate_per_s: rate.per_second,
        }
    }

    /// Reads the table that now has the file's name; `None` while there is none. The process that publishes the table
    /// may remove or replace it, in which case later calls look for a new table. A table that grows stays open.
    fn look_again(&mut self) -> Result<Option<Findings>, Failure> {
        self.refresh();
        if self.table.is_none() {
            return Ok(None);
        }
        match self.look() {
            Ok(findings) => Ok(findings),
            Err(failure) => {
                self.lose(&failure.to_string());
                Ok(None)
            }
        }
    }

    fn refresh(&mut self) {
        let standing = self.table.as_ref().map(AnyTable::standing);
        match standing {
            Some(Ok(TableFile::Same)) => return,
            Some(Ok(TableFile::Gone)) => self.lose("it was removed"),
            Some(Err(error)) => self.lose(&error.to_string()),
            Some(Ok(TableFile::Replaced)) | None => {}
        }
        let was_open = self.table.is_some();
        match AnyTable::open_read_only(&self.args.file) {
            Ok(table) => {
                self.table = Some(table);
                // The values of the new table do not continue those of the old one.
                self.rates = Rates::new();
            }
            Err(error) if was_open => self.lose(&error.to_string()),
            Err(_) => {}
        }
    }

    /// Closes the table and prints a message that it is gone for now, if it was open.
    fn lose(&mut self, why: &str) {
        if self.table.take().is_some() && !self.args.output.quiet {
            output::complain(&format!("{}: {why}; waiting for a new table", self.args.file.display()));
        }
    }
}

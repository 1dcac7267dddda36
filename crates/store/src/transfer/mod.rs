//! Copies experiments from one store to another; an experiment that is already there is not changed.
//!
//! An experiment is copied in one transaction, page by page, so it arrives completely or not at all, however large it
//! is and whatever process is killed meanwhile. Small experiments share a transaction, since a server takes longer for a
//! commit than for their rows. Experiments are identified by UUID: a second copy is found and compared.

mod compare;
mod tables;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rusqlite::types::Value;

use self::tables::{TABLES, Table, insert};
use crate::engine::{Engine, Purpose, Values, cell, integer, text, together};
use crate::{State, StoreError, sql};

#[derive(Debug)]
pub(crate) enum Carried {
    /// The experiment was added under this number, with this many samples.
    New { id: i64, samples: u64 },
    /// The experiment was already there under this number, with the same content.
    Known { id: i64 },
    /// The experiment was not copied; the text is the reason.
    Kept(String),
}

/// The number that an experiment gets in the store to which it is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// The next free number of that store.
    Next,
    /// The number that the experiment has in the store from which it is copied, for a copy that is read in its place.
    Same,
}

/// Why a transaction was rolled back: an error, or a result that adds nothing.
enum Stop {
    Error(StoreError),
    Found(Carried),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Error(error)
    }
}

/// Two stores between which experiments are copied, with the columns of their tables, which are asked for once.
pub(crate) struct Route<'a> {
    from: &'a dyn Engine,
    to: &'a dyn Engine,
    columns: RefCell<BTreeMap<&'static str, Rc<Vec<String>>>>,
}

impl<'a> Route<'a> {
    pub(crate) fn new(from: &'a dyn Engine, to: &'a dyn Engine) -> Self {
        Route { from, to, columns: RefCell::default() }
    }

    /// Returns the columns that a table has in both stores, in the order of the target.
    fn columns(&self, table: &'static str) -> Result<Rc<Vec<String>>, StoreError> {
        let known = self.columns.borrow().get(table).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let there = self.from.columns(table)?;
        let both = self.to.columns(table)?.into_iter().filter(|name| there.contains(name)).collect();
        let both: Rc<Vec<String>> = Rc::new(both);
        self.columns.borrow_mut().insert(table, Rc::clone(&both));
        Ok(both)
    }
}

pub(crate) fn carry(route: &Route<'_>, id: i64, number: Number) -> Result<Carried, StoreError> {
    // All rows of the source are read in one transaction, so that an experiment that is removed meanwhile is not copied
    // in part.
    together(route.from, Purpose::Read, || {
        let head = match judge(route, id, number, &|uuid| known(route.to, uuid))? {
            Judged::Fit(head) => head,
            Judged::Over(carried) => return Ok(carried),
        };
        let added = together(route.to, Purpose::Add, || add(route, head, number, &mut BTreeSet::new()));
        match added {
            Ok(carried) | Err(Stop::Found(carried)) => settled(route, id, carried),
            // An experiment that the target cannot hold is reported as not copied, and later experiments are still
            // copied.
            Err(Stop::Error(StoreError::Unfit { reason, .. })) => Ok(Carried::Kept(reason)),
            Err(Stop::Error(error)) => Err(error),
        }
    })
}

/// Maximum number of experiments that share a transaction.
pub(crate) const EXPERIMENTS_AT_ONCE: usize = 100;

/// Number of samples after which a transaction takes no further experiment: other processes wait for its lock on a file.
const SAMPLES_AT_ONCE: u64 = 10_000;

/// Copies the first of these experiments in one transaction, as many as it takes, which is one at least. `None` where
/// one of them cannot be added, and so none is: each then needs a transaction of its own, as [`carry`] makes it.
///
/// # Errors
/// Returns the error of a file that another process keeps locked.
pub(crate) fn carry_some(route: &Route<'_>, ids: &[i64]) -> Result<Option<Vec<Carried>>, StoreError> {
    let done: Result<Vec<Carried>, Stop> = together(route.to, Purpose::Add, || {
        let there = all_known(route, ids)?;
        let (mut machines, mut all, mut samples) = (BTreeSet::new(), Vec::new(), 0_u64);
        for &id in ids {
            let carried = together(route.from, Purpose::Read, || -> Result<Carried, Stop> {
                match judge(route, id, Number::Next, &|uuid| Ok(there.get(uuid).copied()))? {
                    Judged::Fit(head) => add(route, head, Number::Next, &mut machines),
                    Judged::Over(carried) => Ok(carried),
                }
            })?;
            if let Carried::New { samples: more, .. } = &carried {
                samples += *more;
            }
            all.push(carried);
            if samples >= SAMPLES_AT_ONCE {
                break;
            }
        }
        Ok(all)
    });
    match done {
        Ok(all) => Ok(Some(all)),
        Err(Stop::Error(error @ (StoreError::Busy { .. } | StoreError::BusyAtStop { .. }))) => Err(error),
        Err(_) => Ok(None),
    }
}

/// The numbers in the target of those experiments that it has already, by UUID.
fn all_known(route: &Route<'_>, ids: &[i64]) -> Result<BTreeMap<String, i64>, StoreError> {
    let places = |count: usize| (1..=count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    let asked = format!("SELECT uuid FROM experiment WHERE id IN ({})", places(ids.len()));
    let ids: Vec<Value> = ids.iter().map(|id| Value::Integer(*id)).collect();
    let uuids = route.from.read(&asked, &ids)?.into_iter().flatten();
    let uuids: Vec<Value> = uuids.filter(|uuid| *uuid != Value::Null).collect();
    if uuids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let asked = format!("SELECT uuid, id FROM experiment WHERE uuid IN ({})", places(uuids.len()));
    let rows = route.to.read(&asked, &uuids)?;
    let pair = |row: &Values| Some((text(cell(row, 0))?.to_owned(), integer(cell(row, 1))));
    Ok(rows.iter().filter_map(pair).collect())
}

/// Whether an experiment of the source is to be added.
enum Judged {
    Fit(Head),
    /// The experiment is not to be added, and the result is known.
    Over(Carried),
}

/// Reads the head of an experiment, and decides whether it is to be copied. `known` returns the number of the experiment
/// with a UUID in the target.
fn judge(
    route: &Route<'_>,
    id: i64,
    number: Number,
    known: &dyn Fn(&str) -> Result<Option<i64>, StoreError>,
) -> Result<Judged, StoreError> {
    let kept = |reason: &str| Ok(Judged::Over(Carried::Kept(reason.to_owned())));
    let columns = route.columns("experiment")?;
    let Some(head) = Head::read(route.from, &columns, id)? else {
        return kept("the experiment is not there any more");
    };
    if number == Number::Same {
        return Ok(Judged::Fit(head));
    }
    let Some(uuid) = head.uuid.as_deref() else {
        return kept("the experiment has no UUID: an earlier version wrote it, and its store is read-only");
    };
    if head.is_running() {
        return kept("the experiment still runs: it can be carried when it is over");
    }
    match known(uuid)? {
        Some(known) => compare::judged(route, id, known).map(Judged::Over),
        None => Ok(Judged::Fit(head)),
    }
}

/// Completes the result of a copy: an experiment that another process has copied meanwhile is compared with it.
fn settled(route: &Route<'_>, id: i64, carried: Carried) -> Result<Carried, StoreError> {
    match carried {
        Carried::Known { id: known } => compare::judged(route, id, known),
        other => Ok(other),
    }
}

struct Head {
    columns: Vec<String>,
    values: Values,
    uuid: Option<String>,
}

impl Head {
    fn read(from: &dyn Engine, columns: &[String], id: i64) -> Result<Option<Head>, StoreError> {
        let asked = format!("SELECT {} FROM experiment WHERE id = $1", columns.join(", "));
        let Some(values) = from.read(&asked, &[Value::Integer(id)])?.pop() else { return Ok(None) };
        let mut head = Head { columns: columns.to_vec(), values, uuid: None };
        head.uuid = head.text("uuid");
        // An experiment that is marked as running, but whose process is gone, is copied as interrupted.
        if let Some(at) = head.at("state").filter(|_| head.text("state").as_deref() == Some("running")) {
            head.values[at] = Value::Text(head.state().name().to_owned());
        }
        Ok(Some(head))
    }

    fn at(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    fn text(&self, column: &str) -> Option<String> {
        text(self.values.get(self.at(column)?)?).map(str::to_owned)
    }

    fn state(&self) -> State {
        let word = |column| self.text(column).unwrap_or_default();
        State::read(&word("state"), &word("owner"))
    }

    fn is_running(&self) -> bool {
        self.state() == State::Running
    }

    /// Returns the row without the experiment's number in the store from which it was read.
    fn nameless(mut self) -> Self {
        if let Some(at) = self.at("id") {
            self.columns.remove(at);
            self.values.remove(at);
        }
        self
    }
}

/// Returns the number of the experiment with this UUID in a store; `None` if it is not there.
fn known(to: &dyn Engine, uuid: &str) -> Result<Option<i64>, StoreError> {
    let rows = to.read(sql::BY_UUID, &[Value::Text(uuid.to_owned())])?;
    Ok(rows.first().and_then(|row| row.first()).map(integer))
}

/// Adds an experiment with all its rows to the target, within the current transaction. `machines` holds those that this
/// transaction has added or compared.
fn add(
    route: &Route<'_>,
    head: Head,
    number: Number,
    machines: &mut BTreeSet<String>,
) -> Result<Carried, Stop> {
    let source = head.at("id").map_or(0, |at| integer(&head.values[at]));
    let uuid = head.uuid.clone();
    if let Some(reason) = add_machine(route, head.text("machine").unwrap_or_default(), machines)? {
        return Err(Stop::Found(Carried::Kept(reason)));
    }
    let head = if number == Number::Next { head.nameless() } else { head };
    let insert =
        format!("{} ON CONFLICT (uuid) DO NOTHING RETURNING id", insert("experiment", &head.columns, 1));
    let added = route.to.read(&insert, &head.values)?;
    let Some(id) = added.first().and_then(|row| row.first()).map(integer) else {
        let there = uuid.map(|uuid| known(route.to, &uuid)).transpose()?.flatten();
        return Err(Stop::Found(Carried::Known { id: there.unwrap_or_default() }));
    };
    let mut samples = 0;
    for table in &TABLES {
        let rows = copy(route, (source, id), table)?;
        if table.name == "sample" {
            samples = rows;
        }
    }
    Ok(Carried::New { id, samples })
}

/// Adds the machine of an experiment, if it is missing. Returns the reason why the experiment cannot be copied: the
/// facts of the machine are missing, or the target has other facts under the same key.
fn add_machine(
    route: &Route<'_>,
    hash: String,
    machines: &mut BTreeSet<String>,
) -> Result<Option<String>, StoreError> {
    if machines.contains(&hash) {
        return Ok(None);
    }
    let key = [Value::Text(hash.clone())];
    let Some(machine) = route.from.read(sql::MACHINE, &key)?.pop() else {
        return Ok(Some("the facts of its machine are missing".into()));
    };
    route.to.write(sql::INSERT_MACHINE, &machine)?;
    if route.to.read(sql::MACHINE, &key)?.pop().as_ref() != Some(&machine) {
        return Ok(Some("the other store has different facts of its machine under the same hash".into()));
    }
    machines.insert(hash);
    Ok(None)
}

/// Copies the rows that an experiment has in one table, page by page; returns their number. `source` and `id` are the
/// experiment's numbers in the two stores.
fn copy(route: &Route<'_>, (source, id): (i64, i64), table: &Table) -> Result<u64, StoreError> {
    let columns = route.columns(table.name)?;
    let place = |name: &str| columns.iter().position(|column| column == name);
    let Some(owner) = place("experiment") else { return Ok(0) };
    let keys: Vec<usize> = table.keys.iter().filter_map(|key| place(key)).collect();
    let mut asked = vec![Value::Integer(source)];
    let mut copied = 0;
    loop {
        let mut rows = route.from.read(&table.page(&columns, copied == 0), &asked)?;
        let is_page = rows.len() <= table.page && rows.iter().all(|row| row.len() == columns.len());
        if !is_page || rows.last().is_some_and(|last| asked[1..] == keys_of(last, &keys)) {
            return Err(otherwise_than_asked());
        }
        copied += rows.len() as u64;
        let is_last = rows.len() < table.page;
        if let Some(last) = rows.last() {
            asked.truncate(1);
            asked.extend(keys_of(last, &keys));
        }
        rows.iter_mut().for_each(|row| row[owner] = Value::Integer(id));
        for some in rows.chunks(route.to.rows_at_once()) {
            route.to.write(&insert(table.name, &columns, some.len()), &some.concat())?;
        }
        if is_last {
            return Ok(copied);
        }
    }
}

fn keys_of(row: &Values, keys: &[usize]) -> Vec<Value> {
    keys.iter().map(|&key| row[key].clone()).collect()
}

/// Returns the error for a store that returns other rows than requested: a server that always returned the same page
/// would fill the disk.
fn otherwise_than_asked() -> StoreError {
    let reason = "the store returned other rows than it was asked for".to_owned();
    StoreError::Unfit { url: "the other store".to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use fauxplat_model::document::Header;
    use fauxplat_model::{Readings, Sample};

    use super::*;
    use crate::Store;

    struct Deaf {
        row: Values,
        rows: usize,
    }

    impl Engine for Deaf {
        fn columns(&self, _table: &str) -> Result<Vec<String>, StoreError> {
            Ok(["experiment", "sequence", "block"].map(str::to_owned).to_vec())
        }

        fn read(&self, _sql: &str, _values: &[Value]) -> Result<Vec<Values>, StoreError> {
            Ok(vec![self.row.clone(); self.rows])
        }

        fn write(&self, _sql: &str, _values: &[Value]) -> Result<u64, StoreError> {
            Ok(0)
        }

        fn rows_at_once(&self) -> usize {
            10
        }

        fn begin(&self, _purpose: Purpose) -> Result<(), StoreError> {
            Ok(())
        }

        fn commit(&self) -> Result<(), StoreError> {
            Ok(())
        }

        fn roll_back(&self) {}
    }

    #[test]
    fn a_server_that_answers_otherwise_than_asked_is_no_end_without_end() {
        let table = TABLES.iter().find(|table| table.name == "sample").unwrap();
        let row = |width| vec![Value::Integer(7); width];
        let copied = |row, rows| {
            let deaf = Deaf { row, rows };
            copy(&Route::new(&deaf, &deaf), (1, 1), table)
        };
        assert!(
            matches!(copied(row(3), table.page), Err(StoreError::Unfit { .. })),
            "the same page for ever"
        );
        assert!(matches!(copied(row(3), table.page + 1), Err(StoreError::Unfit { .. })), "no end of a page");
        assert!(matches!(copied(row(1), 1), Err(StoreError::Unfit { .. })), "rows without some columns");
        assert_eq!(copied(row(3), table.page - 1).unwrap(), table.page as u64 - 1);
    }

    /// A store that counts the questions of which a server answers each in a round trip.
    struct Counted<'a> {
        engine: &'a dyn Engine,
        columns: Cell<usize>,
        begun: Cell<usize>,
        reads: Cell<usize>,
    }

    fn count(cell: &Cell<usize>) {
        cell.set(cell.get() + 1);
    }

    impl Engine for Counted<'_> {
        fn columns(&self, table: &str) -> Result<Vec<String>, StoreError> {
            count(&self.columns);
            self.engine.columns(table)
        }

        fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Values>, StoreError> {
            count(&self.reads);
            self.engine.read(sql, values)
        }

        fn write(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
            self.engine.write(sql, values)
        }

        fn rows_at_once(&self) -> usize {
            self.engine.rows_at_once()
        }

        fn begin(&self, purpose: Purpose) -> Result<(), StoreError> {
            count(&self.begun);
            self.engine.begin(purpose)
        }

        fn commit(&self) -> Result<(), StoreError> {
            self.engine.commit()
        }

        fn roll_back(&self) {
            self.engine.roll_back();
        }
    }

    fn measured(store: &Store) -> i64 {
        let header = Header::default();
        let mut experiment = store.begin(&header, "run", &[]).unwrap();
        experiment.append(&Sample::of(Readings::none())).unwrap();
        experiment.finish(&header, None, State::Finished).unwrap()
    }

    #[test]
    fn small_experiments_share_a_transaction_and_are_asked_for_together() {
        let folder = tempfile::tempdir().unwrap();
        let [near, far] = ["near", "far"].map(|name| Store::open(folder.path().join(name)).unwrap());
        let ids: Vec<i64> = (0..20).map(|_| measured(&near)).collect();
        let zero = || Cell::new(0);
        let to = Counted { engine: far.engine(), columns: zero(), begun: zero(), reads: zero() };
        let route = Route::new(near.engine(), &to);
        let carried = carry_some(&route, &ids).unwrap().unwrap();
        assert_eq!(carried.len(), ids.len());
        assert!(carried.iter().all(|it| matches!(it, Carried::New { samples: 1, .. })), "{carried:?}");
        assert_eq!(to.begun.get(), 1);
        assert!(to.columns.get() <= TABLES.len() + 1, "{} questions", to.columns.get());
        // The UUIDs, the machine, and each insertion that returns a number.
        assert_eq!(to.reads.take(), ids.len() + 2);
        let again = carry_some(&route, &ids).unwrap().unwrap();
        assert!(again.iter().all(|it| matches!(it, Carried::Known { .. })), "{again:?}");
        // The UUIDs, and a head and checksums of each experiment.
        assert_eq!((to.begun.get(), to.reads.get()), (2, 2 * ids.len() + 1));
    }

    #[test]
    fn where_one_cannot_share_a_transaction_each_gets_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [near, far] = ["near", "far"].map(|name| Store::open(folder.path().join(name)).unwrap());
        let ids = [measured(&near), measured(&near)];
        // The second copy is neither known before the transaction nor new in it.
        let twice = [ids[0], ids[1], ids[1]];
        assert!(carry_some(&Route::new(near.engine(), far.engine()), &twice).unwrap().is_none());
        assert!(far.all_over().unwrap().is_empty());
        let exchanged = near.carry_to(&far, &twice).unwrap();
        assert!(exchanged.trouble.is_none() && exchanged.kept.is_empty(), "{exchanged:?}");
        assert_eq!((exchanged.carried.len(), exchanged.known.len()), (2, 1));
    }
}

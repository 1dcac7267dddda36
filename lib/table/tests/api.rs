//! The calls of the library, one test for each promise.

mod common;

use std::collections::BTreeMap;

use common::UniqueName;
use fauxplat_table::{AnyTable, Error, Narrow, Options, Rates, Selection, Table, TableFile, Wide, Width};

#[test]
fn values_come_back() -> Result<(), Error> {
    fn both<W: Width>(name: &str) -> Result<(), Error> {
        let place = UniqueName::new(name);
        let table: Table<W> = Options::new().dense_objects(4).dense_keys(3).create(place.path())?;
        for object in [0, 3, 4, 77, u64::MAX, u64::MAX - 1, 1 << 40] {
            assert_eq!(table.get(object, 1), None);
            table.set(object, 1, -5)?;
            assert_eq!(table.get(object, 1), Some(-5));
            assert_eq!(table.reader().get(object, 1), Some(-5));
            assert_eq!(table.add(object, 1, 7)?, -5);
            assert_eq!(table.add(object, 2, 1)?, 0);
            assert_eq!(table.keys(object), [(1, 2), (2, 1)]);
            assert_eq!(table.snapshot(object)?, [(1, 2), (2, 1)]);
            assert_eq!(table.remove(object, 1)?, Some(2));
            assert_eq!(table.get(object, 1), None);
            assert_eq!(table.get(object, 3), None);
        }
        let other: Table<W> = Table::open_read_only(place.path())?;
        assert_eq!(other.get(1 << 40, 2), Some(1));
        assert!(matches!(other.set(0, 0, 1), Err(Error::ReadOnly)));
        assert!(matches!(other.add(0, 0, 1), Err(Error::ReadOnly)));
        assert!(matches!(other.counter(0, 0), Err(Error::ReadOnly)));
        Ok(())
    }
    both::<Wide>("wide")?;
    both::<Narrow>("narrow")
}

#[test]
fn keys_can_be_any_number() -> Result<(), Error> {
    let place = UniqueName::new("sparse-keys");
    let table: Table = Options::new().dense_keys(2).max_sparse_keys(3).create(place.path())?;
    for (key, value) in [(0, 1), (u64::MAX, 2), (1 << 50, 3), (2, 4)] {
        table.set(9, key, value)?;
    }
    assert!(matches!(table.set(9, 3, 0), Err(Error::KeysFull { max: 3 })));
    let keys: BTreeMap<u64, i64> = table.keys(9).into_iter().collect();
    assert_eq!(keys, BTreeMap::from([(0, 1), (u64::MAX, 2), (1 << 50, 3), (2, 4)]));
    let mut values = [None; 3];
    table.get_many(&[(9, u64::MAX), (9, 3), (8, 0)], &mut values);
    assert_eq!(values, [Some(2), None, None]);
    Ok(())
}

#[test]
fn exchange_compares() -> Result<(), Error> {
    let place = UniqueName::new("exchange");
    let table: Table = Table::create(place.path())?;
    assert_eq!(table.compare_exchange(1, 1, Some(0), Some(1))?, Err(None));
    assert_eq!(table.compare_exchange(1, 1, None, Some(1))?, Ok(()));
    assert_eq!(table.compare_exchange(1, 1, None, Some(2))?, Err(Some(1)));
    assert_eq!(table.compare_exchange(1, 1, Some(1), None)?, Ok(()));
    assert_eq!(table.get(1, 1), None);
    // An exchange that expects a value of a missing object or key allocates no row for it.
    assert_eq!(table.compare_exchange(2, 1, Some(1), Some(2))?, Err(None));
    assert_eq!(table.compare_exchange(1, 1 << 40, Some(1), Some(2))?, Err(None));
    assert_eq!(table.info().hashed_rows, 1);
    Ok(())
}

#[test]
fn values_outside_the_range_are_refused_and_change_nothing() -> Result<(), Error> {
    let place = UniqueName::new("range");
    let table: Table<Narrow> = Options::new().create(place.path())?;
    let most = i64::from(i32::MAX);
    for value in [most, -most, 0] {
        table.set(1, 1, value)?;
        assert_eq!(table.get(1, 1), Some(value));
    }
    assert!(matches!(table.set(1, 1, most + 1), Err(Error::Range { .. })));
    assert!(matches!(table.set(1, 1, -most - 1), Err(Error::Range { .. })));
    table.set(1, 1, most)?;
    assert!(matches!(table.add(1, 1, 1), Err(Error::Range { .. })));
    assert_eq!(table.get(1, 1), Some(most));

    let place = UniqueName::new("range-wide");
    let table: Table = Table::create(place.path())?;
    assert!(matches!(table.set(1, 1, i64::MIN), Err(Error::Range { .. })));
    table.set(1, 1, i64::MAX)?;
    assert!(matches!(table.add(1, 1, 1), Err(Error::Range { .. })));
    let mut counter = table.counter(1, 1)?;
    assert!(matches!(counter.add(1), Err(Error::Range { .. })));
    counter.add(-1)?;
    assert_eq!((counter.value(), table.get(1, 1)), (i64::MAX - 1, Some(i64::MAX - 1)));
    Ok(())
}

#[test]
fn the_index_grows_to_its_last_object() -> Result<(), Error> {
    let place = UniqueName::new("grow");
    let count = 50_000;
    let table: Table<Narrow> = Options::new().max_hashed_objects(count).dense_keys(1).create(place.path())?;
    let number = |n: u64| n.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    // Object 0 has a row without the index.
    table.set(0, 0, -1)?;
    for n in 1..=count {
        table.set(number(n), 0, n as i64)?;
    }
    assert!(matches!(table.set(number(count + 1), 0, 0), Err(Error::ObjectsFull { max: 50_000 })));
    assert!((1..=count).all(|n| table.get(number(n), 0) == Some(n as i64)));
    let mut objects: Vec<u64> = table.objects().collect();
    objects.sort_unstable();
    objects.dedup();
    assert_eq!(objects.len(), count as usize + 1);
    assert_eq!(table.get(0, 0), Some(-1));
    assert_eq!(table.info().hashed_rows, count);
    Ok(())
}

#[test]
fn many_values_are_stored_as_one_by_one() -> Result<(), Error> {
    let (place, other) = (UniqueName::new("many"), UniqueName::new("many-one-by-one"));
    let options = Options::new().dense_objects(4).dense_keys(2).max_sparse_keys(3).max_hashed_objects(2000);
    let (many, single): (Table<Narrow>, Table<Narrow>) =
        (options.create(place.path())?, options.create(other.path())?);
    // Dense and hashed objects, dense and sparse keys, the same pair twice in a batch, and growth in between.
    let value = |n: u64| (n * 7919 % 1500, n % 5, n as i64 - 2000);
    let values: Vec<(u64, u64, i64)> = (0..4000).map(value).collect();
    many.set_many(&values)?;
    values.iter().try_for_each(|&(object, key, value)| single.set(object, key, value))?;
    for object in 0..1500 {
        assert_eq!(many.keys(object), single.keys(object), "object {object}");
    }
    // Values before a refused one are stored, values after it are not.
    let refused = many.set_many(&[(1, 1, 77), (1, 0, i64::MAX), (2, 1, 78)]);
    assert!(matches!(refused, Err(Error::Range { value: i64::MAX })));
    assert_eq!((many.get(1, 1), many.get(2, 1)), (Some(77), single.get(2, 1)));
    assert!(matches!(Table::<Narrow>::open_read_only(place.path())?.set_many(&values), Err(Error::ReadOnly)));
    Ok(())
}

#[test]
fn colliding_objects_make_longer_chains_and_no_mistakes() -> Result<(), Error> {
    let place = UniqueName::new("collide");
    let table: Table = Options::new().max_hashed_objects(1000).dense_keys(1).create(place.path())?;
    // The inverse of the hash's multiplier makes the searches for all objects begin in one slot of every level.
    let inverse = (0..6)
        .fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(x))));
    for n in 0..1000 {
        table.set(inverse.wrapping_mul(n), 0, n as i64)?;
    }
    assert!((0..1000).all(|n| table.get(inverse.wrapping_mul(n), 0) == Some(n as i64)));
    assert_eq!(table.objects().count(), 1000);
    Ok(())
}

#[test]
fn records_are_read_whole() -> Result<(), Error> {
    let place = UniqueName::new("records");
    let table: Table<Narrow> =
        Options::new().records(true).dense_objects(2).dense_keys(3).create(place.path())?;
    for object in [1, 500] {
        assert_eq!(table.snapshot(object)?, []);
        table.publish(object, &[Some(1), None, Some(3)])?;
        assert_eq!(table.snapshot(object)?, [(0, 1), (2, 3)]);
        table.publish(object, &[None, Some(2)])?;
        assert_eq!(table.snapshot(object)?, [(1, 2)]);
        assert_eq!((table.get(object, 1), table.get(object, 0)), (Some(2), None));
        assert!(matches!(table.publish(object, &[None; 4]), Err(Error::Kind { .. })));
        assert!(matches!(table.set(object, 0, 1), Err(Error::Kind { .. })));
        assert!(matches!(table.remove(object, 0), Err(Error::Kind { .. })));
    }
    assert_eq!(table.objects().collect::<Vec<_>>(), [1, 500]);
    Ok(())
}

#[test]
fn readers_and_rows_see_the_last_publication() -> Result<(), Error> {
    fn both<W: Width>(name: &str) -> Result<(), Error> {
        let place = UniqueName::new(name);
        let options = Options::new().records(true).dense_objects(2).dense_keys(2).max_sparse_keys(2);
        let table: Table<W> = options.create(place.path())?;
        let reader = table.reader();
        for object in [1, 500] {
            for step in 1..=5 {
                table.publish(object, &[Some(step), Some(-step)])?;
                let row = reader.row(object).ok_or(Error::ReadOnly)?;
                assert_eq!((reader.get(object, 0), reader.get(object, 1)), (Some(step), Some(-step)));
                assert_eq!((row.get(0), row.get(1), row.get(2)), (Some(step), Some(-step), None));
                assert_eq!((table.get(object, 0), table.get(object, 9)), (Some(step), None));
                let pairs: Vec<(u64, u64)> = (0..70).map(|n| (object, n % 3)).collect();
                let mut values = [[None; 70]; 2];
                reader.get_many(&pairs, &mut values[0]);
                table.get_many(&pairs, &mut values[1]);
                let expected = |n| [Some(step), Some(-step), None][n % 3];
                assert!(values.iter().all(|all| (0..70).all(|n| all[n] == expected(n))), "{values:?}");
                assert_eq!(table.keys(object), [(0, step), (1, -step)]);
            }
        }
        Ok(())
    }
    both::<Wide>("records-wide")?;
    both::<Narrow>("records-narrow")
}

/// A record that is published without a pause must not appear absent.
#[test]
fn a_record_that_never_pauses_is_there_all_the_while() -> Result<(), Error> {
    let place = UniqueName::new("restless");
    let table: Table<Narrow> =
        Options::new().records(true).dense_objects(1).dense_keys(60).create(place.path())?;
    let over = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    for object in [0, 77] {
        table.publish(object, &[Some(1); 60])?;
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for step in (1..=1_000_000).cycle().take_while(|_| !over.load(relaxed)) {
                let _ = (table.publish(0, &[Some(step); 60]), table.publish(77, &[Some(step); 60]));
            }
        });
        let reader = table.reader();
        let whole = (0..1000).all(|_| {
            let all = table.objects().eq([0, 77]) && table.keys(77).len() == 60;
            all && table.get(0, 59).is_some() && reader.get(77, 59).is_some()
        });
        // The writer is stopped first, so that a failing test also ends.
        over.store(true, relaxed);
        assert!(whole);
    });
    Ok(())
}

#[test]
fn readers_for_known_columns_read_the_same() -> Result<(), Error> {
    let place = UniqueName::new("columns");
    let table: Table<Narrow> = Options::new().dense_objects(100).dense_keys(12).create(place.path())?;
    for pair in 0..200_u64 * 12 {
        table.set(pair / 12, pair % 12, pair as i64)?;
    }
    let reader = table.reader_of::<12>().ok_or(Error::ReadOnly)?;
    assert!((0..2400).all(|pair| reader.get(pair / 12, pair % 12) == Some(pair as i64)));
    assert_eq!((reader.get(0, 12), reader.get(200, 0)), (None, None));
    assert!(table.reader_of::<11>().is_none());
    let row = reader.row(150).ok_or(Error::ReadOnly)?;
    assert_eq!((row.get(3), row.get(12)), (Some(1803), None));
    let pairs: Vec<(u64, u64)> = (0..2424).map(|pair| (pair / 12, pair % 12)).collect();
    let mut values = vec![None; pairs.len()];
    reader.get_many(&pairs, &mut values);
    let expected = |pair| if pair < 2400 { Some(pair) } else { None };
    assert!((0..2424).all(|pair| values[pair as usize] == expected(pair)));
    Ok(())
}

#[test]
fn rates_are_per_second() -> Result<(), Error> {
    let place = UniqueName::new("rates");
    let table: Table = Options::new().create(place.path())?;
    let seen = AnyTable::open_read_only(place.path())?;
    let mut rates = Rates::new();
    table.set(1, 2, 100)?;
    assert_eq!(seen.sample(&mut rates, 1_000)?[0].per_second, None);
    table.add(1, 2, 50)?;
    let sample = seen.sample(&mut rates, 500_001_000)?;
    assert_eq!((sample[0].value, sample[0].per_second), (150, Some(100.0)));
    let two = Selection { objects: vec![1, 5], keys: vec![2, 5] };
    let sample = rates.sample(&seen, &two, 1_500_001_000)?;
    assert_eq!((sample.len(), sample[0].per_second), (1, Some(0.0)));
    Ok(())
}

#[test]
fn a_selection_names_objects_keys_both_or_neither() -> Result<(), Error> {
    let place = UniqueName::new("selection");
    let table: Table = Options::new().create(place.path())?;
    for (object, key) in [(1, 0), (1, 99), (7, 0)] {
        table.set(object, key, 5)?;
    }
    let seen = AnyTable::open_read_only(place.path())?;
    let pairs = |objects: &[u64], keys: &[u64]| {
        let selection = Selection { objects: objects.to_vec(), keys: keys.to_vec() };
        let mut pairs: Vec<_> = seen.values(&selection).into_iter().map(|(pair, _)| pair).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(pairs(&[], &[]), [(1, 0), (1, 99), (7, 0)]);
    assert_eq!(pairs(&[], &[0]), [(1, 0), (7, 0)]);
    assert_eq!(pairs(&[1, 2], &[]), [(1, 0), (1, 99)]);
    assert_eq!(pairs(&[7, 1], &[99]), [(1, 99)]);
    Ok(())
}

#[test]
fn a_file_that_is_replaced_or_removed_is_noticed() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("standing");
    let first: Table = Options::new().create(place.path())?;
    assert_eq!(first.standing()?, TableFile::Same);
    std::fs::remove_file(place.path())?;
    assert_eq!(first.standing()?, TableFile::Gone);
    let second: Table = Options::new().create(place.path())?;
    assert_eq!((first.standing()?, second.standing()?), (TableFile::Replaced, TableFile::Same));
    // A removed table can still be read and written.
    first.set(1, 1, 7)?;
    assert_eq!((first.get(1, 1), second.get(1, 1)), (Some(7), None));
    Ok(())
}

#[test]
fn what_exists_is_opened_and_must_have_the_sizes_asked_for() -> Result<(), Box<dyn std::error::Error>> {
    let place = UniqueName::new("open-or-create");
    let options = Options::new().dense_keys(2).max_hashed_objects(10);
    options.open_or_create::<Wide>(place.path())?.set(1, 1, 5)?;
    assert_eq!(options.open_or_create::<Wide>(place.path())?.get(1, 1), Some(5));
    let others = [
        options.clone().records(true),
        options.clone().dense_keys(32),
        options.clone().dense_objects(7),
        options.clone().exclusive_rows(true),
        options.clone().max_hashed_objects(11),
    ];
    for other in others {
        let refused = other.open_or_create::<Wide>(place.path());
        assert!(matches!(refused, Err(Error::Different { .. })), "{refused:?}");
    }
    assert!(matches!(options.open_or_create::<Narrow>(place.path()), Err(Error::Width { .. })));
    // Opening an existing table needs no room.
    let (huge, here) = (Options::new().dense_objects(1 << 40).dense_keys(1), UniqueName::new("huge"));
    std::fs::write(here.path(), "no table")?;
    assert!(matches!(huge.open_or_create::<Wide>(here.path()), Err(Error::NotATable { .. })));
    assert!(matches!(huge.create::<Wide>(here.path()), Err(Error::Io { call: "create", .. })));
    Ok(())
}

/// Objects whose numbers were chosen so that all searches begin in one slot make long chains, not a large index.
#[test]
fn colliding_objects_do_not_blow_up_the_index() -> Result<(), Error> {
    let place = UniqueName::new("blow-up");
    let table: Table<Narrow> = Options::new().dense_keys(1).create(place.path())?;
    let inverse = (0..6)
        .fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(x))));
    for n in 1..=200 {
        table.set(inverse.wrapping_mul(n), 0, n as i64)?;
    }
    assert!((1..=200).all(|n| table.get(inverse.wrapping_mul(n), 0) == Some(n as i64)));
    let slots = table.info().index_slots;
    assert!(slots <= 1 << 14, "{slots} slots for 200 objects");
    Ok(())
}

#[test]
fn options_that_make_no_table_are_refused() {
    let place = UniqueName::new("shape");
    let refused = |options: Options| {
        matches!(options.create::<Wide>(place.path()), Err(Error::Shape { .. })) && !place.path().exists()
    };
    assert!(refused(Options::new().dense_keys(0)));
    assert!(refused(Options::new().dense_keys(u32::MAX)));
    assert!(refused(Options::new().max_hashed_objects(u64::MAX)));
    assert!(refused(Options::new().max_hashed_objects(0)));
    assert!(refused(Options::new().dense_objects(u64::MAX)));
    assert!(refused(Options::new().dense_objects(u64::MAX / 2).dense_keys(65536)));
}

/// More objects than a region of the largest level has slots, all of which belong to that region.
#[test]
fn a_region_runs_over_and_loses_nothing() -> Result<(), Error> {
    let place = UniqueName::new("runs-over");
    let count = 20_000;
    let table: Table<Narrow> = Options::new().max_hashed_objects(count).dense_keys(1).create(place.path())?;
    let inverse = (0..6)
        .fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(x))));
    // The last of the regions: its entries overflow from the end of the index into its beginning.
    let object = |n: u64| inverse.wrapping_mul((u64::MAX << 49) | (n << 16));
    (0..count).try_for_each(|n| table.set(object(n), 0, n as i64))?;
    assert!((0..count).all(|n| table.get(object(n), 0) == Some(n as i64)));
    let mut met: Vec<u64> = table.objects().collect();
    met.sort_unstable();
    met.dedup();
    assert_eq!((met.len() as u64, table.objects().count() as u64), (count, count));
    assert!(matches!(table.set(1, 0, 0), Err(Error::ObjectsFull { .. })));
    Ok(())
}

#[test]
fn an_index_for_the_expected_objects_does_not_grow() -> Result<(), Error> {
    let place = UniqueName::new("expected");
    let options = Options::new().max_hashed_objects(1 << 20).dense_keys(1).expected_objects(100_000);
    let table: Table<Narrow> = options.create(place.path())?;
    let slots = table.info().index_slots;
    (1..=100_000).try_for_each(|object| table.set(object, 0, 1))?;
    assert_eq!(table.info().index_slots, slots);
    // The index also grows beyond an estimate that was too small, and loses nothing.
    (1..=300_000).try_for_each(|object| table.set(object, 0, 2))?;
    assert!(table.info().index_slots > slots && (1..=300_000).all(|object| table.get(object, 0) == Some(2)));
    // An estimate above the maximum counts as the maximum.
    let place = UniqueName::new("expected-more");
    let table: Table<Narrow> = Options::new()
        .max_hashed_objects(1000)
        .dense_keys(1)
        .expected_objects(u64::MAX)
        .create(place.path())?;
    assert_eq!(table.info().index_slots, 4096);
    Ok(())
}

#[test]
fn a_visit_meets_every_pair_and_can_be_ended() -> Result<(), Error> {
    let place = UniqueName::new("visit");
    let table: Table =
        Options::new().dense_objects(3).dense_keys(2).max_sparse_keys(2).create(place.path())?;
    let all: BTreeMap<(u64, u64), i64> =
        [((0, 1), 5), ((2, 0), 6), ((900, 0), 7), ((900, u64::MAX), 8), ((u64::MAX, 1), 9)].into();
    all.iter().try_for_each(|(&(object, key), &value)| table.set(object, key, value))?;
    let mut met = Vec::new();
    let end = table.visit(|object, key, value| {
        met.push(((object, key), value));
        std::ops::ControlFlow::<()>::Continue(())
    });
    assert!(end.is_continue() && met.len() == all.len());
    assert_eq!(met.into_iter().collect::<BTreeMap<_, _>>(), all);
    assert_eq!(
        table.visit(|object, _, _| std::ops::ControlFlow::Break(object)),
        std::ops::ControlFlow::Break(0)
    );
    // A sample ends as soon as `stop` returns true, and then has no result.
    let seen = AnyTable::open_read_only(place.path())?;
    let asked = std::cell::Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) == 2;
    let sample = Rates::new().sample_until(&seen, &Selection::default(), 1, &stop)?;
    assert_eq!((sample, asked.get()), (None, 3));
    Ok(())
}

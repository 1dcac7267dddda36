//! Laws of units that every crate relies on: printed values parse back to themselves, and nothing wraps.

use fauxplat_units::{Bytes, Cpu, CpuSet, Nanos};
use proptest::prelude::*;

fn set(cpus: &[u32]) -> CpuSet {
    cpus.iter().copied().map(Cpu).collect()
}

#[test]
fn sets_that_hold_the_same_cpus_are_equal_however_they_came_about() {
    let far = set(&[3, 900]).without(&set(&[900]));
    assert_eq!(far, set(&[3]));
    assert_eq!(far.words(), [8], "no empty words are left behind");
    assert_eq!(CpuSet::from_words(vec![8, 0, 0]), far);
    assert_eq!(set(&[70]).intersection(&set(&[3])), CpuSet::new());
    assert!(set(&[70]).without(&set(&[70])).is_empty());
}

#[test]
fn lists_are_read_as_people_and_kernels_write_them() {
    for (text, shown) in [
        (" 0-3,8\n", "0-3,8"),
        ("3,1,2", "1-3"),
        ("1 - 3", "1-3"),
        ("5,5,5", "5"),
        (",,7,", "7"),
        ("", ""),
        ("1048576", "1048576"),
    ] {
        assert_eq!(text.parse::<CpuSet>().map(|set| set.to_string()).as_deref(), Ok(shown), "{text:?}");
    }
    let error = "0-3,8x".parse::<CpuSet>().unwrap_err().to_string();
    assert!(error.contains("`0-3,8x`") && error.contains("0-3,8`"), "{error}");
    for text in ["1048577", "0-4294967295", "1--3", "-", "0x3", "1.5", "4294967296"] {
        assert!(text.parse::<CpuSet>().is_err(), "{text}");
    }
}

#[test]
fn durations_and_sizes_that_do_not_fit_are_refused() {
    for text in ["9.3e18ns", "1e9999", "inf", "-0.1s", "1 h 2 m", "1S", "0x10", "1e400h"] {
        assert!(text.parse::<Nanos>().is_err(), "{text}");
    }
    for text in ["9.3e18", "inf", "NaN", "1 KiB KiB", "1Q", "-1", "", "B"] {
        assert!(text.parse::<Bytes>().is_err(), "{text}");
    }
    assert_eq!(Nanos::from_secs_f64(-3.0), Nanos(0));
    assert_eq!(Nanos::from_secs_f64(1e300), Nanos(u64::MAX), "as late as can be said");
    assert_eq!(Nanos::from_secs_f64(f64::NAN), Nanos(0));
}

#[test]
fn one_size_has_many_spellings() {
    for text in ["1536", "1536B", "1.5K", "1.5k", "1.5KB", "1.5KiB", " 1.5 kib "] {
        assert_eq!(text.parse(), Ok(Bytes(1536)), "{text}");
    }
    for text in ["90s", "90", "1.5m", "0.025h", "90000ms", "90000000us", "90000000µs", "90000000000ns"] {
        assert_eq!(text.parse(), Ok(Nanos(90_000_000_000)), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[0-9,. a-zA-Zµ-]{0,24}") {
        let _size = text.parse::<Bytes>();
        let _duration = text.parse::<Nanos>();
        if let Ok(cpus) = text.parse::<CpuSet>() {
            prop_assert_eq!(cpus.to_string().parse::<CpuSet>(), Ok(cpus));
        }
    }

    #[test]
    fn sets_keep_their_cpus_in_rising_order(cpus in proptest::collection::vec(0u32..5000, 0..60)) {
        let cpus_of = set(&cpus);
        let listed: Vec<Cpu> = cpus_of.iter().collect();
        prop_assert!(listed.windows(2).all(|two| two[0] < two[1]));
        prop_assert_eq!(listed.len(), cpus_of.len());
        prop_assert_eq!(cpus_of.first(), listed.first().copied());
        prop_assert!(listed.iter().all(|&cpu| cpus_of.contains(cpu) && cpus.contains(&cpu.0)));
        prop_assert_eq!(CpuSet::from_words(cpus_of.words().to_vec()), cpus_of);
    }

    #[test]
    fn sets_obey_their_laws(a in proptest::collection::vec(0u32..200, 0..30), b in proptest::collection::vec(0u32..200, 0..30)) {
        let (a, b) = (set(&a), set(&b));
        prop_assert_eq!(a.union(&b), b.union(&a));
        prop_assert_eq!(a.without(&b).union(&a.intersection(&b)), a.clone());
        prop_assert_eq!(a.overlaps(&b), !a.intersection(&b).is_empty());
        prop_assert!(a.intersection(&b).is_subset(&a) && a.is_subset(&a.union(&b)));
        prop_assert_eq!(a.len() + b.len(), a.union(&b).len() + a.intersection(&b).len());
    }

    #[test]
    fn seconds_and_nanoseconds_agree(ns in 0u64..1 << 50) {
        // Up to thirteen days, a double of seconds resolves every nanosecond.
        prop_assert_eq!(Nanos::from_secs_f64(Nanos(ns).as_secs_f64()), Nanos(ns));
        prop_assert_eq!(format!("{ns}ns").parse(), Ok(Nanos(ns)));
        prop_assert_eq!(format!("{ns}B").parse(), Ok(Bytes(ns)));
    }

    #[test]
    fn what_is_shown_of_a_duration_is_its_value_to_four_digits(ns in 1u64..7_000_000_000_000) {
        let shown = Nanos(ns).to_string();
        let parts: Vec<&str> = shown.split(' ').collect();
        let value = match parts.as_slice() {
            [minutes, "m", seconds, "s"] => {
                minutes.parse::<f64>().unwrap() * 6e10 + seconds.parse::<f64>().unwrap() * 1e9
            }
            [number, unit] => format!("{number}{unit}").parse::<Nanos>().unwrap().0 as f64,
            _ => panic!("{shown}"),
        };
        prop_assert!((value - ns as f64).abs() <= (ns as f64 * 6e-4).max(0.5), "{} is shown as {}", ns, shown);
    }
}

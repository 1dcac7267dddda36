//! Properties of all loops on which workers and loads rely: equal work gives equal answers, and memory fits its caches.

use std::collections::HashSet;

use fauxplat_kernels::{Caches, Kernel, Ready, Traffic, walk_order};
use fauxplat_model::{Cache, CacheKind, Topology};
use fauxplat_units::{Bytes, Cpu};

/// Small caches, so that the walks of the tests are short.
const SMALL: Caches =
    Caches { l1d: Bytes(8 << 10), l2: Bytes(64 << 10), llc: Bytes(512 << 10), line: Bytes(64) };

#[test]
fn names_are_told_apart_and_a_wrong_one_lists_them() {
    let names: HashSet<&str> = Kernel::ALL.iter().map(|kernel| kernel.name()).collect();
    assert_eq!(names.len(), Kernel::ALL.len());
    let refusal = "warp".parse::<Kernel>().unwrap_err();
    assert!(refusal.contains("`warp`") && names.iter().all(|name| refusal.contains(name)), "{refusal}");
    assert!(
        "".parse::<Kernel>().is_err() && "L1".parse::<Kernel>().is_err(),
        "names are written as they are"
    );
}

#[test]
fn work_in_two_parts_is_work_in_one() {
    for kernel in [Kernel::L1, Kernel::L2, Kernel::Llc, Kernel::Branch] {
        let mut whole = Ready::new(kernel, &SMALL).unwrap();
        let mut parts = Ready::new(kernel, &SMALL).unwrap();
        parts.run(13);
        assert_eq!(
            parts.run(29),
            {
                whole.run(13);
                whole.run(29)
            },
            "{kernel}"
        );
        let (mut once, mut again) =
            (Ready::new(kernel, &SMALL).unwrap(), Ready::new(kernel, &SMALL).unwrap());
        assert_eq!(once.run(0), again.run(0), "{kernel}: no work is the same work");
    }
}

#[test]
fn a_walk_visits_every_line_once_and_comes_back() {
    for (lines, of_a_plot) in [(1, 1), (2, 8), (64, 8), (100, 7), (4096, 1024), (5000, 100_000)] {
        let order = walk_order(lines, of_a_plot);
        let visited: HashSet<u32> = order.iter().copied().collect();
        assert_eq!((order.len(), visited.len()), (lines, lines), "{lines} lines by {of_a_plot}");
        assert!(visited.iter().all(|&line| (line as usize) < lines));
        assert_eq!(order, walk_order(lines, of_a_plot), "the seed is fixed");
    }
    let order = walk_order(4096, 512);
    assert!(
        order.windows(2).filter(|two| two[1] == two[0] + 1).count() < 100,
        "a walk in order would be foreseen"
    );
}

#[test]
fn footprints_follow_the_caches_that_are_told() {
    for scale in [1, 3, 16] {
        let caches = Caches {
            l1d: Bytes(SMALL.l1d.0 * scale),
            l2: Bytes(SMALL.l2.0 * scale),
            llc: Bytes(SMALL.llc.0 * scale),
            ..SMALL
        };
        let bytes = |kernel: Kernel| kernel.footprint(&caches).0;
        assert!(bytes(Kernel::L1) <= caches.l1d.0 && bytes(Kernel::L2) <= caches.l2.0);
        assert!(bytes(Kernel::Llc) <= caches.llc.0 && bytes(Kernel::Dram) > caches.llc.0);
        assert_eq!(bytes(Kernel::IntegerPorts), 0, "arithmetic needs no memory");
    }
}

#[test]
fn a_machine_that_tells_little_of_its_caches_gets_sizes_that_can_be_walked() {
    let cpu = Cpu(0);
    assert_eq!(Caches::of(&Topology::default(), cpu).line, Bytes(64));
    let told = |level, size, line| Cache {
        number: 0,
        level,
        kind: CacheKind::Data,
        id: None,
        size,
        line,
        ways: None,
        cpus: [cpu].into_iter().collect(),
    };
    let one =
        Topology { caches: vec![told(1, Some(Bytes(48 << 10)), Some(Bytes(0)))], ..Topology::default() };
    let caches = Caches::of(&one, cpu);
    assert_eq!((caches.l1d, caches.l2, caches.llc), (Bytes(48 << 10), Bytes(48 << 10), Bytes(48 << 10)));
    assert_eq!(caches.line, Bytes(64), "a line of no bytes is not believed");
    let other = Caches::of(&one, Cpu(1));
    assert_eq!(other.l1d, Caches::default().l1d, "the caches are another CPU's");
}

#[test]
fn traffic_is_counted_in_lines() {
    let mut traffic = Traffic::new(Bytes(256 << 10), Bytes(64)).unwrap();
    let (first, second) = (traffic.run(7), traffic.run(7));
    let mut same = Traffic::new(Bytes(256 << 10), Bytes(64)).unwrap();
    assert_eq!((same.run(7), same.run(7)), (first, second));
}

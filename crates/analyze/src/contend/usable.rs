//! Size of the part of a cache that a CPU can actually use, from the times of walks through memory.

use fauxplat_units::Bytes;

/// The largest of several footprints that the last-level cache serves, which is one whose accesses take little longer
/// than those of the smallest footprint, just beyond the size of the second-level cache. A guest or process with a
/// share of a cache is told the size of the whole cache.
///
/// `costs` has footprints and times of an access in any order; `None` if only the smallest fits, or none was tried.
pub fn usable_cache(costs: &[(Bytes, f64)]) -> Option<Bytes> {
    let (smallest, least) = costs.iter().min_by_key(|(footprint, _)| *footprint)?;
    let fits = |(footprint, cost): &&(Bytes, f64)| footprint > smallest && *cost <= least * SERVED;
    costs.iter().filter(fits).map(|(footprint, _)| *footprint).max()
}

/// Time of an access up to which a footprint still fits, as a multiple of that in the smallest. TLB misses take some
/// time too; accesses to memory take several times as long.
const SERVED: f64 = 1.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_a_cache_costs_as_little_as_what_is_small() {
        let mib = |size: u64| Bytes(size << 20);
        let share = [(mib(2), 4.9), (mib(24), 38.0), (mib(18), 39.0), (mib(10), 6.1), (mib(8), 5.6)];
        assert_eq!(usable_cache(&share), Some(mib(10)));
        assert_eq!(usable_cache(&share[..3]), None);
        assert_eq!(usable_cache(&[]), None);
    }
}

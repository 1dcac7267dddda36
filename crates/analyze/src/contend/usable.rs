//! Size of the part of a cache that a CPU can actually use, from the times of walks through memory.

use fauxplat_units::Bytes;

/// Returns the largest footprint that the last-level cache still serves. The smallest footprint must just exceed the
/// second-level cache; a larger one is served by the last level if an access takes little longer than in the smallest.
/// A guest or process with only a share of the cache is told the size of the whole cache, so the size has to be
/// measured.
///
/// `costs` has footprints and times of an access, in any order. `None` if only the smallest is served, or none was
/// tried.
pub fn usable_cache(costs: &[(Bytes, f64)]) -> Option<Bytes> {
    let (smallest, least) = costs.iter().min_by_key(|(footprint, _)| *footprint)?;
    let fits = |(footprint, cost): &&(Bytes, f64)| footprint > smallest && *cost <= least * SERVED;
    costs.iter().filter(fits).map(|(footprint, _)| *footprint).max()
}

/// Time of an access, relative to the smallest footprint, up to which a footprint is served by the cache: TLB misses
/// cost something, and accesses to memory take several times as long.
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

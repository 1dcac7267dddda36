//! Memory policies: the nodes from which the pages of a task are allocated, see `set_mempolicy(2)`.
#![expect(unsafe_code, reason = "set_mempolicy(2) takes a pointer to a mask")]

use fauxplat_units::CpuSet;

/// Pages from the node of the CPU that touches them first (`MPOL_LOCAL`, see `include/uapi/linux/mempolicy.h`).
pub const LOCAL: i32 = 4;
/// Pages from one node as long as it has free pages (`MPOL_PREFERRED`).
pub const PREFERRED: i32 = 1;
/// Pages only from the given nodes (`MPOL_BIND`).
pub const BIND: i32 = 2;
/// Pages from each of the given nodes in turn (`MPOL_INTERLEAVE`).
pub const INTERLEAVE: i32 = 3;
/// Node numbers are the machine's numbers, whatever cpuset the task enters later (`MPOL_F_STATIC_NODES`). Otherwise,
/// when the task enters another cpuset, the kernel replaces each node by the node at the same position in the list of
/// the new cpuset.
const STATIC_NODES: i32 = 1 << 15;

/// Sets the policy of the calling task, which exec keeps and children inherit. Does not allocate and returns the plain
/// result of the call, for a child between its creation and exec. Node n is member n of the set.
pub(crate) fn try_policy(mode: i32, nodes: &CpuSet) -> libc::c_int {
    let (mode, words) = (kept(mode, nodes), nodes.words());
    // The kernel reads one bit fewer than the argument says (`get_nodes` in `mm/mempolicy.c`), so a mask of no bits is
    // one bit long.
    let bits = words.len() * 64 + 1;
    // SAFETY: the mask is as many words as the number of bits says, lives for the call, and is only read.
    unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, words.as_ptr(), bits) as libc::c_int }
}

/// Returns the mode with the flag for static nodes, which the kernel refuses for a mode without nodes.
fn kept(mode: i32, nodes: &CpuSet) -> i32 {
    if nodes.is_empty() { mode } else { mode | STATIC_NODES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_are_named_stay_the_same_in_a_cpuset() {
        let second: CpuSet = "1".parse().unwrap();
        for mode in [BIND, INTERLEAVE, PREFERRED] {
            assert_eq!(kept(mode, &second), mode | 0x8000);
        }
        assert_eq!(kept(LOCAL, &CpuSet::new()), LOCAL);
    }

    /// Returns the policy of the calling thread's stack, as reported by the kernel.
    fn told() -> Option<String> {
        let text = std::fs::read_to_string("/proc/thread-self/numa_maps").ok()?;
        text.lines().next()?.split(' ').nth(1).map(str::to_owned)
    }

    #[test]
    fn a_policy_is_what_the_kernel_says_it_is() {
        let first: CpuSet = "0".parse().unwrap();
        for (mode, nodes, says) in
            [(BIND, &first, "bind:0"), (INTERLEAVE, &first, "interleave:0"), (LOCAL, &CpuSet::new(), "local")]
        {
            let done = try_policy(mode, nodes);
            let Some(told) = told().filter(|_| done == 0) else {
                let error = std::io::Error::last_os_error();
                assert!(
                    done == 0 || matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)),
                    "{error}"
                );
                return;
            };
            // A kernel may also report the kind of the nodes: `bind=static:0`.
            let bare = told.replace("=static", "").replace("=relative", "");
            assert_eq!(bare, says);
        }
        let nowhere: CpuSet = "9999".parse().unwrap();
        assert_eq!(try_policy(BIND, &nowhere), -1);
    }
}

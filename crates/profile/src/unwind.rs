//! Unwinds the stack of a sample.

use fauxplat_model::StackEnd;
use fauxplat_sys::sampling::Sampled;
use framehop::{CacheNative, MayAllocateDuringUnwind, Unwinder as _};

use crate::foreign::unless_it_panics;
use crate::process::Unwinder;

/// A cache of unwind rules for recent addresses.
pub(crate) type Cache = CacheNative<MayAllocateDuringUnwind>;

/// Maximum number of frames that are followed in a stack; a copy of 64 KiB holds fewer.
const FRAMES_MAX: usize = 8192;
/// Number of frames from which on a chain counts as truncated: by default the kernel records the first frame and up to
/// 126 callers (`kernel.perf_event_max_stack`, 127).
const CHAIN_MAX: usize = 126;

pub(crate) struct Callers {
    /// Addresses to look up, from the running function to the outermost caller.
    pub(crate) addresses: Vec<u64>,
    pub(crate) end: StackEnd,
}

/// Returns callers by frame pointers, as the kernel recorded them.
pub(crate) fn chain(sampled: &Sampled) -> Callers {
    let mut chain = sampled.user_chain.iter();
    let first = chain.next().copied();
    // A return address is the instruction after the call, which may belong to another line or function.
    let addresses: Vec<u64> =
        first.into_iter().chain(chain.map(|&address| address.saturating_sub(1))).collect();
    let end = match addresses.len() {
        0 => StackEnd::Broken,
        length if length >= CHAIN_MAX => StackEnd::Truncated,
        _ => StackEnd::Whole,
    };
    Callers { addresses, end }
}

/// Returns callers by the compiler's unwind tables, which are followed through the copied part of the stack.
pub(crate) fn tables(sampled: &Sampled, unwinder: &Unwinder, cache: &mut Cache) -> Callers {
    let Some(start) = sampled.registers.and_then(Start::of) else {
        return Callers { addresses: Vec::new(), end: StackEnd::Broken };
    };
    let mut ran_out = false;
    let mut read = |address: u64| {
        let place = address.checked_sub(start.sp).filter(|place| place % 8 == 0).ok_or(())? / 8;
        let word = usize::try_from(place).ok().and_then(|place| sampled.stack.get(place));
        ran_out |= word.is_none();
        word.copied().ok_or(())
    };
    let mut addresses = Vec::new();
    let mut frames = unwinder.iter_frames(start.ip, start.registers(unwinder), cache, &mut read);
    // The tables come from an untrusted file, and the library panics on some damaged tables.
    let is_whole = unless_it_panics(|| {
        loop {
            match frames.next() {
                Ok(Some(frame)) if addresses.len() < FRAMES_MAX => addresses.push(frame.address_for_lookup()),
                Ok(None) => return true,
                _ => return false,
            }
        }
    });
    let is_whole = is_whole.unwrap_or(false);
    // A copy that is shorter than its limit ends where the stack ends: a missing word is then no sign of a truncated
    // stack.
    let is_full = sampled.stack_room > 0 && sampled.stack.len() as u64 * 8 + 8 > sampled.stack_room;
    let end = match is_whole {
        true => StackEnd::Whole,
        false if (ran_out && is_full) || addresses.len() >= FRAMES_MAX => StackEnd::Truncated,
        false => StackEnd::Broken,
    };
    Callers { addresses, end }
}

struct Start {
    ip: u64,
    sp: u64,
    fp: u64,
    #[cfg(target_arch = "aarch64")]
    lr: u64,
}

impl Start {
    /// Takes the registers that the sampler requests, in the order of their numbers in perf; `None` for any other
    /// number of registers.
    #[cfg(target_arch = "x86_64")]
    fn of(registers: &[u64]) -> Option<Self> {
        let &[fp, sp, ip] = registers else { return None };
        Some(Start { ip, sp, fp })
    }

    #[cfg(target_arch = "aarch64")]
    fn of(registers: &[u64]) -> Option<Self> {
        let &[fp, lr, sp, ip] = registers else { return None };
        Some(Start { ip, sp, fp, lr })
    }

    #[cfg(target_arch = "x86_64")]
    fn registers(&self, _: &Unwinder) -> framehop::x86_64::UnwindRegsX86_64 {
        framehop::x86_64::UnwindRegsX86_64::new(self.ip, self.sp, self.fp)
    }

    /// Return addresses may carry a signature in bits that no address uses.
    #[cfg(target_arch = "aarch64")]
    fn registers(&self, unwinder: &Unwinder) -> framehop::aarch64::UnwindRegsAarch64 {
        use framehop::aarch64::{PtrAuthMask, UnwindRegsAarch64};
        let mask = PtrAuthMask::from_max_known_address(unwinder.max_known_code_address());
        UnwindRegsAarch64::new_with_ptr_auth_mask(mask, self.lr, self.sp, self.fp)
    }
}

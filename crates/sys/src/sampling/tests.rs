//! Samples of a thread of this process.

use std::hint::black_box;
use std::thread;

use super::*;
use crate::clock;

fn of_clock(stack: Stack) -> SamplingEvent {
    // `PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_CPU_CLOCK`, only in user mode, which every user may sample.
    let event = CountingEvent { kind: 1, excludes_kernel: true, ..CountingEvent::default() };
    SamplingEvent { event, pace: Pace::Period(200_000), stack, has_switches: false }
}

/// Works in user mode until a ring has a record: on an emulated processor the clock that triggers samples is late. Ten
/// seconds of CPU time without a record mean that there are no samples.
fn spin(sampler: &Sampler) {
    let end_ns = clock::thread_cpu_ns() + 10_000_000_000;
    let enough_ns = clock::thread_cpu_ns() + 30_000_000;
    loop {
        (0..1_000_000).for_each(|at| {
            black_box(at);
        });
        let now_ns = clock::thread_cpu_ns();
        if now_ns > end_ns || (now_ns > enough_ns && sampler.fill() > 0.0) {
            return;
        }
    }
}

/// Samples a thread of this process. Returns the numbers of samples, of lost records, and of samples with a call chain
/// or a copy of the stack; `None` where the kernel provides no samples.
fn sampled(stack: Stack, ring_bytes: u64) -> Option<(usize, u64, usize)> {
    let worker = thread::spawn(move || {
        let (own, cpus) = (crate::wake::thread_id(), crate::sched::affinity(0).unwrap());
        let mut sampler = Sampler::open(&of_clock(stack), &[Whom::Process(own)], &cpus, ring_bytes).ok()?;
        sampler.enable().unwrap();
        spin(&sampler);
        sampler.disable().unwrap();
        let (mut samples, mut lost, mut with_callers, mut last_ns) = (0, 0, 0, 0);
        sampler.drain(u64::MAX, |record| match record {
            Record::Sample(sample) => {
                assert_eq!((sample.tid, sample.is_kernel), (own, false));
                assert!(sample.time_ns >= last_ns, "the oldest comes first");
                last_ns = sample.time_ns;
                samples += 1;
                with_callers += usize::from(!sample.stack.is_empty() || !sample.user_chain.is_empty());
            }
            Record::Lost(count) => lost += count,
            _ => {}
        });
        assert_eq!(sampler.fill(), 0.0, "all was taken");
        Some((samples, lost, with_callers))
    });
    worker.join().unwrap()
}

#[test]
fn a_thread_is_sampled_with_its_stack_in_the_order_of_time() {
    for stack in [Stack::Chain, Stack::Copy(8 << 10)] {
        if !CAN_COPY_STACKS && stack != Stack::Chain {
            continue;
        }
        let Some((samples, lost, with_callers)) = sampled(stack, 4 << 20) else { continue };
        assert!(samples > 0 && with_callers == samples, "{stack:?}: {samples}, {with_callers} with callers");
        assert_eq!(lost, 0, "{stack:?}");
    }
}

/// Faults of pages that are touched for the first time, of which one in a hundred is to make a sample.
#[test]
fn a_period_is_kept_for_what_the_kernel_counts() {
    const PAGES: usize = 4000;
    let worker = thread::spawn(|| {
        let (own, cpus) = (crate::wake::thread_id(), crate::sched::affinity(0).unwrap());
        let event =
            CountingEvent { kind: 1, config: [2, 0, 0], excludes_kernel: true, ..CountingEvent::default() };
        let pace = Pace::Period(100);
        let event = SamplingEvent { event, pace, stack: Stack::Chain, has_switches: false };
        let mut sampler = Sampler::open(&event, &[Whom::Process(own)], &cpus, 4 << 20).ok()?;
        sampler.enable().unwrap();
        let mut pages = vec![0_u8; PAGES * page_bytes()];
        pages.iter_mut().step_by(page_bytes()).for_each(|byte| *byte = 1);
        black_box(&pages);
        sampler.disable().unwrap();
        let (mut samples, counted) = (0, sampler.counted().unwrap());
        sampler.drain(u64::MAX, |record| {
            if let Record::Sample(sample) = record {
                assert_eq!((sample.period, sample.tid), (100, own));
                samples += 1;
            }
        });
        Some((samples, counted, cpus.len() as u64))
    });
    let Some((samples, counted, cpus)) = worker.join().unwrap() else { return };
    // On each CPU, less than a period remains without a sample. Large pages make fewer faults.
    let most = counted / 100;
    assert!((most.saturating_sub(cpus)..=most).contains(&samples), "{samples} samples of {counted} faults");
}

/// If a ring is too small, the kernel keeps the records that fit and counts the others.
#[test]
fn what_does_not_fit_is_counted() {
    let page = page_bytes() as u64;
    let Some((samples, ..)) = sampled(Stack::Copy(2 << 10), page) else { return };
    let fits = page / (2 << 10) + 1;
    assert!(samples as u64 <= fits, "{samples} samples in a page");
}

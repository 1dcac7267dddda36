//! Placement of a thread: CPU, policy and timer slack.

use fauxplat_model::Policy;
use fauxplat_sys::{Result, sched, timer};
use fauxplat_units::Cpu;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPlacement {
    /// CPU on which alone the thread may run.
    pub cpu: Cpu,
    pub policy: Policy,
    /// Timer slack in nanoseconds; `None` keeps the kernel's default, 50 µs. Real-time policies ignore the slack.
    pub slack_ns: Option<u64>,
}

impl ThreadPlacement {
    /// Places the calling thread. The policy is set last, so that a thread that is refused has never run at real-time
    /// priority.
    ///
    /// # Errors
    /// Fails if the CPU does not exist or is not allowed, or the policy is not permitted.
    pub fn take(&self) -> Result<()> {
        sched::set_affinity(0, &[self.cpu].into_iter().collect())?;
        if let Some(slack_ns) = self.slack_ns {
            timer::set_slack_ns(slack_ns)?;
        }
        match self.policy {
            Policy::Other => Ok(()),
            Policy::Fifo(priority) => sched::set_policy(0, sched::FIFO, priority),
            Policy::RoundRobin(priority) => sched::set_policy(0, sched::ROUND_ROBIN, priority),
        }
    }
}

/// Requirements of a real-time policy, for messages about a refusal.
pub const REAL_TIME_NEEDS: &str = "SCHED_FIFO needs CAP_SYS_NICE or an RLIMIT_RTPRIO: run as root";

/// Calls `make` with SCHED_FIFO, under which only the kernel and the host disturb a thread, and if a permission is
/// missing (`is_permission`) once more with the ordinary policy. Returns the result and the policy; a caller that gets
/// `Policy::Other` reports it with [`REAL_TIME_NEEDS`].
///
/// # Errors
/// Returns the error of the last call of `make`: the ordinary policy is tried only if a missing permission made the
/// first call fail.
pub fn real_time_or_ordinary<T, E>(
    priority: u8,
    is_permission: impl FnOnce(&E) -> bool,
    mut make: impl FnMut(Policy) -> std::result::Result<T, E>,
) -> std::result::Result<(T, Policy), E> {
    let real_time = Policy::Fifo(priority);
    match make(real_time) {
        Ok(made) => Ok((made, real_time)),
        Err(error) if is_permission(&error) => Ok((make(Policy::Other)?, Policy::Other)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    enum No {
        Permission,
        Cpu,
    }

    fn refused(error: &No) -> bool {
        *error == No::Permission
    }

    #[test]
    fn the_ordinary_policy_is_tried_only_for_want_of_a_permission() {
        assert_eq!(real_time_or_ordinary(90, refused, Ok::<_, No>), Ok((Policy::Fifo(90), Policy::Fifo(90))));
        let unprivileged = |policy| if policy == Policy::Other { Ok(7) } else { Err(No::Permission) };
        assert_eq!(real_time_or_ordinary(1, refused, unprivileged), Ok((7, Policy::Other)));
        let mut tries = 0;
        let nowhere = |_| {
            tries += 1;
            Err::<(), _>(No::Cpu)
        };
        assert_eq!(real_time_or_ordinary(1, refused, nowhere), Err(No::Cpu));
        assert_eq!(tries, 1);
        assert_eq!(real_time_or_ordinary(1, refused, |_| Err::<(), _>(No::Permission)), Err(No::Permission));
    }

    #[test]
    fn a_thread_stands_where_it_was_placed() {
        let allowed = sched::affinity(0).unwrap();
        let last = allowed.iter().last().unwrap();
        let place = ThreadPlacement { cpu: last, policy: Policy::Other, slack_ns: Some(7) };
        let stands = std::thread::spawn(move || {
            place.take().unwrap();
            (sched::affinity(0).unwrap().to_string(), sched::current_cpu(), timer::slack_ns())
        });
        assert_eq!(stands.join().unwrap(), (last.to_string(), Some(last), Some(7)));
        assert_eq!(sched::affinity(0).unwrap(), allowed, "nobody else was moved");
        assert!(
            ThreadPlacement { cpu: Cpu(99_999), ..place }.take().unwrap_err().to_string().contains("99999")
        );
    }
}

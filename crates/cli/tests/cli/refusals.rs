//! A kernel that refuses a system call, as filters of containers do: either the measured time is right, or the exit
//! code is not 0.

use std::process::Command;

use crate::common::{Done, Lab, number, runs};

/// Source of a program that starts another one, for which the kernel refuses a system call, given by name, with an
/// error.
const FILTER: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define CALL(name) { #name, SYS_##name },
struct call { const char *name; int number; } calls[] = { CALLS };
int main(int argc, char **argv) {
    unsigned at = 0;
    while (at < sizeof calls / sizeof *calls && strcmp(calls[at].name, argv[1])) at++;
    if (at == sizeof calls / sizeof *calls) return 98;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[at].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[2])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = { 4, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) return 99;
    return execv(argv[3], argv + 3);
}
"#;

/// System calls of fauxplat and of the process that runs commands. Calls without which no program starts are left out,
/// and so is `poll`: where it is refused, the standard library ends a program before it begins.
const CALLS: [&str; 36] = [
    "clone",
    "clone3",
    "close_range",
    "dup3",
    "eventfd2",
    "fcntl",
    "ftruncate",
    "getcwd",
    "getdents64",
    "getpid",
    "getppid",
    "gettid",
    "ioctl",
    "kill",
    "lseek",
    "memfd_create",
    "mremap",
    "perf_event_open",
    "personality",
    "pidfd_open",
    "pipe2",
    "ppoll",
    "prctl",
    "pread64",
    "prlimit64",
    "readlinkat",
    "recvfrom",
    "sched_getaffinity",
    "sched_setaffinity",
    "sendto",
    "setitimer",
    "setpgid",
    "setsockopt",
    "socket",
    "wait4",
    "waitid",
];

/// Error numbers of `ENOSYS`, `EPERM`, `EINVAL`, `EAGAIN`, `EMFILE` and `ENOMEM`, as text.
const ERRORS: [&str; 6] = ["38", "1", "22", "11", "24", "12"];

/// Time in milliseconds that the measured command sleeps.
const SLEEP_MS: u64 = 60;

fn refuse(lab: &Lab, call: &str, error: &str) {
    let mut shell = Command::new("sh");
    let run = "run 'sleep 0.06' -r 2 --format json --store none";
    shell.args(["-c", &format!("exec ./filter {call} {error} {} {run}", lab.starter().join(" "))]);
    lab.settle(&mut shell);
    let done = Done::of(shell);
    match done.code {
        Some(0) => {
            let document = done.json();
            let told: Vec<u64> = runs(&document, 0).iter().map(|run| number(run, "wall_ns")).collect();
            assert_eq!(told.len(), 2, "{call} {error}");
            assert!(told.iter().all(|&ns| ns >= SLEEP_MS * 1_000_000), "{call} {error}: {told:?}");
        }
        Some(99) => eprintln!("skipped: this container lets no filter be set"),
        Some(2..=4) => assert!(done.err.starts_with("fauxplat: "), "{call} {error}: {done:?}"),
        _ => panic!("{call} {error}: {done:?}"),
    }
}

fn lab_with_filter() -> Lab {
    let lab = Lab::new();
    let calls: String = CALLS.map(|call| format!("CALL({call})")).join(" ");
    lab.write("filter.c", &FILTER.replace("{ CALLS }", &format!("{{ {calls} }}")));
    lab.shell("cc -o filter filter.c");
    lab
}

#[test]
fn a_refused_call_is_no_wrong_figure() {
    let lab = lab_with_filter();
    for call in CALLS.iter().step_by(2) {
        ERRORS.iter().for_each(|error| refuse(&lab, call, error));
    }
}

#[test]
fn another_refused_call_is_no_wrong_figure_either() {
    let lab = lab_with_filter();
    for call in CALLS.iter().skip(1).step_by(2) {
        ERRORS.iter().for_each(|error| refuse(&lab, call, error));
    }
}

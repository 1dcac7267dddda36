//! Kinds of work by the names of functions of widespread libraries. Names of a program's own functions decide nothing.

use crate::findings::Kind;

/// Beginnings of names of functions of the C and C++ libraries and of the kernel's entry points, by the kind of their
/// work.
const KNOWN: &[(Kind, &[&str])] = &[
    (
        Kind::Allocation,
        &[
            "malloc",
            "free",
            "calloc",
            "realloc",
            "cfree",
            "_int_malloc",
            "_int_free",
            "_int_realloc",
            "malloc_consolidate",
            "unlink_chunk",
            "sysmalloc",
            "systrim",
            "tcache_",
            "operator new",
            "operator delete",
            "_Zn",
            "_Zd",
            "je_malloc",
            "je_free",
            "mi_malloc",
            "mi_free",
            "__libc_malloc",
            "__libc_free",
            "__libc_calloc",
            "checked_request2size",
        ],
    ),
    (
        Kind::Exceptions,
        &[
            "_Unwind_",
            "__cxa_throw",
            "__cxa_begin_catch",
            "__cxa_end_catch",
            "__cxa_allocate_exception",
            "__cxa_free_exception",
            "__gxx_personality",
            "uw_frame_state",
            "uw_update_context",
            "uw_init_context",
            "uw_install_context",
            "execute_cfa_program",
            "execute_stack_op",
            "_dl_find_object",
            "read_encoded_value",
            "linear_search_fdes",
            "search_object",
            "__cxxabiv1::",
        ],
    ),
    (
        Kind::Patterns,
        &[
            "regcomp",
            "re_compile_internal",
            "re_compile",
            "parse_reg_exp",
            "parse_expression",
            "parse_branch",
            "calc_eclosure",
            "create_initial_state",
            "build_charclass",
            "init_dfa",
            "calc_first",
            "calc_next",
            "link_nfa_nodes",
            "re_dfa_add_node",
            "pcre_compile",
            "pcre2_compile",
            "_sre_compile",
            "regfree",
            "free_dfa_content",
            "duplicate_tree",
            "create_token_tree",
            "build_range_exp",
            "peek_token",
            "fetch_token",
            "re_acquire_state",
            "re_node_set_",
            "duplicate_node",
            "optimize_utf8",
            "std::__detail::_Compiler",
            "std::__detail::_Scanner",
        ],
    ),
    (
        Kind::Locale,
        &[
            "strcoll",
            "__strcoll",
            "strxfrm",
            "__strxfrm",
            "wcscoll",
            "get_next_seq",
            "mbrtowc",
            "mbtowc",
            "__mbrtowc",
            "mbsrtowcs",
            "towupper",
            "towlower",
            "iswalpha",
            "__gconv",
            "internal_utf8_loop",
            "utf8_internal_loop",
            "_nl_find_locale",
            "setlocale",
            "__towctrans",
            "get_next_seq_nocache",
        ],
    ),
    (
        Kind::BusyWait,
        &[
            "clock_gettime",
            "__vdso_clock_gettime",
            "__clock_gettime",
            "gettimeofday",
            "__vdso_gettimeofday",
            "time",
            "sched_yield",
            "__sched_yield",
            "do_sched_yield",
            "__x64_sys_sched_yield",
            "pthread_spin_lock",
            "__pthread_spin",
            "do_hres",
            "vread_tsc",
            "pthread_mutex_trylock",
        ],
    ),
    (
        Kind::Logging,
        &[
            "vfprintf",
            "__vfprintf_internal",
            "fprintf",
            "__fprintf",
            "printf",
            "vprintf",
            "dprintf",
            "fwrite",
            "fputs",
            "puts",
            "__vfprintf_chk",
            "__fprintf_chk",
            "_IO_new_file_xsputn",
            "_IO_new_do_write",
            "_IO_file_",
            "syslog",
            "fflush",
            "putc",
        ],
    ),
    (Kind::Sleep, &["hrtimer_nanosleep", "do_nanosleep", "timerfd_read"]),
    (
        Kind::Lock,
        &[
            "futex_wait",
            "__futex_wait",
            "futex_lock_pi",
            "flock_lock_inode_wait",
            "posix_lock_inode_wait",
            "do_semtimedop",
        ],
    ),
    (Kind::Signal, &["sigsuspend", "do_sigtimedwait", "signalfd_read"]),
    (
        Kind::Pipe,
        &[
            "pipe_read",
            "anon_pipe_read",
            "pipe_write",
            "anon_pipe_write",
            "unix_stream_read",
            "tcp_recvmsg",
            "do_epoll_wait",
            "do_sys_poll",
        ],
    ),
    (
        Kind::Sync,
        &[
            "vfs_fsync_range",
            "ext4_sync_file",
            "xfs_file_fsync",
            "btrfs_sync_file",
            "ksys_sync",
            "jbd2_log_wait_commit",
        ],
    ),
    (Kind::DiskRead, &["filemap_read", "filemap_get_pages", "page_cache_ra_unbounded", "filemap_fault"]),
    (
        Kind::Loading,
        &[
            "_dl_relocate_object",
            "do_lookup_x",
            "_dl_lookup_symbol_x",
            "_dl_map_object",
            "_dl_start",
            "dl_main",
            "check_match",
            "_dl_name_match_p",
            "_dl_fixup",
            "elf_machine_rela",
            "elf_dynamic_do_Rela",
            "_dl_init",
            "_dl_new_hash",
            "dl_new_hash",
        ],
    ),
];

/// Kind of work of a function, by its name and the path of the file with its code. The file has to be a library or the
/// kernel, or the name one that C and C++ reserve for their libraries, as in a statically linked program: a program may
/// have a function of its own with the name `time`.
pub(crate) fn kind_in(name: &str, object: &str) -> Option<Kind> {
    let file = object.rsplit('/').next().unwrap_or_default();
    let is_library = object.starts_with('[') || file.contains(".so");
    kind_of(name).filter(|_| is_library || is_reserved(name))
}

/// Kind of work of a function by its name. A function with a known source file is usually the program's own, so its
/// name has to be one that C and C++ reserve for their libraries.
pub(crate) fn kind_by_source(name: &str, source: Option<&str>) -> Option<Kind> {
    kind_of(name).filter(|_| source.is_none() || is_reserved(name))
}

/// Whether a name is one that C and C++ reserve for their libraries.
fn is_reserved(name: &str) -> bool {
    ["_", "operator ", "std::"].iter().any(|begin| name.starts_with(begin))
}

/// Kind of work of the library function of this name; `None` if no widespread library has it.
fn kind_of(name: &str) -> Option<Kind> {
    let plain = name.split(['@', '(']).next().unwrap_or(name);
    // A longer name is a variant of a known one only where a word ends: `check_match` is of the loader, and
    // `check_matching` of regular expressions.
    let is_one = |known: &&str| match plain.strip_prefix(*known) {
        Some("") => true,
        Some(rest) => {
            known.ends_with('_')
                || known.len() > 6 && !rest.starts_with(|letter: char| letter.is_ascii_alphabetic())
        }
        None => false,
    };
    KNOWN.iter().find(|(_, names)| names.iter().any(is_one)).map(|(kind, _)| *kind)
}

/// Whether the path of a file with code is that of the kernel.
pub(crate) fn is_kernel(object: &str) -> bool {
    object.starts_with("[kernel")
}

/// Whether a path is that of the dynamic loader.
pub(crate) fn is_loader(object: &str) -> bool {
    object.rsplit('/').next().is_some_and(|name| name.starts_with("ld-") || name.starts_with("ld."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_the_program_is_none_of_a_library_of_the_same_name() {
        assert_eq!([kind_in("time", "/home/program"), kind_in("free", "/home/program")], [None; 2]);
        assert_eq!(kind_in("time", "/lib/libc.so.6"), Some(Kind::BusyWait));
        assert_eq!(kind_in("_int_malloc", "/home/linked-as-a-whole"), Some(Kind::Allocation));
        assert_eq!(kind_in("operator new(unsigned long)", "/home/program"), Some(Kind::Allocation));
        assert_eq!(kind_in("do_nanosleep", "[kernel]"), Some(Kind::Sleep));
        assert_eq!(
            [kind_by_source("puts", Some("puts.c")), kind_by_source("puts", None)],
            [None, Some(Kind::Logging)]
        );
    }

    #[test]
    fn a_users_own_function_says_nothing_by_its_name() {
        for own in ["walk", "free_list_walk", "timeline", "allocate", "throw_ball", "main", "sleep_more"] {
            assert_eq!(kind_of(own), None, "{own}");
        }
        for of_no_kind in ["check_matching", "_dl_initial_error_catch_tsd", "clock_gettimes"] {
            assert_eq!(kind_of(of_no_kind), None, "{of_no_kind}");
        }
        for (variant, kind) in [
            ("check_match", Kind::Loading),
            ("_dl_map_object_from_fd", Kind::Loading),
            ("futex_wait_queue", Kind::Lock),
            ("clock_gettime64", Kind::BusyWait),
            ("operator new[](unsigned long)", Kind::Allocation),
            ("std::__detail::_Compiler<char>", Kind::Patterns),
        ] {
            assert_eq!(kind_of(variant), Some(kind), "{variant}");
        }
        assert_eq!(kind_of("_int_malloc"), Some(Kind::Allocation));
        assert_eq!(kind_of("_Unwind_RaiseException"), Some(Kind::Exceptions));
        assert_eq!(kind_of("operator new(unsigned long)"), Some(Kind::Allocation));
        assert_eq!(kind_of("__vdso_clock_gettime"), Some(Kind::BusyWait));
        assert_eq!([kind_of("do_nanosleep"), kind_of("futex_wait")], [Some(Kind::Sleep), Some(Kind::Lock)]);
    }
}

//! Classes of environment and argument sizes for which the kernel places the stack equally.

/// The kernel leaves one pointer free at the very top (`bprm_mm_init` in `fs/exec.c`).
const TOP_BYTES: usize = 8;
/// Alignment of the stack pointer in bytes.
const STEP_BYTES: usize = 16;

/// The quantities that determine the start of the stack. Programs with equal classes on one machine start with the same
/// stack pointer if ASLR is off, and with a stack pointer from the same set if ASLR is on.
///
/// `string_bytes` is the size of the program's path, its arguments and its environment, each with its terminator;
/// `strings` is the number of arguments and variables, since the pointers to them take room as well.
pub fn stack_class(string_bytes: usize, strings: usize) -> (usize, usize) {
    ((TOP_BYTES + string_bytes).div_ceil(STEP_BYTES), strings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_sizes_are_one_class_wherever_the_start_ends() {
        for start in 40..60 {
            let classes: Vec<_> = (1..=256).map(|bytes| stack_class(start + bytes, 2)).collect();
            let mut runs = classes.chunk_by(|a, b| a == b).map(<[_]>::len).collect::<Vec<_>>();
            let (first, last) = (runs.remove(0), runs.pop().unwrap());
            assert!(runs.iter().all(|&length| length == 16), "{runs:?}");
            assert_eq!((first + last) % 16, 0);
            assert!(!classes.contains(&stack_class(start, 1)), "the empty environment is like no other");
        }
    }
}

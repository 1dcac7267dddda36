//! Names of the kernel's functions.

use std::fs;

#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    /// Address of each function, and the range of its name in `text`; sorted by address.
    symbols: Vec<(u64, std::ops::Range<usize>)>,
    text: String,
}

const FILE: &str = "/proc/kallsyms";

impl Kernel {
    /// Reads `/proc/kallsyms`. A user who is not permitted to know the addresses gets zeros for all of them, and then
    /// no function has a name.
    pub(crate) fn read() -> Self {
        Kernel::parse(fs::read_to_string(FILE).unwrap_or_default())
    }

    fn parse(text: String) -> Self {
        let mut symbols = Vec::new();
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            if let Some((address, name)) = fauxplat_procfs::kallsyms::symbol(line) {
                let start = begin + name.start;
                symbols.push((address, start..begin + name.end));
            }
            begin += line.len();
        }
        symbols.sort_by_key(|(address, _)| *address);
        Kernel { symbols, text }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the address range of the scheduler's functions, which every waiting thread has called; `ps -o wchan`
    /// omits them, too.
    pub(crate) fn scheduler(&self) -> std::ops::Range<u64> {
        let place = |wanted: &str| {
            let found = self.symbols.iter().find(|(_, name)| self.text.get(name.clone()) == Some(wanted));
            found.map_or(0, |(address, _)| *address)
        };
        place("__sched_text_start")..place("__sched_text_end")
    }

    pub(crate) fn find(&self, address: u64) -> Option<String> {
        let after = self.symbols.partition_point(|(start, _)| *start <= address);
        let (_, name) = self.symbols.get(after.checked_sub(1)?)?;
        // The name of the function's module follows after a tab.
        self.text.get(name.clone()).map(|name| name.replace('\t', " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_reach_to_the_next_one() {
        let text = "ffffffff81000000 T _text\nffffffff81000100 t do_one\nffffffff81000100 d data\n\
                    ffffffff81000300 T do_two\t[ext4]\n0000000000000000 T hidden\ngarbage\n";
        let kernel = Kernel::parse(text.to_owned());
        assert_eq!(kernel.find(0xffff_ffff_8100_01ff).as_deref(), Some("do_one"));
        assert_eq!(kernel.find(0xffff_ffff_8100_0300).as_deref(), Some("do_two [ext4]"));
        assert_eq!(kernel.find(0x1000), None);
        assert!(Kernel::parse("0000000000000000 T hidden\n".into()).is_empty());
        let text = "ffffffff81000100 T __sched_text_start\nffffffff81000300 T __sched_text_end\n";
        assert_eq!(Kernel::parse(text.to_owned()).scheduler(), 0xffff_ffff_8100_0100..0xffff_ffff_8100_0300);
        assert!(kernel.scheduler().is_empty());
    }
}

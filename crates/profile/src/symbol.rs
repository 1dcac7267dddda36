//! Chooses among several names of a function the name by which other files call it.

/// A name that a symbol table has for a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    /// Whether other files can call the function by that name.
    pub(crate) is_exported: bool,
    /// Whether other compilation units can call the function by that name.
    pub(crate) is_global: bool,
}

impl Symbol {
    pub(crate) fn plain(name: &str) -> Self {
        Symbol { name: name.to_owned(), ..Symbol::default() }
    }

    /// Returns whether the name is mangled: a compiler encoded the namespace, and possibly types, in it.
    pub(crate) fn is_mangled(&self) -> bool {
        self.name.starts_with("_Z") || self.name.starts_with("_R")
    }
}

/// Sorts the name that readers know to the front: exported names before global names before local names, then names
/// with fewer leading underscores, since libraries begin their internal names with these (`malloc`, `__libc_malloc`,
/// `__GI___libc_malloc`), then shorter names.
pub(crate) fn prefer(all: &mut [Symbol]) {
    let underscores = |name: &str| name.bytes().take_while(|&byte| byte == b'_').count();
    all.sort_by(|a, b| {
        let of = |it: &Symbol| (!it.is_exported, !it.is_global, underscores(&it.name), it.name.len());
        of(a).cmp(&of(b)).then_with(|| a.name.cmp(&b.name))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_by_which_a_function_is_called_comes_first() {
        let symbol =
            |name: &str, is_exported, is_global| Symbol { name: name.into(), is_exported, is_global };
        let mut all = vec![
            symbol("__GI___libc_malloc", false, false),
            symbol("__malloc", false, true),
            symbol("__libc_malloc", true, true),
            symbol("malloc", true, true),
        ];
        prefer(&mut all);
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["malloc", "__libc_malloc", "__malloc", "__GI___libc_malloc"]);
        let mut local = vec![symbol("helper", false, false), symbol("__helper", false, true)];
        prefer(&mut local);
        assert_eq!(local[0].name, "__helper", "what others can call is known to them");
    }
}

//! Lengths of functions.

use std::path::PathBuf;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::code::{Crate, Module, Role};
use crate::violation::Violation;

/// The longest function there may be.
const LENGTH_MAX: usize = 70;

/// A function that is no test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) line: usize,
    /// From the line of its name to that of its last brace, without assembly, whose lines are single instructions.
    pub(super) lines: usize,
}

/// Functions that are too long.
pub(super) fn check(crates: &[Crate]) -> Vec<Violation> {
    let long = functions(crates).into_iter().filter(|function| function.lines > LENGTH_MAX);
    let violation = |Function { name, path, line, lines }| {
        let what = format!("`{name}` has {lines} lines, more than {LENGTH_MAX}");
        Violation::new(
            path,
            Some(line),
            what,
            "let it say what is done and give each step a function of its own",
        )
    };
    long.map(violation).collect()
}

/// All functions of the sources.
pub(super) fn functions(crates: &[Crate]) -> Vec<Function> {
    let modules = crates.iter().flat_map(|one| &one.modules).filter(|module| module.role == Role::Source);
    modules.flat_map(of_module).collect()
}

fn of_module(module: &Module) -> Vec<Function> {
    let mut finder = Finder { path: &module.path, found: Vec::new() };
    finder.visit_file(&module.syntax);
    finder.found
}

struct Finder<'m> {
    path: &'m PathBuf,
    found: Vec<Function>,
}

impl Finder<'_> {
    fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let mut assembly = Assembly::default();
        assembly.visit_block(block);
        let lines = block.brace_token.span.close().end().line + 1 - line - assembly.lines;
        let (name, path) = (signature.ident.to_string(), self.path.clone());
        self.found.push(Function { name, path, line, lines });
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.note(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// Lines of assembly in a function.
#[derive(Default)]
struct Assembly {
    lines: usize,
}

impl<'ast> Visit<'ast> for Assembly {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if mac.path.segments.last().is_some_and(|name| name.ident.to_string().ends_with("asm")) {
            self.lines += mac.span().end().line - mac.span().start().line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::planted;
    use super::*;

    fn of(text: &str) -> Vec<Crate> {
        vec![Crate { folder: "crates/a".into(), modules: vec![planted("src/lib.rs", text)] }]
    }

    #[test]
    fn functions_are_measured_from_their_name_to_their_last_brace() {
        let text = "/// Words.\n#[inline]\nfn a(\n    b: u8,\n) {\n    fn c() {}\n}\nimpl D {\n    fn e() {\n    }\n}\ntrait F {\n    fn g();\n    fn h() {}\n}\n#[cfg(test)]\nmod tests {\n    fn i() {}\n}\n";
        let found: Vec<(String, usize, usize)> =
            functions(&of(text)).into_iter().map(|it| (it.name, it.line, it.lines)).collect();
        let expected = [("a", 3, 5), ("c", 6, 1), ("e", 9, 2), ("h", 14, 1)];
        assert_eq!(found, expected.map(|(name, line, lines)| (name.to_owned(), line, lines)));
    }

    #[test]
    fn instructions_are_no_lines() {
        let text = "fn a() {\n    core::arch::asm!(\n        \"nop\",\n        \"nop\",\n    );\n}\n";
        assert_eq!(functions(&of(text))[0].lines, 3);
    }

    #[test]
    fn a_function_that_is_too_long_is_refused_with_its_place() {
        let of_lines = |lines: usize| of(&format!("\nfn long() {{\n{}}}\n", "    a();\n".repeat(lines - 2)));
        assert_eq!(check(&of_lines(70)), []);
        let found = check(&of_lines(71))[0].to_string();
        assert!(found.starts_with("crates/a/src/lib.rs:2: `long` has 71 lines, more than 70; "), "{found}");
    }
}

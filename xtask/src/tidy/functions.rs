//! Lengths of functions, for the figures about the code; clippy refuses functions that are too long (`too_many_lines`).

use std::path::PathBuf;

use syn::visit::{self, Visit};

use super::code::{Crate, Module, Role};

/// A function that is no test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) line: usize,
    /// Number of lines, from the line with the function's name to that of the last brace.
    pub(super) lines: usize,
}

/// All functions in the sources of these crates.
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
        let lines = block.brace_token.span.close().end().line + 1 - line;
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

#[cfg(test)]
mod tests {
    use super::super::code::tests::planted;
    use super::*;

    #[test]
    fn functions_are_measured_from_their_name_to_their_last_brace() {
        let text = "/// Words.\n#[inline]\nfn a(\n    b: u8,\n) {\n    fn c() {}\n}\nimpl D {\n    fn e() {\n    }\n}\ntrait F {\n    fn g();\n    fn h() {}\n}\n#[cfg(test)]\nmod tests {\n    fn i() {}\n}\n";
        let one = Crate { folder: "crates/a".into(), modules: vec![planted("src/lib.rs", text)] };
        let found: Vec<(String, usize, usize)> =
            functions(&[one]).into_iter().map(|it| (it.name, it.line, it.lines)).collect();
        let expected = [("a", 3, 5), ("c", 6, 1), ("e", 9, 2), ("h", 14, 1)];
        assert_eq!(found, expected.map(|(name, line, lines)| (name.to_owned(), line, lines)));
    }
}

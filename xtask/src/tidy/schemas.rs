//! Checks the names of JSON documents: every schema that the program writes is described, and every described schema is
//! written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use super::code::{Crate, Role};
use crate::error::ChoreError;
use crate::violation::Violation;

/// Path of the document that describes all schemas.
const FILE: &str = "docs/json.md";

/// Prefix of the name of every schema.
const PREFIX: &str = "fauxplat.";

pub(super) fn check(root: &Path, crates: &[Crate]) -> Result<Vec<Violation>, ChoreError> {
    let path = root.join(FILE);
    let text = fs::read_to_string(&path).map_err(ChoreError::at(path))?;
    Ok(compare(&written(crates), &described(&text)))
}

/// Names of schemas in the sources of the product, each with a file that contains it.
fn written(crates: &[Crate]) -> BTreeMap<String, PathBuf> {
    let product = crates.iter().filter(|one| one.folder.starts_with("crates"));
    let sources = product.flat_map(|one| &one.modules).filter(|module| module.role == Role::Source);
    let mut found = BTreeMap::new();
    for module in sources {
        literals(module.syntax.to_token_stream(), &mut |name| {
            found.entry(name.to_owned()).or_insert_with(|| module.path.clone());
        });
    }
    found
}

fn literals(tokens: TokenStream, tell: &mut impl FnMut(&str)) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), tell),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if is_schema(text.trim_matches('"')) {
                    tell(text.trim_matches('"'));
                }
            }
            _ => {}
        }
    }
}

/// Whether a word has the form of a schema's name, such as `fauxplat.run/1`.
fn is_schema(word: &str) -> bool {
    let Some((name, version)) = word.strip_prefix(PREFIX).and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_name && !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
}

/// Names of schemas in the headings of the description, each with the number of its line.
fn described(text: &str) -> BTreeMap<String, usize> {
    let headings = text.lines().enumerate().filter(|(_, line)| line.starts_with("## "));
    let names = headings.flat_map(|(index, line)| {
        line.split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| is_schema(word))
            .map(move |word| (word.to_owned(), index + 1))
    });
    names.collect()
}

fn compare(written: &BTreeMap<String, PathBuf>, described: &BTreeMap<String, usize>) -> Vec<Violation> {
    let missing = written.iter().filter(|(name, _)| !described.contains_key(*name)).map(|(name, path)| {
        let cure = format!("describe it in {FILE} below a heading with its name");
        Violation::new(path, None, format!("`{name}` is described nowhere"), cure)
    });
    let left = described.iter().filter(|(name, _)| !written.contains_key(*name)).map(|(name, line)| {
        Violation::new(FILE, Some(*line), format!("nothing writes `{name}`"), "take its description out")
    });
    missing.chain(left).collect()
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::planted;
    use super::*;

    fn found(code: &str, text: &str) -> Vec<String> {
        let of = Crate { folder: "crates/a".into(), modules: vec![planted("src/lib.rs", code)] };
        compare(&written(&[of]), &described(text)).iter().map(Violation::to_string).collect()
    }

    #[test]
    fn names_in_headings_and_in_the_sources_agree() {
        let code = "findings! { /// By `a`.\n A(u8) = \"fauxplat.a/1\", } const B: &str = \"fauxplat.b-c/2\"; const C: &str = \"fauxplat.D/1\";\n#[cfg(test)]\nmod tests { const D: &str = \"fauxplat.d/1\"; }";
        assert_eq!(
            found(code, "## `fauxplat.a/1`, `fauxplat.b-c/2`\n\nas `fauxplat.e/1`\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_is_missing_on_either_side_is_refused() {
        let code = "const A: &str = \"fauxplat.a/1\";";
        assert_eq!(
            found(code, "# Documents\n\n## `fauxplat.b/1`\n"),
            [
                "crates/a/src/lib.rs: `fauxplat.a/1` is described nowhere; describe it in docs/json.md below a heading with its name",
                "docs/json.md:3: nothing writes `fauxplat.b/1`; take its description out",
            ]
        );
    }
}

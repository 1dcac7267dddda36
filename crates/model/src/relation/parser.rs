//! Parser of relations; the module [`super`] describes the grammar.

use fauxplat_units::CpuSet;

use super::{MachinePart, Relation};
use crate::GroupKind;

/// Greatest depth of parentheses and negations. The parser is recursive, so deeper nesting could overflow the stack.
const DEPTH_MAX: usize = 32;

const WORDS: &str = "all, isolated, nohz-full, p-cores, e-cores, sibling-of:CPU, same-PART:CPU, \
other-PART:CPU, other-PART-same-PART:CPU, PART:N, one-per-PART, quietest:COUNT; PART is cpu, core, cluster, l1 to l4, \
die, package, book, drawer, node or kind";

pub(super) fn parse(text: &str) -> Result<Relation, String> {
    let mut parser = Parser { text, rest: text.trim(), depth: 0 };
    let relation = parser.any()?;
    match parser.rest {
        "" => Ok(relation),
        rest => Err(format!("`{text}`: `{rest}` is left over; relations are joined by & or |")),
    }
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn any(&mut self) -> Result<Relation, String> {
        self.joined('|', Parser::every, Relation::Any)
    }

    fn every(&mut self) -> Result<Relation, String> {
        self.joined('&', Parser::factor, Relation::Every)
    }

    /// Parses an operand, or several with `sign` between them.
    fn joined(
        &mut self,
        sign: char,
        part: fn(&mut Self) -> Result<Relation, String>,
        join: fn(Vec<Relation>) -> Relation,
    ) -> Result<Relation, String> {
        let mut parts = vec![part(self)?];
        while self.takes(sign) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
    }

    fn takes(&mut self, sign: char) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn factor(&mut self) -> Result<Relation, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("`{}`: more than {DEPTH_MAX} brackets within each other", self.text));
        }
        let relation = if self.takes('!') {
            Relation::Not(Box::new(self.factor()?))
        } else if self.takes('(') {
            let inner = self.any()?;
            if !self.takes(')') {
                return Err(format!("`{}`: a bracket is not closed", self.text));
            }
            inner
        } else {
            let end = self.rest.find(['&', '|', '(', ')', '!']).unwrap_or(self.rest.len());
            let (found, rest) = self.rest.split_at(end);
            self.rest = rest;
            word(found.trim())?
        };
        self.depth -= 1;
        Ok(relation)
    }
}

fn word(text: &str) -> Result<Relation, String> {
    match text {
        "" => return Err("a part of a relation is empty: it names no CPU".to_owned()),
        "all" => return Ok(Relation::All),
        "isolated" => return Ok(Relation::Isolated),
        "nohz-full" => return Ok(Relation::NohzFull),
        "p-cores" => return Ok(Relation::PerformanceCores),
        "e-cores" => return Ok(Relation::EfficiencyCores),
        list if list.starts_with(|c: char| c.is_ascii_digit()) => {
            return list.parse().map(Relation::List).map_err(|error| format!("{error}"));
        }
        _ => {}
    }
    if let Some(per) = text.strip_prefix("one-per-") {
        return part(per).map(Relation::OnePer).ok_or_else(|| unknown(text));
    }
    let (name, argument) = text.split_once(':').ok_or_else(|| unknown(text))?;
    match name {
        "quietest" => match argument.parse() {
            Ok(count) if count > 0 => Ok(Relation::Quietest(count)),
            _ => Err(format!("`{text}`: the number of CPUs must be 1 or more")),
        },
        "sibling-of" => to(text, Some(MachinePart::Cpu), Some(MachinePart::Group(GroupKind::Core)), argument),
        _ => related(text, name, argument),
    }
}

/// Parses `same-…`, `other-…`, `other-…-same-…`, or the name of a part followed by numbers.
fn related(text: &str, name: &str, argument: &str) -> Result<Relation, String> {
    let known = |name: &str| part(name).ok_or_else(|| unknown(text));
    if let Some(same) = name.strip_prefix("same-") {
        return to(text, None, Some(known(same)?), argument);
    }
    match name.strip_prefix("other-").map(|names| names.split_once("-same-").ok_or(names)) {
        Some(Ok((other, same))) => to(text, Some(known(other)?), Some(known(same)?), argument),
        Some(Err(other)) => to(text, Some(known(other)?), None, argument),
        None => {
            let numbers: CpuSet = argument
                .parse()
                .map_err(|_| format!("`{text}`: a part is named by its number, as `topo` shows it"))?;
            match numbers.is_empty() {
                true => Err(format!("`{text}` names no part")),
                false => Ok(Relation::In(known(name)?, numbers)),
            }
        }
    }
}

fn to(
    text: &str,
    other: Option<MachinePart>,
    same: Option<MachinePart>,
    argument: &str,
) -> Result<Relation, String> {
    let cpu: CpuSet =
        argument.parse().map_err(|_| format!("`{text}`: `{argument}` is not the number of a CPU"))?;
    match (cpu.len(), cpu.first()) {
        (1, Some(cpu)) => Ok(Relation::To { other, same, cpu }),
        _ => Err(format!("`{text}` is about one CPU: `{argument}` is not the number of one")),
    }
}

fn part(name: &str) -> Option<MachinePart> {
    let level = GroupKind::ALL.into_iter().find(|level| level.name() == name).map(MachinePart::Group);
    level.or(match name {
        "cpu" => Some(MachinePart::Cpu),
        "node" => Some(MachinePart::Node),
        "kind" => Some(MachinePart::Kind),
        "l1" | "l2" | "l3" | "l4" => name[1..].parse().ok().map(MachinePart::Cache),
        _ => None,
    })
}

fn unknown(text: &str) -> String {
    format!("`{text}` is neither a CPU list such as 0-3,8 nor a relation: {WORDS}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn relations_read_what_they_print() {
        for text in [
            "all",
            "0-3,8",
            "sibling-of:3",
            "other-core-same-l3:3",
            "other-package:3",
            "same-cpu:3",
            "quietest:2",
            "one-per-core&node:0",
            "!sibling-of:3",
            "one-per-l3&!(isolated|0-1)&quietest:4",
            "p-cores|e-cores&node:1,3",
            "nohz-full",
            "kind:0",
            "one-per-node",
        ] {
            let relation: Relation = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(relation.to_string().parse::<Relation>().as_ref(), Ok(&relation), "{text}");
        }
        assert_eq!("other-cpu-same-core:3".parse::<Relation>().unwrap().to_string(), "sibling-of:3");
        assert_eq!(" ! isolated & ( node:0 ) ".parse::<Relation>().unwrap().to_string(), "!isolated&node:0");
    }

    #[test]
    fn and_binds_tighter_than_or() {
        let parsed: Relation = "p-cores|e-cores&node:1".parse().unwrap();
        assert_eq!(parsed.to_string(), "p-cores|(e-cores&node:1)");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, says) in [
            ("", "names no CPU"),
            ("sibling-of", "nor a relation"),
            ("sibling-of:x", "`x` is not the number"),
            ("sibling-of:1-2", "about one CPU"),
            ("same-street:1", "nor a relation"),
            ("quietest:0", "must be 1 or more"),
            ("one-per-", "nor a relation"),
            ("(all", "not closed"),
            ("all)", "left over"),
            ("node:", "names no part"),
            ("all&", "names no CPU"),
            ("other-core-same-:1", "nor a relation"),
            ("3-1", "low to high"),
        ] {
            let error = text.parse::<Relation>().unwrap_err();
            assert!(error.contains(says) && !error.contains('\n'), "{text}: {error}");
        }
        assert!("!".repeat(100_000).parse::<Relation>().unwrap_err().contains("brackets"));
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_printed_and_read_again(text in "[a-z0-9:&|!() ,-]{0,40}|((sibling-of|same-l3|node|quietest):[1-9][&|])*all") {
            if let Ok(relation) = text.parse::<Relation>() {
                prop_assert_eq!(relation.to_string().parse::<Relation>(), Ok(relation));
            }
        }
    }
}

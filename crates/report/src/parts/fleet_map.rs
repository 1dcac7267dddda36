//! The map of a fleet: machines as squares in rows, where the names of machines tell the rows (such as racks) and the
//! order.

pub(crate) struct FleetMap {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) rows: Vec<MapRow>,
    pub(crate) legend: Vec<(Patch, String)>,
}

/// A row of the map with its machines.
pub(crate) struct MapRow {
    pub(crate) name: String,
    pub(crate) machines: Vec<MapMachine>,
}

pub(crate) struct MapMachine {
    pub(crate) patch: Patch,
    pub(crate) hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Patch {
    /// A machine without a special state: how much slower than its group it is, as a share.
    Slower(f64),
    Absent,
    /// A machine with a special state: index of its colour, and a letter for readers who cannot distinguish the
    /// colours.
    Marked(usize, char),
}

/// Maximum number of machines in a row. Longer rows continue in a further row.
pub(crate) const ROW_MAX: usize = 48;

/// Divides names of machines into rows: the name of each row, and the indices of its members in `names`.
///
/// The last number in a machine's name is its position in the row, and the text around this number is the name of the
/// row. If most rows would contain a single machine, because names are words or one number counts all machines, all
/// machines follow each other in the order of their numbers.
pub(crate) fn rows_of(names: &[&str]) -> Vec<(String, Vec<usize>)> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_cached_key(|&index| (natural(names[index]), names[index]));
    let mut rows: Vec<(String, Vec<usize>)> = Vec::new();
    for index in order {
        let row = row_of(names[index]);
        match rows.last_mut().filter(|(last, _)| *last == row) {
            Some((_, members)) => members.push(index),
            None => rows.push((row, vec![index])),
        }
    }
    if 2 * rows.len() > names.len() {
        rows = vec![(String::new(), rows.into_iter().flat_map(|(_, members)| members).collect())];
    }
    rows.into_iter().flat_map(|(name, members)| wrapped(name, &members)).collect()
}

fn wrapped(name: String, members: &[usize]) -> Vec<(String, Vec<usize>)> {
    let part =
        |(at, part): (usize, &[usize])| (if at == 0 { name.clone() } else { String::new() }, part.to_vec());
    members.chunks(ROW_MAX).enumerate().map(part).collect()
}

/// Name of the row to which a machine belongs: the machine's name without its last number.
fn row_of(name: &str) -> String {
    let Some(end) = name.rfind(|c: char| c.is_ascii_digit()) else { return name.to_owned() };
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + char_len(name, at));
    format!("{}{}", &name[..start], &name[end + 1..])
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// A section of a machine's name, compared so that `node9` comes before `node10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stretch {
    /// A number: its length without leading zeros, and its digits.
    Number(usize, String),
    Words(String),
}

fn natural(name: &str) -> Vec<Stretch> {
    let chars: Vec<char> = name.chars().collect();
    let stretches = chars.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let stretch = |of: &[char]| {
        let text: String = of.iter().collect();
        match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => {
                let digits = text.trim_start_matches('0');
                Stretch::Number(digits.len(), digits.to_owned())
            }
            false => Stretch::Words(text),
        }
    };
    stretches.map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str]) -> Vec<(String, Vec<String>)> {
        let named = |members: Vec<usize>| members.into_iter().map(|index| names[index].to_owned()).collect();
        rows_of(names).into_iter().map(|(row, members)| (row, named(members))).collect()
    }

    #[test]
    fn racks_are_rows_and_numbers_count() {
        let found = rows(&["r1-n10", "r1-n9", "r2-n1", "r1-n1", "r2-n2", "r10-n1", "r10-n2"]);
        let names: Vec<&str> = found.iter().map(|(row, _)| row.as_str()).collect();
        assert_eq!(names, ["r1-n", "r2-n", "r10-n"]);
        assert_eq!(found[0].1, ["r1-n1", "r1-n9", "r1-n10"]);
    }

    #[test]
    fn names_that_are_words_are_one_row() {
        assert_eq!(
            rows(&["beta", "alpha", "gamma"]),
            [(String::new(), vec!["alpha".into(), "beta".into(), "gamma".into()])]
        );
        assert_eq!(rows_of(&[]), []);
    }

    #[test]
    fn a_long_row_goes_on_and_nobody_is_lost() {
        let names: Vec<String> = (0..100).map(|at| format!("ñode{at}.läb")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = rows_of(&names);
        assert_eq!(found.iter().map(|(_, members)| members.len()).collect::<Vec<_>>(), [48, 48, 4]);
        let mut all: Vec<usize> = found.iter().flat_map(|(_, members)| members.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(found[0].0, "ñode.läb");
    }
}

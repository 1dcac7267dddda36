//! Trees: as branches with further columns, and as boxes within boxes.

use super::Tone;

/// A tree in one of its forms.
pub(crate) enum Tree {
    /// Branches with columns beside them.
    Columns {
        /// Titles of all columns, that of the branches first.
        header: Vec<&'static str>,
        /// Columns that may be left out, the most dispensable first.
        dispensable: Vec<usize>,
        branches: Vec<Branch>,
    },
    /// Branches with a list beside each, which is shortened where there is no room.
    Sets(Vec<Branch>),
    /// Boxes within boxes.
    Boxes(Boxes),
}

/// A line of a tree. Those that it contains follow it.
pub(crate) struct Branch {
    pub(crate) tone: Tone,
    /// 0 for the trunk.
    pub(crate) depth: usize,
    pub(crate) text: String,
    /// Text beside the branch: a cell for each further column, or the items of the list.
    pub(crate) beside: Vec<String>,
}

/// A drawing of boxes.
pub(crate) struct Boxes {
    /// Title of the drawing.
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) whole: TreeBox,
    /// Notes about facts that no box shows.
    pub(crate) notes: Vec<String>,
}

/// A box with what it contains.
pub(crate) struct TreeBox {
    /// Lines of text above the box's contents.
    pub(crate) lines: Vec<String>,
    /// Index of the kind of thing, by which boxes are coloured.
    pub(crate) tint: usize,
    /// Whether this process may use the thing.
    pub(crate) usable: bool,
    /// Tooltip of the box.
    pub(crate) hint: String,
    pub(crate) children: Vec<TreeBox>,
}

impl Branch {
    /// Whether this branch, or its ancestor at `depth`, is followed by a sibling at `depth`.
    pub(crate) fn has_sibling_below(branches: &[Branch], index: usize, depth: usize) -> bool {
        let mut below = branches[index + 1..].iter().take_while(|branch| branch.depth >= depth);
        below.any(|branch| branch.depth == depth)
    }
}

impl TreeBox {
    /// Whether the box stands for a single thing without contents.
    pub(crate) fn is_leaf(&self) -> bool {
        self.children.is_empty() && self.lines.len() == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branches(depths: &[usize]) -> Vec<Branch> {
        let branch =
            |&depth: &usize| Branch { tone: Tone::Plain, depth, text: String::new(), beside: Vec::new() };
        depths.iter().map(branch).collect()
    }

    #[test]
    fn a_sibling_is_found_behind_all_that_a_branch_contains() {
        let tree = branches(&[0, 1, 2, 2, 1, 2]);
        let has = |index, depth| Branch::has_sibling_below(&tree, index, depth);
        assert_eq!([has(1, 1), has(2, 2), has(2, 1), has(3, 2), has(3, 1)], [true, true, true, false, true]);
        assert_eq!([has(4, 1), has(5, 2), has(5, 1)], [false; 3], "nothing stands below the last ones");
    }

    #[test]
    fn a_leaf_has_one_line_and_nothing_in_it() {
        let leaf = |lines: &[&str], children| TreeBox {
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
            tint: 0,
            usable: true,
            hint: String::new(),
            children,
        };
        assert!(leaf(&["CPU 0"], Vec::new()).is_leaf());
        assert!(!leaf(&["L3", "32 MiB"], Vec::new()).is_leaf());
        assert!(!leaf(&["core"], vec![leaf(&["CPU 0"], Vec::new())]).is_leaf());
    }
}

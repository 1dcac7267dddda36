//! Trees: as branches with further columns, and as nested boxes.

use super::Tone;

pub(crate) enum Tree {
    Columns {
        /// Titles of all columns, beginning with the title of the branches.
        header: Vec<&'static str>,
        /// Indices of columns that may be left out if there is no room, the most dispensable first.
        dispensable: Vec<usize>,
        branches: Vec<Branch>,
    },
    /// Branches with a list beside each, which is shortened if there is no room.
    Sets(Vec<Branch>),
    /// Nested boxes.
    Boxes(Boxes),
}

/// A line of a tree, which is followed by the lines of its inner branches.
pub struct Branch {
    pub tone: Tone,
    /// Number of branches above this one; 0 for the root.
    pub depth: usize,
    pub text: String,
    /// Text beside the branch: a cell for each further column, or the items of the list.
    pub beside: Vec<String>,
}

pub struct Boxes {
    pub title: String,
    pub description: String,
    pub whole: TreeBox,
    pub notes: Vec<String>,
}

pub struct TreeBox {
    /// Lines of text above the contents of the box.
    pub lines: Vec<String>,
    /// Number of the colour, which stands for the kind of object.
    pub tint: usize,
    pub usable: bool,
    pub hint: String,
    pub children: Vec<TreeBox>,
}

impl Branch {
    /// Whether the branch at `index`, or its ancestor at `depth`, is followed by a sibling at `depth`.
    pub(crate) fn has_sibling_below(branches: &[Branch], index: usize, depth: usize) -> bool {
        let mut below = branches[index + 1..].iter().take_while(|branch| branch.depth >= depth);
        below.any(|branch| branch.depth == depth)
    }
}

impl TreeBox {
    /// Whether the box represents a single object without contents.
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

//! How a program is built, and in which layouts it is built from one source.

use serde::{Deserialize, Serialize};

/// How the program of a command is built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The build command, for `/bin/sh -c`, in which `{out}`, `{link_flags}`, `{compile_flags}`, `{seed}` and
    /// `{objects}` are replaced.
    pub line: String,
    /// Object files that replace `{objects}`, in the order in which they are linked when nothing is varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<String>,
}

/// A way to vary the layout of a program without touching its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The order of the object files on the linker's command line.
    ObjectOrder,
    /// Objects of padding before the program's own code and data, with any linker.
    Padding,
    /// The linker shuffles sections (lld, mold).
    SectionOrder,
    /// The linker pads sections (lld from version 20).
    SectionPadding,
    /// The compiler aligns functions.
    Alignment,
}

impl Way {
    /// All ways, in the order in which reports list them.
    pub const ALL: [Way; 5] =
        [Way::ObjectOrder, Way::Padding, Way::SectionOrder, Way::SectionPadding, Way::Alignment];

    pub fn name(self) -> &'static str {
        match self {
            Way::ObjectOrder => "object-order",
            Way::Padding => "padding",
            Way::SectionOrder => "section-order",
            Way::SectionPadding => "section-padding",
            Way::Alignment => "alignment",
        }
    }

    pub fn from_name(name: &str) -> Option<Way> {
        Way::ALL.into_iter().find(|way| way.name() == name)
    }
}

/// A layout of a program: the setting of each way. `None` leaves that way unset, as in a build without fauxplat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variation {
    /// The value that replaces `{seed}` in the build command; `None` gives 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Seed from which the order of the object files is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_order: Option<u64>,
    /// Padding before the code and before the data of each object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Padding>,
    /// Seed with which the linker shuffles sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_order: Option<u64>,
    /// Seed with which the linker pads sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_padding: Option<u64>,
    /// Alignment of functions in bytes, a power of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment_bytes: Option<u32>,
}

/// Padding by object files that contain nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// A different number of bytes before each object file, drawn from this seed.
    Drawn(u64),
    /// Bytes of code, and as many of data, before the first object.
    Bytes(u32),
}

/// A layout in which a program was built and measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Index of the command whose program is built in this layout.
    pub command: u16,
    /// The link seed from which `variation` was drawn.
    pub link_seed: u64,
    /// Numbers of the blocks in which this layout ran; empty when it ran in all of them.
    pub blocks: Vec<u32>,
    /// The setting of each way that was varied.
    pub variation: Variation,
    pub sha256: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_have_names_of_their_own() {
        for way in Way::ALL {
            assert_eq!(Way::from_name(way.name()), Some(way));
        }
        assert_eq!(Way::from_name("luck"), None);
    }
}

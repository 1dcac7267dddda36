//! Where the time of a program goes, and who calls what.

use fauxplat_model::ProfileFindings;

use crate::parts::Piece;

pub(super) fn parts(found: &ProfileFindings) -> Vec<Piece> {
    let said =
        |profile: &fauxplat_model::Profile| Piece::plain(format!("{} samples", profile.quality.samples));
    found.profiles.iter().map(said).collect()
}

//! Causes that follow from made-up evidence: the first one is that for which there is evidence, and none is named
//! without evidence.

mod kinds;
mod made;
mod shares;
mod unsure;

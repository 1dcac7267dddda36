//! Causes of evidence that is made up: the first that is named is the one that was put in, and what was not put in is not
//! named.

mod kinds;
mod made;
mod shares;
mod unsure;

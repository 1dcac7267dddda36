//! `fleet` and `node`: on nodes that are processes here, and with a Slurm of which only the words are real. What a real Slurm
//! does with a hundred hosts is `cargo xtask bench fleet`.

mod inventories;
mod local;
mod words_of_slurm;

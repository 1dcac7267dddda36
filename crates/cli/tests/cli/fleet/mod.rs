//! `fleet` and `node`: on nodes that are processes of this machine, and with programs that imitate the output of Slurm.
//! `cargo xtask bench fleet` tries a real Slurm with a hundred hosts.

mod inventories;
mod kept;
mod local;
mod operator;
mod words_of_slurm;

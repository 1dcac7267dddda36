//! The search for the commit that changed a program.

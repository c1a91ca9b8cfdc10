//! The words of `plimsoll policy`.

use clap::{Args, Subcommand};

/// `plimsoll policy`.
#[derive(Debug, Args)]
pub struct PolicyArguments {
    /// What to do
    #[command(subcommand)]
    pub action: PolicyAction,
}

/// What to do with the catalogue.
#[derive(Debug, Subcommand)]
pub enum PolicyAction {
    /// All policies, a line each
    List,
    /// One policy: its limits, bursts, parameters, sources
    Show {
        /// Its id with parameters, e.g. aws-gp2,size=100GiB
        policy: String,
    },
}

//! The arguments of `plimsoll policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// `plimsoll policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// What to do
    #[command(subcommand)]
    pub action: PolicyAction,
}

/// What to do with the catalogue.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// All policies, a line each, or those with a word, e.g. azure or gp3
    #[command(after_help = "\
Examples:
  plimsoll policy list
  plimsoll policy list azure premium
  plimsoll policy list aws --format json")]
    List {
        /// Words of its id, name or provider
        words: Vec<String>,
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// One policy: its limits, bursts, parameters, sources
    #[command(after_help = "\
Examples:
  plimsoll policy show aws-gp3
  plimsoll policy show aws-gp2,size=100GiB
  plimsoll policy show azure-standard-ssd,size=128GiB")]
    Show {
        /// Its id with parameters, e.g. aws-gp2,size=100GiB
        policy: String,
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Whether a policy of your own, a TOML file, is right; and what it says
    #[command(after_help = "\
Examples:
  plimsoll policy check ours.toml
  plimsoll policy check ours.toml size=100GiB

The form is that of the catalogue: id, name, parameters and rules, as in
docs/guide/identify.md. What is wrong is told with file, line, column, the
offending word and the nearest one.")]
    Check {
        /// The file
        file: PathBuf,
        /// Parameters, e.g. size=100GiB,tier=gold [default: examples]
        parameters: Option<String>,
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Which policies a run's figures are those of, ranked, and what would tell the rest apart
    #[command(after_help = "\
Examples:
  plimsoll policy match                          of the newest run
  plimsoll policy match vol-check-2026-11-23-0912.plimsoll

Candidates are the policies that give every level that the run was held at, in
either reading of MB; those of one rank give the same. A match is no proof:
many policies share figures. What firmware and devices say of the provider, and
the size of the device, count too.
Exit codes: 0 some fit, 4 none does, or the run shows no level.")]
    Match {
        /// The run file [default: the newest of plimsoll list]
        run: Option<PathBuf>,
        /// Form of the result on stdout
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

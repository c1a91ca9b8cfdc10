//! The words of `plimsoll tutorial`.

use clap::Args;

/// `plimsoll tutorial`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll tutorial         from the first lesson on
  plimsoll tutorial 3       overload alone

Four lessons on simulated volumes, ten minutes: credits, the crossover,
overload, a full cache. Nothing is written but run files and reports in the
user's state directory. The same as a page: docs/guide/learn.md.")]
pub struct TutorialArguments {
    /// The lesson to begin with
    pub lesson: Option<usize>,
}

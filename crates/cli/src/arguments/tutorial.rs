//! The words of `plimsoll tutorial`.

use clap::Args;

/// `plimsoll tutorial`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll tutorial                from the first lesson on
  plimsoll tutorial 3              overload alone
  plimsoll tutorial right-volume   from a slow application to the right volume

Two courses of ten minutes on simulated volumes. The first has four lessons:
credits, the crossover, overload, a full cache. The second goes the whole way
with one application: watch it, size it, rehearse its load, check the candidate,
and notice when the volume becomes worse. Nothing is written but run files and
reports: by the first in the user's state directory, by the second in a new
folder right-volume of this directory. The same as pages: docs/guide/learn.md
and docs/guide/right-volume.md.")]
pub(crate) struct TutorialArguments {
    /// The lesson of the first course to begin with, or right-volume
    pub lesson: Option<String>,
}

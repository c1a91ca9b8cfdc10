//! The arguments of `plimsoll trend`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `plimsoll trend`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll trend nightly/                 is last night's run worse than before?
  plimsoll trend nightly/ --by 5% --last 30 --html trend.html

Every night:
  plimsoll check /mnt/vol --out nightly && plimsoll trend nightly

The newest run is held against all earlier ones of the same volume, policy,
plan and version; others are named and left out. From eight runs on, a change
is told from what differs from night to night anyway. A single night far below
the others counts only when a second is like it, unless it is far beyond all
scatter. Exit codes: 0 not worse, 3 worse, 4 cannot tell: too few runs, or they
scatter too much. The verdict is stored in the newest run file.")]
pub(crate) struct TrendArguments {
    /// Run files, or folders with run files [default: the user's state directory]
    #[arg(value_name = "RUN|FOLDER")]
    pub inputs: Vec<PathBuf>,
    /// Least change for the worse that counts
    #[arg(long, value_name = "SHARE", default_value = "3%", value_parser = share)]
    pub by: f64,
    /// So many runs, the newest ones [default: all]
    #[arg(long, value_name = "N")]
    pub last: Option<usize>,
    /// Draw the figures over the dates of the runs, as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Do not store the verdict in the newest run file
    #[arg(long)]
    pub no_store: bool,
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: TrendFormat,
}

/// Form of a trend on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrendFormat {
    /// For people: 80 columns
    #[default]
    Text,
    /// One JSON document and nothing else
    Json,
    /// Markdown, for the comment of a pipeline
    Markdown,
}

/// Parses a share from above 0 to 50 %.
fn share(words: &str) -> Result<f64, String> {
    let number = words.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share <= 0.5);
    share.ok_or_else(|| "no share from above 0% to 50%; write for example --by 3%".to_owned())
}

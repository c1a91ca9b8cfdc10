//! `plimsoll man` and `plimsoll completions`.

use std::path::PathBuf;

use clap::Args;

/// `plimsoll man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll man | man -l -                  plimsoll(1)
  plimsoll man check | man -l -            plimsoll-check(1)
  plimsoll man --to /usr/local/share/man/man1")]
pub(crate) struct ManArguments {
    /// The command whose page is printed, e.g. check, or fio
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub to: Option<PathBuf>,
}

/// `plimsoll completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll completions bash > /etc/bash_completion.d/plimsoll
  plimsoll completions zsh > \"${fpath[1]}/_plimsoll\"
  plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell [default: that of the variable SHELL]
    pub shell: Option<clap_complete::Shell>,
}

//! The short form of help (`-h`): the options that count, the examples and the exit codes. `--help` and the manual have all.

use clap::Command;

/// Commands whose options do not fit a screen.
const LONG: &[&str] = &["check", "watch", "headroom", "compare", "burst", "report", "map", "run", "where"];

/// Options that the short form of these commands shows, by long name.
const COUNT: &[&str] = &[
    "policy",
    "price",
    "expect",
    "plan",
    "time",
    "for",
    "device",
    "p99",
    "at",
    "mix",
    "block",
    "of",
    "live",
    "against",
    "html",
    "csv",
    "allow-destroy",
    "dry-run",
    "format",
    "help",
];

/// Returns `root` with the short form of its long commands.
pub fn with_short_help(root: Command) -> Command {
    LONG.iter().fold(root, |root, name| root.mut_subcommand(name, shortened))
}

fn shortened(command: Command) -> Command {
    let whole = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let longer = command.get_after_long_help().map_or(whole.clone(), ToString::to_string);
    let ids: Vec<clap::Id> = command
        .get_arguments()
        .filter(|arg| arg.get_long().is_some_and(|long| !COUNT.contains(&long)))
        .map(|arg| arg.get_id().clone())
        .collect();
    let command =
        ids.into_iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide_short_help(true)));
    command.after_help(few_words(&whole)).after_long_help(longer)
}

/// The examples and the exit codes of the text after the options.
fn few_words(whole: &str) -> String {
    let examples = whole.split("\n\n").next().unwrap_or_default();
    let codes = whole.find("\nExit codes:").map_or("", |at| &whole[at..]);
    format!("{examples}\n{codes}\nAll options and what they do: --help")
}

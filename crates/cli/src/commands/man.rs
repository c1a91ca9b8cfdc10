//! `plimsoll man` and `plimsoll completions`: what a package installs besides the program.

use std::path::Path;

use clap::ValueEnum;
use clap_complete::Shell;
use options::near::nearest;

use crate::arguments::{CompletionsArguments, ManArguments};
use crate::manual::{self, Page};
use session::failure::Failure;
use session::files::{Kind, Shelf};
use session::output;

/// Prints one page, or writes all of them.
pub fn run(arguments: &ManArguments) -> Result<u8, Failure> {
    let pages = manual::pages().map_err(|error| Failure::failed(error.to_string()))?;
    match &arguments.to {
        Some(folder) => write(folder, &pages)?,
        None => output::result(&String::from_utf8_lossy(&named(&pages, &arguments.command)?.roff))?,
    }
    Ok(0)
}

/// Finds the page of a command, typed as on the command line.
fn named<'p>(pages: &'p [Page], command: &[String]) -> Result<&'p Page, Failure> {
    let name = [&["plimsoll".to_owned()], command].concat().join("-");
    let found = pages.iter().find(|page| page.name == name);
    found.ok_or_else(|| {
        let near = nearest(&name, pages.iter().map(|page| page.name.as_str()));
        let meant = near.map_or_else(
            || "plimsoll --help lists the commands".to_owned(),
            |near| format!("did you mean 'plimsoll man {}'?", near.replacen("plimsoll-", "", 1)),
        );
        Failure::refused(format!("there is no page '{name}'; {meant}"))
    })
}

/// Kind of plimsoll's manual pages, recognised by the line that sets their title.
const MANUAL_PAGE: Kind = Kind {
    word: "manual page",
    remedy: "move it, or name another folder with --to",
    is_ours: |there, _| {
        there.is_empty() || there.split(|byte| *byte == b'\n').any(|line| line.starts_with(b".TH plimsoll"))
    },
};

fn write(folder: &Path, pages: &[Page]) -> Result<(), Failure> {
    let shelf = Shelf::named(folder).map_err(|error| {
        Failure::failed(format!("{}: cannot be made: {error}; name another folder", folder.display()))
    })?;
    let name = |page: &Page| format!("{}.1", page.name);
    // Checks every file before any is written.
    pages.iter().try_for_each(|page| shelf.gives_way(&name(page), &page.roff, MANUAL_PAGE))?;
    pages.iter().try_for_each(|page| shelf.put(&name(page), &page.roff, MANUAL_PAGE))?;
    output::people(&format!("{} pages in {}", pages.len(), folder.display()));
    Ok(())
}

/// Prints the completion script for a shell.
pub fn completions(arguments: &CompletionsArguments) -> Result<u8, Failure> {
    let Some(shell) = arguments.shell.or_else(Shell::from_env) else {
        let shells: Vec<String> = Shell::value_variants().iter().map(ToString::to_string).collect();
        return Err(Failure::refused(format!(
            "the shell is not known by the variable SHELL; name it: plimsoll completions {}",
            shells.join(" | ")
        )));
    };
    output::result(&String::from_utf8_lossy(&manual::completions(shell)))?;
    Ok(0)
}

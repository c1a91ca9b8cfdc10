//! Manual pages and completions: for plimsoll's own command line from clap's definitions, for those of other tools
//! from their option rows.

use std::io;

use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use options::Entry;
use roff::{Inline, Roff, bold, italic, roman};

use crate::arguments::Arguments;
use crate::build;

/// A manual page.
pub(crate) struct Page {
    /// `plimsoll-check`, without the section.
    pub name: String,
    /// The text in roff.
    pub roff: Vec<u8>,
}

/// Another tool whose command line plimsoll accepts.
struct Tool {
    name: &'static str,
    entries: fn() -> Vec<Entry>,
    usage: &'static [&'static str],
    about: &'static str,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "fio",
        entries: fio::entries,
        usage: &["[OPTION...] [JOBFILE...]", "[OPTION...] --name=JOB [JOB OPTION...]"],
        about: "Runs the command lines and job files of fio 3.x as they are, with plimsoll's engine, and prints what fio \
                prints. An option that is not done as fio does it is noted on stderr, or refused by name. A job option \
                stands in a job file without its dashes.",
    },
    Tool {
        name: "diskspd",
        entries: diskspd::entries,
        usage: &["[OPTION...] TARGET..."],
        about: "Runs the command lines and XML profiles of DiskSpd 2.x as they are, on Linux, and prints what DiskSpd \
                prints. A value stands right behind its option.",
    },
    Tool {
        name: "ioping",
        entries: ioping::entries,
        usage: &["[OPTION...] DIRECTORY|FILE|DEVICE"],
        about: "Runs the command lines of ioping 1.3 as they are and prints what ioping prints: the time of one request \
                after the other.",
    },
    Tool {
        name: "iostat",
        entries: iostat::entries,
        usage: &["[OPTION...] [DEVICE...|ALL] [INTERVAL [COUNT]]"],
        about: "Reads the command lines of iostat of sysstat 12.6 as they are and prints what iostat prints.",
    },
];

/// Returns all manual pages: of plimsoll, of each of its commands, and of each tool whose command line it accepts.
///
/// # Errors
/// An error of clap's renderer, which writes to memory.
pub fn pages() -> io::Result<Vec<Page>> {
    let mut root = Arguments::command();
    root.build();
    let mut pages = Vec::new();
    gather(&root, &mut pages)?;
    for tool in &TOOLS {
        pages.push(page_of(tool)?);
    }
    Ok(pages)
}

/// Adds the pages of a command and of its subcommands; hidden commands and other tools are skipped.
fn gather(command: &Command, pages: &mut Vec<Page>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let man = Man::new(command.clone().name(name.clone()))
        .title(name.to_uppercase())
        .date(build::DATE)
        .source(version());
    let mut text: Vec<u8> = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(more) = command.get_after_help() {
        text.extend(as_typed("NOTES", &more.to_string()).into_bytes());
    }
    // clap ends a paragraph with two breaks around an empty line, where one vertical space is meant.
    let text = String::from_utf8_lossy(&text).replace("\n.br\n\n.br\n", "\n.sp\n").into_bytes();
    pages.push(Page { name, roff: text });
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    for below in below.filter(|below| TOOLS.iter().all(|tool| tool.name != below.get_name())) {
        gather(below, pages)?;
    }
    Ok(())
}

/// Returns a section that keeps its line breaks, because examples are aligned in columns.
fn as_typed(heading: &str, lines: &str) -> String {
    let mut roff = Roff::new();
    roff.control("SH", [heading]);
    roff.control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.to_roff()
}

fn version() -> String {
    format!("plimsoll {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the page of another tool's command line.
fn page_of(tool: &Tool) -> io::Result<Page> {
    let name = format!("plimsoll-{}", tool.name);
    let entries = (tool.entries)();
    let mut roff = Roff::new();
    roff.control("TH", [name.to_uppercase().as_str(), "1", build::DATE, &version(), ""]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(format!("{name} - {}'s words, run by plimsoll", tool.name))]);
    roff.control("SH", ["SYNOPSIS"]);
    for (at, usage) in tool.usage.iter().enumerate() {
        if at > 0 {
            roff.control("br", []);
        }
        roff.text([bold(format!("plimsoll {}", tool.name)), roman(" "), roman(*usage)]);
    }
    roff.control("SH", ["DESCRIPTION"]);
    roff.text([roman(tool.about)]);
    roff.control("SH", ["OPTIONS"]);
    entries.iter().filter(|entry| !entry.is_refused).for_each(|entry| of_entry(&mut roff, entry));
    if entries.iter().any(|entry| entry.is_refused) {
        roff.control("SH", ["REFUSED BY NAME"]);
        entries.iter().filter(|entry| entry.is_refused).for_each(|entry| of_entry(&mut roff, entry));
    }
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("plimsoll"), roman("(1), "), bold("plimsoll-explain"), roman("(1)")]);
    let mut text = Vec::new();
    roff.to_writer(&mut text)?;
    Ok(Page { name, roff: text })
}

fn of_entry(roff: &mut Roff, entry: &Entry) {
    roff.control("TP", []);
    let mut head: Vec<Inline> = Vec::new();
    for (at, typed) in entry.typed.iter().enumerate() {
        head.extend((at > 0).then(|| roman(", ")));
        head.push(bold(typed.as_str()));
    }
    head.push(italic(entry.value.as_str()));
    roff.text(head);
    let mut words = vec![sentence(entry.help)];
    words.extend((!entry.words.is_empty()).then(|| format!("One of: {}.", entry.words.join(", "))));
    words.extend((!entry.default.is_empty()).then(|| format!("Default: {}.", entry.default)));
    words.extend((entry.support != "honoured").then(|| sentence(&entry.support)));
    words.retain(|word| !word.is_empty());
    roff.text([roman(words.join(" "))]);
}

/// Starts the words with a capital and ends them with a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if words.ends_with(['.', ':']) { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// Returns the script by which `shell` completes plimsoll's command line, and those of other tools after their names.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut whole = TOOLS.iter().fold(Arguments::command(), |command, tool| {
        command.mut_subcommand(tool.name, |below| below.args(completed(&(tool.entries)())))
    });
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut whole, "plimsoll", &mut text);
    text
}

/// Returns the options that completions can offer: a letter after one dash, or a word after two.
fn completed(entries: &[Entry]) -> Vec<Arg> {
    let mut taken: Vec<String> = Vec::new();
    let mut arguments = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.is_refused) {
        let long = entry.typed.iter().find_map(|typed| typed.strip_prefix("--"));
        let short = entry.typed.iter().find_map(|typed| only(typed.strip_prefix('-')?));
        let name = long.map(str::to_owned).or(short.map(String::from));
        let Some(name) = name.filter(|name| !taken.contains(name)) else { continue };
        let action = if entry.value.is_empty() { ArgAction::SetTrue } else { ArgAction::Set };
        let mut argument = Arg::new(name.clone()).action(action).help(entry.help);
        if let Some(long) = long {
            argument = argument.long(long.to_owned());
        }
        if let Some(short) = short {
            argument = argument.short(short);
        }
        if !entry.words.is_empty() {
            argument = argument.value_parser(entry.words.clone());
        }
        taken.push(name);
        arguments.push(argument);
    }
    arguments
}

/// Returns the letter if the word is a single one.
fn only(word: &str) -> Option<char> {
    let mut letters = word.chars();
    letters.next().filter(|letter| *letter != '-' && letters.next().is_none())
}

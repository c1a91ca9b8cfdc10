//! Every option that takes a path, as the help lists it, with words by which its command runs in a moment. A new
//! option is tested without being listed; one that cannot be run fails the test, which says what to add.

mod outputs;
mod storage;
mod things;

use crate::machine::*;

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A file that is written; its path follows this prefix.
    Output(&'static str),
    /// A folder that is written to.
    Folder,
    /// Something that is read, or loaded.
    Input,
    /// No path.
    Other,
}

/// Kinds of values by their names in the help. Outputs are called `FILE` and `DIR`, and nothing else is.
const VALUES: &[(&str, Takes)] = &[
    ("FILE", Takes::Output("")),
    ("FORM", Takes::Output("json:")),
    ("DIR", Takes::Folder),
    ("RUN", Takes::Input),
    ("JOB", Takes::Input),
    ("DEVICE", Takes::Input),
    ("TARGET", Takes::Input),
];

/// Values that are no path.
const OTHERS: &[&str] = &[
    "RATES",
    "ADDR",
    "CLAIM",
    "CLAIMS",
    "DEVICE=WORDS",
    "DEVICES_IN",
    "FACTOR",
    "FORMAT",
    "HOST=TARGET",
    "LIBRARY",
    "MIX",
    "N",
    "NAME",
    "NAME=±TIME",
    "NUMBER",
    "OF",
    "PATTERN",
    "PLAN",
    "POLICY",
    "PRICE",
    "PRICES",
    "SEED",
    "SERIES",
    "SHARE",
    "SHARES",
    "SIZE",
    "TIME",
    "TOOL",
    "TYPE",
    "URL",
    "WAITING",
    "WxH",
];

/// Dialects have tables of their own.
const DIALECTS: [&str; 5] = ["fio", "diskspd", "ioping", "iostat", "help"];

/// An option that the help of a command lists.
#[derive(Clone, Debug)]
pub struct ListedOption {
    /// The command: `check`, or `lab up`.
    pub command: String,
    /// The option: `--html`.
    pub option: String,
    /// What it takes.
    pub takes: Takes,
}

impl ListedOption {
    /// Returns the words that run its command in a moment; an `@` is the test's folder, in which `run.plimsoll` is a run.
    pub fn words(&self) -> Vec<&'static str> {
        let fits = |(command, options, _): &&Row| {
            *command == self.command && (options.is_empty() || options.contains(&self.option.as_str()))
        };
        let row = RUNS.iter().find(fits);
        row.map(|(_, _, words)| words.to_vec()).unwrap_or_else(|| {
            panic!(
                "'plimsoll {} {}' takes a path: add a row with words that run it in a moment to RUNS",
                self.command, self.option
            )
        })
    }
}

type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Commands with the words that run them, for all of their options or only for those named.
const RUNS: &[Row] = &[
    ("check", &[], &["check", "sim:aws-gp3,size=100GiB"]),
    ("headroom", &[], &["headroom", "sim:aws-gp3", "--p99", "10ms"]),
    ("map", &[], &["map", "sim:aws-gp3"]),
    ("burst", &[], &["burst", "sim:aws-gp2,size=100GiB", "--yes"]),
    ("compare", &["--html"], &["compare", "@/run.plimsoll", "@/run.plimsoll"]),
    ("compare", &[], &["compare", "sim:custom,iops=3000", "sim:custom,iops=2850", "--blocks", "8"]),
    ("run", &[], &["run", "five-figures", "sim:aws-gp3"]),
    ("watch", &[], &["watch", "--for", "1"]),
    ("where", &[], &["where", "sim:aws-gp3"]),
    ("stream", &[], &["stream", "@/volume", "--size", "64M", "--time", "1s", "--busy"]),
    ("import", &[], &["import", "@/printed.json"]),
    ("report", &[], &["report", "@/run.plimsoll"]),
    ("size", &[], &["size", "@/disks.json"]),
    ("merge", &[], &["merge", "a=@/run.plimsoll", "b=@/run.plimsoll"]),
    ("trend", &[], &["trend", "@/run.plimsoll", "--no-store"]),
    ("profile from", &[], &["profile", "from", "@/disks.json", "--device", "vda"]),
    ("man", &[], &["man"]),
];

/// Returns every option with a value of every command, found in the help alone.
pub fn listed(folder: &Folder) -> Vec<ListedOption> {
    let mut found = Vec::new();
    gather(folder, &[], &mut found);
    assert!(found.len() > 100, "the help is no longer read: {} options with a value", found.len());
    found
}

fn gather(folder: &Folder, command: &[String], found: &mut Vec<ListedOption>) {
    let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let help = ended(&mut folder.plimsoll(&words)).out;
    found.extend(help.lines().filter_map(|line| option_of(line, &command.join(" "))));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
        name.split(' ').next()
    });
    for name in names.filter(|name| !DIALECTS.contains(name)) {
        gather(folder, &[command, &[name.to_owned()]].concat(), found);
    }
}

/// Returns the option in a line of help, if it takes a value: `  -o, --out <DIR>`, `--serve[=<ADDR>]`.
fn option_of(line: &str, command: &str) -> Option<ListedOption> {
    let line = line.trim_start();
    let at = line.starts_with('-').then(|| line.find("--"))??;
    let option = line[at..].split([' ', '[', '=']).next()?;
    let value = line[at + option.len()..].trim_start_matches(['[', '=', ' ']).strip_prefix('<')?;
    let value = value.split('>').next()?;
    let takes = VALUES.iter().find(|(name, _)| *name == value).map(|(_, takes)| *takes);
    let takes = takes.or_else(|| OTHERS.contains(&value).then_some(Takes::Other)).unwrap_or_else(|| {
        panic!(
            "'plimsoll {command} {option} <{value}>': what is that? Call what is written FILE or DIR, add <{value}> to \
             VALUES if it is a path, or else to OTHERS"
        )
    });
    Some(ListedOption { command: command.to_owned(), option: option.to_owned(), takes })
}

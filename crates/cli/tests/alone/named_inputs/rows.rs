//! Every argument that may name an input, as the help and the tables of the dialects list them. A new argument must
//! be given words here, or be listed as one that names none.

use super::Reads;
use crate::machine::*;

/// Dialects have tables of their own.
const DIALECTS: [&str; 5] = ["fio", "diskspd", "ioping", "iostat", "help"];

/// Values that name no file that is read.
const OTHERS: &[&str] = &[
    "RATES",
    "ADDR",
    "CLAIM",
    "CLAIMS",
    "CMD",
    "COMMAND",
    "DEVICE",
    "DEVICE=WORDS",
    "DEVICES_IN",
    "DOCUMENT",
    "FACTOR",
    "FORM",
    "FORMAT",
    "HOST=TARGET",
    "LIBRARY",
    "LESSON",
    "MIX",
    "N",
    "NAME",
    "NAME=±TIME",
    "NUMBER",
    "OF",
    "PARAMETERS",
    "PATTERN",
    "PLAN",
    "PRICE",
    "SEED",
    "SERIES",
    "SHARE",
    "SHARES",
    "SHELL",
    "SIZE",
    "TIME",
    "TOOL",
    "TYPE",
    "URL",
    "WAITING",
    "WxH",
];
/// Arguments that name a place that is written or measured.
const PLACES: &[(&str, &str)] = &[("stream", "DIR"), ("doctor", "TARGET"), ("policy list", "WORDS")];
/// Options that name a place in every command.
const PLACES_EVERYWHERE: [&str; 7] = ["--out", "--html", "--parquet", "--csv", "--to", "--png", "--svg"];

/// A row: the command, its argument, the words, whether it waits for a pipe, and what else it accepts.
type Row = (&'static str, &'static str, &'static [&'static str], bool, &'static [&'static str]);

const TARGETS: &[&str] = &["folder", "block"];
/// Folders are read in another way.
const FOLDER: &[&str] = &["folder"];
/// Only the beginning is read.
const BEGINNING: &[&str] = &["sparse"];
const NONE: &[&str] = &[];

/// The user's own policies and profiles are recognised by their extension.
const ROWS: &[Row] = &[
    ("check", "TARGET", &["check", "sim:%"], true, NONE),
    ("check", "--resume", &["check", "--resume", "%"], false, NONE),
    ("check", "--policy", &["check", "sim:aws-gp3", "--policy", "%"], true, NONE),
    ("headroom", "TARGET", &["headroom", "sim:%", "--p99", "10ms"], true, NONE),
    ("headroom", "--load", &["headroom", "sim:aws-gp3", "--p99", "10ms", "--load", "%"], true, NONE),
    ("headroom", "--policy", &["headroom", "sim:aws-gp3", "--p99", "10ms", "--policy", "%"], true, NONE),
    ("map", "TARGET", &["map", "sim:%"], true, NONE),
    ("burst", "TARGET", &["burst", "sim:%", "--yes"], true, NONE),
    ("burst", "--resume", &["burst", "--resume", "%"], false, NONE),
    ("burst", "--policy", &["burst", "sim:aws-gp2", "--policy", "%", "--yes"], true, NONE),
    ("compare", "SIDE", &["compare", "%", "@/run.plimsoll"], true, TARGETS),
    ("compare", "--policy", &["compare", "@/run.plimsoll", "@/run.plimsoll", "--policy", "%"], true, NONE),
    ("run", "PROFILE", &["run", "%", "null:"], true, NONE),
    ("run", "TARGET", &["run", "five-figures", "sim:%"], true, NONE),
    ("watch", "--policy", &["watch", "--for", "1", "--policy", "%"], true, NONE),
    ("watch", "--load", &["watch", "--load", "%"], true, NONE),
    ("watch", "--on", &["watch", "--load", "five-figures", "--on", "sim:%"], true, NONE),
    ("where", "TARGET", &["where", "sim:%"], true, NONE),
    ("profile from", "RECORDING", &["profile", "from", "%"], false, FOLDER),
    (
        "profile from",
        "--verify",
        &["profile", "from", "@/disks.json", "--device", "vda", "--verify", "sim:%"],
        true,
        NONE,
    ),
    ("profile show", "PROFILE", &["profile", "show", "%"], false, NONE),
    ("import", "FILE", &["import", "%"], true, FOLDER),
    ("report", "FILE", &["report", "%"], false, FOLDER),
    ("size", "RECORDING", &["size", "%"], false, FOLDER),
    ("size", "--policy", &["size", "@/disks.json", "--policy", "%"], true, NONE),
    ("size", "--present", &["size", "@/disks.json", "--present", "%"], true, NONE),
    ("size", "--prices", &["size", "@/disks.json", "--prices", "%"], true, NONE),
    ("merge", "RUN", &["merge", "%"], false, FOLDER),
    ("merge", "--alone", &["merge", "a=@/run.plimsoll", "b=@/run.plimsoll", "--alone", "%"], false, FOLDER),
    ("trend", "RUN|FOLDER", &["trend", "%"], false, FOLDER),
    ("list", "DIR", &["list", "%"], false, FOLDER),
    ("serve", "DIR", &["serve", "%"], false, FOLDER),
    ("lab up", "POLICY", &["lab", "up", "%"], true, NONE),
    ("lab run", "POLICY", &["lab", "run", "%", "--", "true"], true, NONE),
    ("policy show", "POLICY", &["policy", "show", "%"], false, NONE),
    ("policy check", "FILE", &["policy", "check", "%"], true, NONE),
    ("policy match", "RUN", &["policy", "match", "%"], false, FOLDER),
    ("explain", "WORDS", &["explain", "%"], true, NONE),
];

/// Commands that look a name up, or list a folder, and so need not report the kind of a file.
const NAMES_ALONE: [&str; 4] = ["profile show", "policy show", "list", "serve"];

/// Returns all arguments that name an input, with those of the dialects.
pub fn reads(folder: &Folder) -> Vec<Reads> {
    let mut found = Vec::new();
    gather(folder, &[], &mut found);
    assert!(found.len() > 25, "the help is no longer read: {} arguments", found.len());
    found.extend(of_fio());
    found.extend(of_diskspd());
    other_dialects_read_nothing();
    found
}

fn gather(folder: &Folder, command: &[String], found: &mut Vec<Reads>) {
    let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let help = ended(&mut folder.plimsoll(&words)).out;
    let command_words = command.join(" ");
    found.extend(help.lines().filter_map(argument_of).filter_map(|(name, value)| {
        let is_place =
            PLACES.contains(&(&command_words, &name)) || PLACES_EVERYWHERE.contains(&name.as_str());
        (!OTHERS.contains(&value.as_str()) && !is_place).then(|| read_by(&command_words, &name))
    }));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = commands.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
        name.split(' ').next()
    });
    for name in names.filter(|name| !DIALECTS.contains(name)) {
        gather(folder, &[command, &[name.to_owned()]].concat(), found);
    }
}

fn read_by(command: &str, name: &str) -> Reads {
    let row = ROWS.iter().find(|(of, argument, ..)| *of == command && *argument == name);
    let Some((_, _, words, waits, takes)) = row else {
        panic!(
            "'plimsoll {command}', {name}: does it name a file that is read? Then give ROWS a row with words that run it; else \
             say so in OTHERS or PLACES"
        )
    };
    let words = words.iter().map(|&word| word.to_owned()).collect();
    Reads { words, code: 2, waits: *waits, takes, says: !NAMES_ALONE.contains(&command) }
}

/// Returns the argument in a line of help and its value: `  -o, --out <DIR>`, `  <SIDE>...`, `  [TARGET]`.
fn argument_of(line: &str) -> Option<(String, String)> {
    let indented = line.strip_prefix("  ")?;
    let line = indented.trim_start();
    if indented.len() - line.len() > 4 {
        return None;
    }
    let value = |text: &str| {
        let inner = text.strip_prefix(['<', '['])?;
        let value: String = inner.chars().take_while(|c| !['>', ']'].contains(c)).collect();
        value.chars().all(|c| c.is_ascii_uppercase() || "_=x".contains(c)).then_some(value)
    };
    match line.find("--").filter(|_| line.starts_with('-')) {
        Some(at) => {
            let option = line[at..].split([' ', '[', '=']).next()?;
            let rest = line[at + option.len()..].trim_start_matches(['=', ' ']);
            Some((option.to_owned(), value(rest.trim_start_matches("[="))?))
        }
        None => value(line).map(|value| (value.clone(), value)),
    }
}

/// Options of fio's that name what is measured or written.
const FIO_TARGETS: [&str; 6] =
    ["filename", "directory", "filename_format", "opendir", "replay_redirect", "write_iolog"];
/// Words of fio that move no data.
const NULL: [&str; 5] = ["fio", "--name=a", "--ioengine=null", "--size=64k", "--bs=4k"];

fn of_fio() -> Vec<Reads> {
    let of = |words: Vec<String>, waits| Reads { words, code: 1, waits, takes: NONE, says: true };
    let with = |word: String| NULL.iter().map(|&word| word.to_owned()).chain([word]).collect();
    let paths = fio::ROWS.iter().filter(|row| !row.is_refused() && matches!(row.takes, fio::Kind::Path));
    let mut found: Vec<Reads> = paths
        .filter(|row| !FIO_TARGETS.contains(&row.name))
        .map(|row| of(with(format!("--{}=%", row.name)), true))
        .collect();
    assert!(!found.is_empty(), "fio's table has no option that names an input any more");
    found.push(of(vec!["fio".to_owned(), "%".to_owned()], true));
    let pattern = of(with("--buffer_pattern='%'".to_owned()), false);
    found.push(Reads { takes: BEGINNING, ..pattern });
    found
}

fn of_diskspd() -> Vec<Reads> {
    let files = diskspd::ROWS.iter().filter(|row| row.takes.contains("file") || row.takes.contains("path"));
    let of = |words: &[&str], code| {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Reads { words, code, waits: true, takes: NONE, says: true }
    };
    let read = |name: &str| match name {
        "X" => of(&["diskspd", "-X%"], 3),
        "Z" => Reads {
            takes: BEGINNING,
            ..of(&["diskspd", "-w100", "-d1", "-W0", "-c1M", "-b4K", "-Z4K,%", "@/written"], 1)
        },
        name => panic!("diskspd -{name}: say here whether it names a file that is read"),
    };
    files.map(|row| read(row.name)).collect()
}

fn other_dialects_read_nothing() {
    for entry in ioping::entries().iter().chain(&iostat::entries()) {
        let value = entry.value.to_lowercase();
        let may = ["file", "path"].iter().any(|word| value.contains(word));
        assert!(
            !may || ["-f", "-j"].contains(&entry.typed[0].as_str()),
            "{:?}: if it names what is read, test it here",
            entry.typed
        );
    }
}

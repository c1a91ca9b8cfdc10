//! Command lines as the documentation of providers, tools and articles prints them
//! (`tests/explain/pasted/published-*`, each with its source): each runs, with sizes and times shortened, or is
//! refused by name.

use std::path::PathBuf;

use explain::{Kind, Tool, find};

use crate::machine::*;

/// Words for which a line is refused, and the name in the refusal.
const REFUSED: [(&str, &str); 3] =
    // The last is ambiguous to fio too.
    [("ioengine=rbd", "ioengine=rbd"), ("ioengine=liburing", "liburing"), ("--buffer=1", "--buffered")];

/// Replacements of option values, so that a line is done in a moment, on small files of the test's own.
const SHORT: [(&str, &str); 12] = [
    ("filename", "@/f"),
    ("directory", "@"),
    ("size", "4m"),
    ("io_size", "4m"),
    ("filesize", "8m"),
    ("offset", "1m"),
    ("offset_increment", "256k"),
    ("runtime", "200ms"),
    ("ramp_time", "0"),
    ("iodepth", "8"),
    ("iodepth_batch_submit", "8"),
    ("iodepth_batch_complete_max", "8"),
];

struct Line {
    tool: Tool,
    words: Vec<String>,
    job_file: Option<String>,
}

fn lines() -> Vec<Line> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/explain/pasted");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let published =
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("published-"));
    published.flat_map(|path| of_page(&std::fs::read_to_string(path).unwrap())).collect()
}

/// Returns the lines of a page; a job file belongs to the command that names it, or is run by itself.
fn of_page(page: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for found in find(page) {
        match found.kind {
            Kind::JobFile(text) => {
                lines.push(Line {
                    tool: Tool::Fio,
                    words: vec!["jobs.ini".to_owned()],
                    job_file: Some(text),
                });
            }
            Kind::Command(tool, pieces) => {
                let words: Vec<String> = pieces.into_iter().map(|piece| piece.text).collect();
                let names_a_file =
                    words.last().is_some_and(|last| last.ends_with(".cfg") || last.ends_with(".ini"));
                let job_file = names_a_file.then(|| lines.pop().and_then(|line| line.job_file)).flatten();
                lines.push(Line { tool, words, job_file });
            }
        }
    }
    lines
}

/// Returns an option with its shortened value; any other word as it is.
fn shortened(word: &str) -> String {
    let bare = word.trim_start_matches('-');
    let dashes = &word[..word.len() - bare.len()];
    let Some((name, value)) = bare.split_once('=') else { return word.to_owned() };
    match SHORT.iter().find(|(option, _)| *option == name) {
        Some(_) if name.starts_with("iodepth") && value.parse::<u32>().is_ok_and(|typed| typed < 8) => {
            word.to_owned()
        }
        Some((_, short)) => format!("{dashes}{name}={short}"),
        None => word.to_owned(),
    }
}

fn fio(line: &Line, folder: &Folder) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = line.words.iter();
    while let Some(word) = rest.next() {
        let bare = word.trim_start_matches('-');
        let takes_the_next = SHORT.iter().any(|(option, _)| word.starts_with('-') && *option == bare);
        let whole = match takes_the_next {
            true => format!("{word}={}", rest.next().map_or("", String::as_str)),
            false => word.clone(),
        };
        words.push(shortened(&whole));
    }
    if let Some(text) = &line.job_file {
        let short: Vec<String> = text.lines().map(shortened).collect();
        let place = folder.path("jobs.ini");
        std::fs::write(&place, short.join("\n").replace('@', &folder.text("."))).unwrap();
        words.pop();
        words.push(place.display().to_string());
    } else if !words.iter().any(|word| word.contains("runtime=")) {
        words.push("--runtime=200ms".to_owned());
    }
    words
}

fn diskspd(line: &Line) -> Vec<String> {
    let short = |word: &String| match word.get(..2) {
        Some("-c") => "-c8M".to_owned(),
        Some("-d") => "-d1".to_owned(),
        Some("-W") => "-W0".to_owned(),
        Some("-Z") if word.len() > 3 => "-Z1M".to_owned(),
        _ if !word.starts_with('-') => "@/d.dat".to_owned(),
        _ => word.clone(),
    };
    ["-W0".to_owned()].into_iter().chain(line.words.iter().map(short)).collect()
}

fn ioping(line: &Line) -> Vec<String> {
    let at = |word: &String| match word.as_str() {
        "." | "/tmp" => "@".to_owned(),
        device if device.starts_with("/dev/") => "@/f".to_owned(),
        other => other.to_owned(),
    };
    ["-i", "5ms", "-w", "200ms"].map(str::to_owned).into_iter().chain(line.words.iter().map(at)).collect()
}

/// Returns the words for a single report.
fn iostat(line: &Line) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in &line.words {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        words.push(word.clone());
        if is_number {
            words.push("1".to_owned());
            break;
        }
    }
    words
}

/// Runs a line; returns what is wrong with its end.
fn fault(line: &Line) -> Option<String> {
    let folder = Folder::new();
    folder.make_file("f", 8);
    folder.make_file("d.dat", 8);
    let words = match line.tool {
        Tool::Fio => fio(line, &folder),
        Tool::DiskSpd => diskspd(line),
        Tool::Ioping => ioping(line),
        Tool::Iostat => iostat(line),
        Tool::Dd => return None,
    };
    let mut command: Vec<&str> = vec![line.tool.name()];
    command.extend(words.iter().map(String::as_str));
    let mut plimsoll = folder.plimsoll(&command);
    plimsoll.current_dir(folder.path("."));
    let ended = ended(&mut plimsoll);
    let typed = format!("{} {}", line.tool.name(), line.words.join(" "));
    let refused = REFUSED.iter().find(|(word, _)| typed.contains(word));
    match (refused, ended.code) {
        (Some((_, name)), Some(code)) if code != 0 && ended.err.contains(name) => None,
        (None, Some(0)) if did_something(line, &ended.out) => None,
        _ => Some(format!(
            "{typed}\n  as {words:?}\n  ended with {:?}: {} {}",
            ended.code, ended.out, ended.err
        )),
    }
}

/// Whether the result reports I/O, in the format that was asked for.
fn did_something(line: &Line, out: &str) -> bool {
    let asks = |word: &str| line.words.iter().any(|typed| typed.ends_with(word));
    match line.tool {
        Tool::Fio if asks("json") => out.contains("\"total_ios\" : "),
        Tool::Fio if asks("minimal") => out.starts_with("3;fio"),
        Tool::Fio => out.contains("err= 0") && out.contains("IOPS="),
        Tool::DiskSpd => out.contains("total:"),
        // In batch mode it prints one line of numbers.
        Tool::Ioping if asks("B") => out.split_whitespace().count() > 8,
        Tool::Ioping => out.contains("requests completed"),
        Tool::Iostat => out.contains("Device"),
        Tool::Dd => false,
    }
}

#[test]
#[ignore = "night: a quarter of a minute of runs"]
fn every_published_line_runs_or_is_refused_by_name() {
    let lines = lines();
    assert!(lines.len() >= 60, "{} lines", lines.len());
    let faults: Vec<String> = std::thread::scope(|scope| {
        let part = lines.len().div_ceil(4);
        let parts =
            lines.chunks(part).map(|part| scope.spawn(|| part.iter().filter_map(fault).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn a_path_of_windows_and_a_folder_are_refused_as_such() {
    let folder = Folder::new();
    let on_a_folder = ended(&mut folder.plimsoll(&["diskspd", "-d1", "@"]));
    // The same code as for what DiskSpd itself cannot open.
    assert_eq!(on_a_folder.code, Some(1), "{}", on_a_folder.err);
    assert!(on_a_folder.err.contains("is a directory"), "{}{}", on_a_folder.out, on_a_folder.err);
    let ended = ended(&mut folder.plimsoll(&["diskspd", "-c1M", "-d1", "C:\\test\\testfile.dat"]));
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(
        format!("{}{}", ended.out, ended.err).contains("a path of Windows"),
        "{}{}",
        ended.out,
        ended.err
    );
}

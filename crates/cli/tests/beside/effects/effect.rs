//! What a command line did: to files, by its counts and offsets, and by its exit code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::line::{Before, Line};
use crate::machine::{Peers, ProgramOutput, Who};

/// A file afterwards, compared with what it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEffect {
    /// Its length; `None` if there is no regular file.
    pub length: Option<u64>,
    /// Sectors of 512 bytes that differ from before; past the old end, those that are not zero.
    pub changed: Vec<u64>,
}

/// What a job reports by direction: operations and bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEffect {
    pub error: i64,
    pub done: [(u64, u64); 2],
}

/// Everything that a line did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub code: Option<i32>,
    pub files: BTreeMap<String, FileEffect>,
    pub jobs: Vec<(String, JobEffect)>,
    /// Direction, offset and length of each I/O, in order, for each log by its name.
    pub places: BTreeMap<String, Vec<(u64, u64, u64)>>,
    pub said: String,
}

/// Returns bytes that are never zero over a whole sector, and that differ from sector to sector.
fn data(bytes: u64) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8 | 1).collect()
}

pub fn prepare(place: &Path, name: &str, before: Before) {
    let path = place.join(name);
    match before {
        Before::Missing => {}
        Before::Data(bytes) => fs::write(path, data(bytes)).unwrap(),
        Before::Hole(bytes) => fs::File::create(path).unwrap().set_len(bytes).unwrap(),
        Before::Folder => fs::create_dir(path).unwrap(),
        Before::Link(bytes) => {
            fs::write(place.join(format!("behind-{name}")), data(bytes)).unwrap();
            std::os::unix::fs::symlink(format!("behind-{name}"), path).unwrap();
        }
        Before::Dangling => std::os::unix::fs::symlink(format!("nothing-{name}"), path).unwrap(),
    }
}

pub fn content(before: Before) -> Vec<u8> {
    match before {
        Before::Data(bytes) | Before::Link(bytes) => data(bytes),
        Before::Hole(bytes) => vec![0; bytes as usize],
        Before::Missing | Before::Folder | Before::Dangling => Vec::new(),
    }
}

pub fn file_effect(path: &Path, before: &[u8]) -> FileEffect {
    let Some(after) = fs::read(path).ok() else { return FileEffect { length: None, changed: Vec::new() } };
    let sector = |bytes: &[u8], at: usize| -> Vec<u8> {
        let mut sector = bytes[at.min(bytes.len())..(at + 512).min(bytes.len())].to_vec();
        sector.resize(512, 0);
        sector
    };
    let changed =
        (0..after.len().div_ceil(512)).filter(|n| sector(&after, n * 512) != sector(before, n * 512));
    FileEffect { length: Some(after.len() as u64), changed: changed.map(|n| n as u64).collect() }
}

/// Runs `line` in a new folder for `who`.
pub fn effect(peers: &Peers, who: Who, line: &Line) -> Effect {
    let place = peers.folder.path(&format!("{who:?}"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let names = ["f", "g"];
    names.iter().zip(line.before).for_each(|(name, before)| prepare(&place, name, before));
    let words = format!("--output-format=json --write_lat_log=log --log_offset=1 {}", line.words.join(" "));
    let ended = peers.run_in(&place, who, &words);
    let files = names.iter().zip(line.before);
    let files =
        files.map(|(name, before)| ((*name).to_owned(), file_effect(&place.join(name), &content(before))));
    Effect {
        code: ended.code,
        files: files.collect(),
        jobs: jobs(&ended),
        places: places(&place),
        said: format!("{} {}", ended.err, before_json(&ended.out))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// Returns the notes and errors that fio prints before its JSON.
fn before_json(text: &str) -> &str {
    if text.starts_with('{') { "" } else { text.find("\n{").map_or(text, |at| &text[..at]) }
}

fn jobs(ended: &ProgramOutput) -> Vec<(String, JobEffect)> {
    let document: Value =
        serde_json::from_str(&ended.out[before_json(&ended.out).len()..]).unwrap_or(Value::Null);
    let of = |job: &Value| {
        let direction = |name: &str| {
            let number = |key: &str| job[name][key].as_u64().unwrap_or(0);
            (number("total_ios"), number("io_bytes"))
        };
        let error = job["error"].as_i64().unwrap_or(0);
        let name = job["jobname"].as_str().unwrap_or_default().to_owned();
        (name, JobEffect { error, done: [direction("read"), direction("write")] })
    };
    document["jobs"].as_array().into_iter().flatten().map(of).collect()
}

/// Returns the rows of the latency logs, without time and latency.
fn places(place: &Path) -> BTreeMap<String, Vec<(u64, u64, u64)>> {
    let logs = fs::read_dir(place)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("log_lat"));
    let rows = |path: &Path| -> Vec<(u64, u64, u64)> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let row = |line: &str| {
            let fields: Vec<u64> = line.split(',').filter_map(|field| field.trim().parse().ok()).collect();
            (fields.len() >= 5).then(|| (fields[2], fields[4], fields[3]))
        };
        text.lines().filter_map(row).collect()
    };
    let named = logs.map(|entry| (entry.file_name().to_string_lossy().into_owned(), rows(&entry.path())));
    named.filter(|(_, rows)| !rows.is_empty()).collect()
}

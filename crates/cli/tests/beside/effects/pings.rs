//! The same for ioping: random small command lines, run by the real ioping and ours on copies of the same files.

use std::fs;
use std::process::{Command, Stdio};

use statistics::Stream;

use super::effect::{FileEffect, content, file_effect, prepare};
use super::line::Before;
use crate::machine::{Folder, ProgramOutput, ended};

/// What a line did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PingEffect {
    /// The exit code.
    pub code: Option<i32>,
    /// Every name afterwards, with its length.
    pub listing: Vec<(String, u64)>,
    /// The effect on `f`.
    pub file: FileEffect,
    /// Number of requests done, from the raw statistics.
    pub requests: Option<u64>,
}

/// A line in ioping's words, and what `f` is before.
#[derive(Clone, Debug)]
pub struct Ping {
    pub before: Before,
    pub words: Vec<String>,
}

impl Ping {
    /// Draws the line of this seed.
    pub fn drawn(seed: u64) -> Ping {
        let mut stream = Stream::new(seed, 1);
        let mut below = |n: u64| stream.below(n);
        let bytes = [65_536, 1_048_576, 2_097_152, 1_000_000, 4096, 0][below(6) as usize];
        let before = match below(10) {
            0 => Before::Missing,
            1 => Before::Hole(bytes),
            2 => Before::Folder,
            3 => Before::Link(bytes),
            4 => Before::Dangling,
            _ => Before::Data(bytes),
        };
        let mut words: Vec<String> = vec!["-B".into(), "-i".into(), "0".into(), "-a".into(), "0".into()];
        let rows: [(&str, u64, &[&str]); 13] = [
            ("-c", 1, &["1", "5", "20"]),
            ("-s", 2, &["512", "8k", "64k", "3k", "0", "2m", "1"]),
            ("-S", 3, &["64k", "2m", "100k", "0", "4k"]),
            ("-o", 3, &["64k", "4k", "1m", "100"]),
            ("-L", 2, &[""]),
            ("-W", 4, &[""]),
            ("-WWW", 4, &[""]),
            ("-D", 4, &[""]),
            ("-C", 6, &[""]),
            ("-A", 6, &[""]),
            ("-Y", 8, &[""]),
            ("-k", 5, &[""]),
            ("-G", 8, &[""]),
        ];
        for (word, one_in, values) in rows {
            if below(one_in) == 0 {
                words.push(word.to_owned());
                let value = values[below(values.len() as u64) as usize];
                if !value.is_empty() {
                    words.push(value.to_owned());
                }
            }
        }
        words.push(if below(6) == 0 { "." } else { "f" }.to_owned());
        Ping { before, words }
    }

    /// Whether no random stream decides which places are accessed.
    pub fn is_ordered(&self) -> bool {
        self.words.iter().any(|word| word == "-L")
    }
}

/// Runs `line` with ours under the name `ours`, or with the real ioping if that is `None`, in a new folder.
pub fn ping_effect(folder: &Folder, ours: Option<&str>, line: &Ping) -> (PingEffect, String) {
    let place = folder.path(if ours.is_some() { "ours" } else { "real" });
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    prepare(&place, "f", line.before);
    let mut command = match ours {
        Some(dialect) => folder.plimsoll(&[dialect]),
        None => Command::new("ioping"),
    };
    let ended: ProgramOutput = ended(command.args(&line.words).current_dir(&place).stdin(Stdio::null()));
    let mut listing: Vec<(String, u64)> = fs::read_dir(&place)
        .unwrap()
        .flatten()
        .map(|entry| {
            let length =
                fs::symlink_metadata(entry.path()).map_or(0, |m| if m.is_dir() { 0 } else { m.len() });
            (entry.file_name().to_string_lossy().into_owned(), length)
        })
        .collect();
    listing.sort();
    let mut file = file_effect(&place.join("f"), &content(line.before));
    if !line.is_ordered() {
        // The random places differ between the tools, so only whether anything changed is compared.
        file.changed.truncate(1);
        file.changed.iter_mut().for_each(|sector| *sector = 0);
    }
    let requests = ended.out.split_whitespace().next().and_then(|word| word.parse().ok());
    (PingEffect { code: ended.code, listing, file, requests }, ended.err + &ended.out)
}

//! Random small command lines, and the files on which they run.

use statistics::Stream;

/// What exists under a name before a line is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Missing,
    /// This many bytes of data, all written.
    Data(u64),
    /// This many bytes that were never written.
    Hole(u64),
    /// A folder.
    Folder,
    /// A link to the file `behind`, which holds this many bytes of data.
    Link(u64),
    /// A link to nothing.
    Dangling,
}

/// A command line in fio's words for the files `f` and `g`, and what these are before.
#[derive(Clone, Debug)]
pub struct Line {
    /// The state of `f` and `g` before the run.
    pub before: [Before; 2],
    /// The words of the line.
    pub words: Vec<String>,
}

impl Line {
    /// Draws the line of this seed.
    pub fn drawn(seed: u64) -> Line {
        let mut draw = Draw(Stream::new(seed, 0));
        let before = [draw.before(), draw.before()];
        let mut words = draw.common();
        words.extend(draw.job("one", "f"));
        if draw.one_in(4) {
            let file = if draw.one_in(3) { "f" } else { "g" };
            words.extend(draw.job("two", file));
            if draw.one_in(2) {
                words.push("--stonewall".to_owned());
            }
        }
        Line { before, words }
    }

    /// Whether the line contains `word`, alone or with a value.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|given| {
            given.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }

    /// Returns the values given to `word`.
    pub fn values(&self, word: &str) -> Vec<&str> {
        let value = |given: &'_ str| -> Option<usize> {
            given.strip_prefix(word)?.strip_prefix('=').map(|value| given.len() - value.len())
        };
        self.words.iter().filter_map(|given| value(given).map(|at| &given[at..])).collect()
    }

    /// Whether the set of written sectors is certain: they are written in order, or each block of a region is written once.
    pub fn meets_known_sectors(&self) -> bool {
        let mixed = self.values("--rw").iter().any(|rw| matches!(*rw, "rw" | "randrw"));
        let partly = ["--norandommap", "--io_size", "--number_ios"].iter().any(|word| self.has(word));
        self.is_ordered() || !mixed && !partly
    }

    /// Whether no random stream decides order or amounts, so that both tools have the same for each direction.
    pub fn is_ordered(&self) -> bool {
        self.values("--rw").iter().all(|rw| matches!(*rw, "read" | "write")) && !self.has("--bsrange")
    }

    /// Whether the number of operations is random because their lengths are.
    pub fn has_random_lengths(&self) -> bool {
        let both = |rw: &&str| matches!(*rw, "rw" | "randrw");
        self.has("--bsrange")
            || self.values("--bs").contains(&"4k,8k") && self.values("--rw").iter().any(both)
    }
}

/// Draws from a seeded stream.
struct Draw(Stream);

impl Draw {
    fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.0.below(choices.len() as u64) as usize]
    }

    fn before(&mut self) -> Before {
        let bytes = [65_536, 262_144, 1_048_576, 1_000_000, 4096, 0][self.0.below(6) as usize];
        match self.0.below(16) {
            0..=2 => Before::Missing,
            3 => Before::Hole(bytes),
            4 => Before::Folder,
            5 => Before::Link(bytes),
            6 => Before::Dangling,
            _ => Before::Data(bytes),
        }
    }

    fn common(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        if self.one_in(6) {
            words.push("--readonly".to_owned());
        }
        words
    }

    /// Returns the words of one job; all but the first few occur in only a fraction of jobs.
    fn job(&mut self, name: &str, file: &str) -> Vec<String> {
        let mut words = vec![format!("--name={name}"), format!("--filename={file}")];
        let rw = self.of(&["read", "read", "randread", "write", "randwrite", "write", "rw", "randrw"]);
        words.push(format!("--rw={rw}"));
        let rows: [(&str, u64, &[&str]); 26] = [
            ("bs", 2, &["4k", "8k", "16k", "512", "3k", "64k", "4k,8k"]),
            ("filesize", 5, &["64k", "256k", "512k", "2m", "100k"]),
            ("offset", 4, &["0", "16k", "64k", "100k", "25%", "1m", "4k"]),
            ("io_size", 6, &["32k", "512k", "2m"]),
            ("number_ios", 12, &["1", "10", "1000"]),
            ("loops", 12, &["2"]),
            ("numjobs", 6, &["2", "3"]),
            ("offset_increment", 8, &["64k", "16k", "10%"]),
            ("ioengine", 2, &["psync", "libaio", "io_uring", "sync", "pvsync2"]),
            ("iodepth", 3, &["1", "4", "16"]),
            ("direct", 3, &["0", "1"]),
            ("verify", 8, &["crc32c", "md5", "xxhash"]),
            ("do_verify", 12, &["0", "1"]),
            ("overwrite", 12, &["1"]),
            ("create_only", 16, &["1"]),
            ("allow_file_create", 12, &["0"]),
            ("fallocate", 8, &["none", "native"]),
            ("end_fsync", 8, &["1"]),
            ("fsync", 10, &["8"]),
            ("invalidate", 8, &["0", "1"]),
            ("norandommap", 10, &["1"]),
            ("file_append", 16, &["1"]),
            ("unlink", 16, &["1"]),
            ("thread", 4, &["1"]),
            ("create_on_open", 16, &["1"]),
            ("bsrange", 16, &["4k-16k"]),
        ];
        if !self.one_in(5) {
            let sizes = ["64k", "100k", "256k", "1m", "1025k", "0", "50%", "4k", "2m", "100%"];
            words.push(format!("--size={}", self.of(&sizes)));
        }
        for (word, one_in, values) in rows {
            if self.one_in(one_in) {
                words.push(format!("--{word}={}", self.of(values)));
            }
        }
        words
    }
}

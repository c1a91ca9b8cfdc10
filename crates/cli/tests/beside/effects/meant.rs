//! Intended differences from the real fio, each with the words by which `docs/reference/fio-faults.md` and
//! `docs/reference/fio.md` describe it.

use super::effect::{Effect, content};
use super::line::Line;

/// An aspect in which two effects can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The exit code.
    Code,
    /// The error of a job.
    Error,
    /// The length of a file.
    Length,
    /// The sectors whose data differs from before.
    Sectors,
    /// Operations and bytes.
    Amount,
    /// Offsets and lengths.
    Places,
}

/// A line, and what both tools did with it.
pub struct Pair<'a> {
    pub line: &'a Line,
    pub real: &'a Effect,
    pub ours: &'a Effect,
}

type Rule = (&'static str, &'static [Aspect], fn(&Pair<'_>) -> bool);

use Aspect::{Amount, Code, Error, Length, Places, Sectors};

const RULES: [Rule; 14] = [
    (
        "a file that is too short for a job that only reads is kept, not replaced",
        &[Code, Error, Length, Sectors, Amount, Places],
        |pair| pair.ours.said.contains("refusing to replace") && pair.ours.code != Some(0),
    ),
    ("under --readonly nothing is read of a file that is too short", &[Amount, Places], |pair| {
        pair.ours.said.contains("refusing extend of file due to read-only") && pair.both_fail()
    }),
    (
        "what cannot begin is an error of its job, and no region without a block ends with 0",
        &[Code, Error, Amount],
        |pair| {
            let said = format!("{} {}", pair.real.said, pair.ours.said);
            let words = [
                "valid offset=",
                "blocksize is larger",
                "file creation disallowed",
                "does not fit into a region",
                "hold no block of",
                "size too small",
            ];
            words.iter().any(|words| said.contains(words)) && pair.ours.code != Some(0)
        },
    ),
    (
        "a size that is no whole number of blocks bounds every byte: the last block is left out",
        &[Amount, Places, Sectors, Length],
        |pair| pair.ours_does_less_by(&|block, passes| block * passes) && pair.changes_no_more(),
    ),
    (
        "a file that is too short for a job that writes is lengthened, not emptied first",
        &[Length, Sectors],
        |pair| pair.real_empties() && pair.keeps_at_least(),
    ),
    (
        "allow_file_create=0 forbids to make a file, not to lengthen one that is there, and removes none",
        &[Code, Error, Length, Sectors, Amount, Places],
        |pair| pair.line.has("--allow_file_create") && pair.real.said.contains("file creation disallowed"),
    ),
    (
        "fio takes blocks of several writers, or written more than once, for damaged; they are not",
        &[Code, Error, Amount, Places],
        |pair| {
            pair.line.has("--verify")
                && pair.has_error(84)
                && pair.ours.jobs.iter().all(|(_, job)| job.error != 84)
        },
    ),
    ("an I/O whose check failed is in no log", &[Places], |pair| {
        pair.line.has("--verify") && pair.has_error(84)
    }),
    (
        "random blocks longer than those of the other direction leave nothing out",
        &[Sectors, Amount],
        |pair| {
            pair.line.values("--bs").contains(&"4k,8k") && !pair.line.is_ordered() && pair.ours_does_more()
        },
    ),
    (
        "two jobs at once on one file that is made meanwhile: what the second finds is chance",
        &[Length, Sectors, Amount, Places],
        |pair| pair.line.values("--filename") == ["f", "f"] && !pair.line.has("--stonewall"),
    ),
    (
        "create_on_open: files are laid out before the load, so that making them is not measured",
        &[Code, Error, Length, Sectors, Amount, Places],
        |pair| pair.line.has("--create_on_open"),
    ),
    (
        "a percentage of a file that is not there as long yet is one of its length to be",
        &[Length, Sectors, Places],
        |pair| pair.line.values("--offset_increment").contains(&"10%") && pair.grows(),
    ),
    (
        "file_append begins behind the end of what was there, and io_size is done in full",
        &[Length, Sectors, Amount, Places],
        |pair| pair.line.has("--file_append") && pair.line.has("--io_size"),
    ),
    ("a folder is named as what is wrong before the region is looked at", &[Error], |pair| {
        pair.ours.said.contains("is a directory") && pair.both_fail()
    }),
];

/// Returns why a difference in this aspect is intended; `None` if it is not.
pub fn meant(pair: &Pair<'_>, aspect: Aspect) -> Option<&'static str> {
    let mut rules = RULES.iter().filter(|(_, aspects, _)| aspects.contains(&aspect));
    rules.find(|(_, _, holds)| holds(pair)).map(|(words, ..)| *words)
}

/// Reads a size in fio's notation as bytes; `None` for a percentage.
fn bytes(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &word[digits.len()..] {
        "" => 1,
        "k" => 1024,
        "m" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok().map(|number| number * unit)
}

impl Pair<'_> {
    fn both_fail(&self) -> bool {
        self.real.code != Some(0) && self.ours.code != Some(0)
    }

    fn has_error(&self, error: i64) -> bool {
        self.real.jobs.iter().any(|(_, job)| job.error == error)
    }

    /// Whether every job of ours did as much as fio's, or fell short by no more than `least` gives for its largest
    /// block and its passes.
    fn ours_does_less_by(&self, least: &dyn Fn(u64, u64) -> u64) -> bool {
        let blocks = self.line.values("--bs").into_iter().flat_map(|block| block.split(','));
        let block = blocks.filter_map(bytes).fold(4096, u64::max);
        let block = if self.line.has("--bsrange") { block.max(16 << 10) } else { block };
        let jobs = self.real.jobs.iter().zip(&self.ours.jobs);
        let moved = |job: &super::effect::JobEffect| job.done[0].1 + job.done[1].1;
        jobs.map(|(real, ours)| (moved(&real.1), moved(&ours.1))).all(|(real, ours)| {
            // A region of at least one block is passed once, twice with two loops, and as often as `io_size` fills it.
            let passes = 2 + real / ours.max(1);
            ours <= real && (ours > 0) == (real > 0) && real - ours <= least(block, passes)
        })
    }

    fn ours_does_more(&self) -> bool {
        let moved = |job: &super::effect::JobEffect| job.done[0].1 + job.done[1].1;
        let mut jobs = self.real.jobs.iter().zip(&self.ours.jobs);
        jobs.all(|(real, ours)| moved(&real.1) <= moved(&ours.1))
    }

    fn changes_no_more(&self) -> bool {
        let more = |name: &String| self.ours.files[name].changed.len() > self.real.files[name].changed.len();
        let longer = |name: &String| self.ours.files[name].length > self.real.files[name].length;
        !self.line.is_ordered() || !self.real.files.keys().any(|name| more(name) && !longer(name))
    }

    /// Whether a writing job finds a file that holds data and is shorter than it must become.
    fn real_empties(&self) -> bool {
        let writes = self.line.values("--rw").iter().any(|rw| !matches!(*rw, "read" | "randread"));
        let sizes = ["--size", "--filesize", "--offset"].iter().flat_map(|word| self.line.values(word));
        let end: u64 = sizes.filter_map(bytes).sum();
        let held = self.line.before.iter().map(|before| content(*before).len() as u64);
        writes && held.filter(|held| *held > 0).any(|held| held < end)
    }

    /// Whether no file of ours is shorter than fio's.
    fn keeps_at_least(&self) -> bool {
        self.real.files.iter().all(|(name, real)| self.ours.files[name].length >= real.length)
    }

    /// Whether a file became longer.
    fn grows(&self) -> bool {
        let held = self.line.before.iter().map(|before| content(*before).len() as u64);
        self.real.files.values().zip(held).any(|(file, held)| file.length.is_some_and(|length| length > held))
    }
}

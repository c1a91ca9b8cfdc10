//! The options of one job, before they are expanded into clones and files.

use std::path::PathBuf;

use workload::{Act, FileOrder, FileTurn, Lengths, Nanos, Spread};

use super::batching::BatchOptions;
use super::bounds::BoundOptions;
use super::engines::Engine;
use super::files::typed_names;
use super::flushing::CallOptions;
use super::logging::LogOptions;
use super::number::KbBase;
use super::ring::RingOptions;
use super::shape::ShapeValue;
use super::steady::options::SteadyOptions;
use super::terms::TimeOptions;
use super::trace::TraceOptions;
use super::value::{Amount, Each, Floats, Value};
use super::verification::VerifyOptions;

/// Direction and order of the I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Whether reads are issued.
    pub reads: bool,
    /// Whether writes are issued.
    pub writes: bool,
    /// Whether trims are issued.
    pub trims: bool,
    /// Whether offsets are random.
    pub random: bool,
}

impl Pattern {
    /// Pattern of a word of `rw`.
    pub fn named(word: &str) -> Pattern {
        let kind = word.strip_prefix("rand").unwrap_or(word);
        Pattern {
            reads: matches!(kind, "read" | "rw" | "readwrite"),
            writes: matches!(kind, "write" | "rw" | "readwrite" | "trimwrite"),
            trims: kind.starts_with("trim"),
            random: word.starts_with("rand"),
        }
    }

    /// Whether both reads and writes are issued.
    pub fn mixed(self) -> bool {
        self.reads && self.writes
    }

    /// Whether existing data may be overwritten.
    pub fn destroys(self) -> bool {
        self.writes || self.trims
    }

    /// The word that fio prints for the pattern.
    pub fn word(self) -> &'static str {
        let [in_order, at_random] = match (self.reads, self.writes, self.trims) {
            (true, true, _) => ["rw", "randrw"],
            (true, ..) => ["read", "randread"],
            (false, true, false) => ["write", "randwrite"],
            (false, true, true) => ["trimwrite", "randtrimwrite"],
            (false, false, _) => ["trim", "randtrim"],
        };
        if self.random { at_random } else { in_order }
    }

    /// The letter of a running job in the status line.
    pub fn letter(self) -> char {
        let letter = match (self.reads, self.writes) {
            (true, true) => 'M',
            (true, false) => 'R',
            (false, true) => 'W',
            (false, false) => 'D',
        };
        if self.random { letter.to_ascii_lowercase() } else { letter }
    }
}

/// Whether directions are reported together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnifiedReport {
    /// Each direction separately.
    #[default]
    Apart,
    /// All directions together.
    Mixed,
    /// Each direction separately, and all together.
    Both,
}

impl UnifiedReport {
    /// The variant for a word of the option table.
    pub fn named(word: &str) -> UnifiedReport {
        match word {
            "mixed" | "1" => UnifiedReport::Mixed,
            "both" | "2" => UnifiedReport::Both,
            _ => UnifiedReport::Apart,
        }
    }
}

/// Options of one job. `default` is the state before fio's defaults are set: those are in the rows, and
/// [`JobOptions::untyped`] applies them.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // Each field is the option of its name in the table, which says what it means.
pub struct JobOptions {
    pub name: Option<String>,
    /// All options as typed, in the order in which they take effect, the global ones first, by canonical name.
    pub typed: Vec<(&'static str, String)>,
    pub exec_prerun: Option<String>,
    pub exec_postrun: Option<String>,
    pub description: Option<String>,
    pub numjobs: u32,
    pub loops: u64,
    pub thread: bool,
    pub stonewall: bool,
    pub new_group: bool,
    pub runtime: Nanos,
    pub time_based: bool,
    pub ramp_time: Nanos,
    pub time: TimeOptions,
    pub filename: Option<String>,
    pub directory: Option<String>,
    pub filename_format: String,
    pub nrfiles: u32,
    pub openfiles: u32,
    pub file_turn: FileTurn,
    pub size: Option<Amount>,
    pub filesize: u64,
    pub filesize_least: u64,
    pub opendir: Option<String>,
    /// Files found below `opendir`.
    pub found: Vec<PathBuf>,
    pub file_append: bool,
    pub io_size: Option<Amount>,
    pub offset: Amount,
    pub offset_align: u64,
    pub offset_increment: Amount,
    pub number_ios: u64,
    pub fallocate: &'static str,
    pub fadvise_hint: &'static str,
    pub allow_file_create: bool,
    pub unlink: bool,
    pub overwrite: bool,
    pub create_only: bool,
    pub pre_read: bool,
    pub strided: bool,
    pub zoned_device: bool,
    pub zonesize: u64,
    pub zonerange: u64,
    pub zoneskip: u64,
    pub pattern: Pattern,
    pub rw_number: i64,
    pub rw_identical: bool,
    pub direct: bool,
    pub rwmix_read: u8,
    pub rwmix_typed: bool,
    pub percentage_random: Each<u64>,
    pub spread: Spread,
    pub sequence_advances: bool,
    pub norandommap: bool,
    pub lfsr: bool,
    pub randrepeat: bool,
    pub randseed: u64,
    /// Whether `randseed` was typed: the seed then applies in every run, whatever `randrepeat` says.
    pub randseed_typed: bool,
    pub bs: Each<u64>,
    pub bsrange: Each<Option<Lengths>>,
    pub bssplit: Each<Option<Lengths>>,
    pub bs_unaligned: bool,
    pub bs_is_seq_rand: bool,
    pub ba: Each<u64>,
    pub fsync: u32,
    pub fdatasync: u32,
    pub end_fsync: bool,
    pub fsync_on_close: bool,
    pub calls: CallOptions,
    pub trace: TraceOptions,
    pub fill_device: bool,
    pub serialize_overlap: bool,
    pub engine: Engine,
    pub iodepth: u32,
    pub batch: BatchOptions,
    pub ring: RingOptions,
    pub zero_buffers: bool,
    pub refill_buffers: bool,
    pub scramble_buffers: bool,
    pub verify: VerifyOptions,
    pub buffer_pattern: Option<workload::Pattern>,
    pub compress_percentage: u8,
    pub compress_chunk: u64,
    pub dedupe_percentage: u8,
    pub dedupe_set: bool,
    pub dedupe_global: bool,
    pub dedupe_set_percentage: u64,
    pub invalidate: bool,
    pub rate: Each<u64>,
    pub rate_iops: Each<u64>,
    pub poisson: bool,
    pub bounds: BoundOptions,
    pub cpus: Vec<u32>,
    pub cpus_split: bool,
    pub group_reporting: bool,
    pub bwavgtime: Nanos,
    pub lat: bool,
    pub clat: bool,
    pub slat: bool,
    pub windows: bool,
    pub slat_percentiles: bool,
    pub clat_percentiles: bool,
    pub lat_percentiles: bool,
    pub percentile_list: Floats,
    pub significant_figures: u32,
    pub kb_base: KbBase,
    pub disk_util: bool,
    pub logs: LogOptions,
    pub steady: SteadyOptions,
    pub stats: bool,
    pub unified: UnifiedReport,
    pub bits: bool,
}

impl JobOptions {
    /// Sets a seed that applies in every run.
    pub fn set_seed(&mut self, seed: u64) {
        self.randseed = seed;
        self.randseed_typed = true;
    }

    /// Whether the run ends by time alone.
    pub fn ends_by_time(&self) -> bool {
        self.time_based && self.runtime > Nanos::ZERO
    }

    /// Number of files that the job keeps to, because it goes on to another one only where one is done, and random places
    /// that come again never are (fio 3.33, by its traces); `None` if it comes to all.
    pub fn keeps_to(&self) -> Option<usize> {
        let comes_again = self.norandommap && !self.lfsr || self.spread != Spread::Uniform;
        let never_done = self.ends_by_time() || comes_again && self.percentage_random == [100; 3];
        let one = (self.file_turn.order == FileOrder::OneByOne).then_some(1);
        let kept = one.or(Some(self.openfiles as usize)).filter(|files| *files > 0);
        kept.filter(|_| self.pattern.random && never_done)
    }

    /// Whether fio keeps no map of random places, so that they come again: so it was typed, or places are multiples of
    /// another length than the shortest of their direction (`blockalign`).
    pub fn has_no_map(&self) -> bool {
        self.norandommap
            || (0..self.ba.len()).any(|at| self.ba[at] > 0 && self.ba[at] != self.lengths(at).shortest().0)
    }

    /// Whether existing data may be destroyed: by the engine's operation, or by writes and trims.
    pub fn destroys(&self) -> bool {
        match self.engine.act() {
            Act::Move => self.pattern.destroys(),
            act => act.changes(),
        }
    }

    /// Makes a job that only reads, with a saved state, check what the saving job wrote: the same offsets, no further.
    pub fn read_what_was_written(&mut self) {
        if self.verify.state_load && self.pattern.reads && !self.pattern.destroys() {
            (self.pattern.reads, self.pattern.writes, self.verify.only) = (false, true, true);
        }
    }

    /// Whether each run visits the same places.
    pub fn repeats(&self) -> bool {
        self.randrepeat || self.randseed_typed
    }

    /// Turns off the latencies that fio's `gtod_reduce` turns off.
    pub fn reduce_clock(&mut self, value: &Value) {
        if value.on() {
            (self.lat, self.clat, self.slat) = (false, false, false);
        }
    }

    /// Sets the percentiles to print, in ascending order.
    pub fn set_percentiles(&mut self, value: &Value) {
        if let Value::Floats(floats) = value {
            self.percentile_list = floats.clone();
            self.percentile_list.values.sort_by(f64::total_cmp);
        }
    }

    /// Sets the lengths of the directions that were typed.
    pub fn set_lengths(target: &mut Each<Option<Lengths>>, value: &Value) {
        if let Value::Shape(ShapeValue::Lengths(typed)) = value {
            for (place, lengths) in target.iter_mut().zip(typed) {
                if lengths.is_some() {
                    place.clone_from(lengths);
                }
            }
        }
    }

    /// Adds files or devices to those already named: fio 3.33 uses all of them, those of `[global]` as well as those of
    /// the job's own section. They lie in the first directory that is known by then, even those with an absolute name.
    pub fn add_filename(&mut self, names: &str) {
        let directory = self.directory.as_deref().and_then(|list| typed_names(list).next());
        let placed = |name: &str| match directory {
            Some(directory) if !name.is_empty() => {
                format!("{}/{}", directory.trim_end_matches('/'), name.trim_start_matches('/'))
            }
            _ => name.to_owned(),
        };
        let known = self.filename.take().filter(|known| !known.is_empty());
        let names: Vec<String> = known.into_iter().chain(typed_names(names).map(placed)).collect();
        self.filename = Some(names.join(":"));
    }

    /// Sets the pattern from a word of `rw`, and the number after its colon.
    pub fn set_direction(&mut self, value: &Value) {
        if let Value::Shape(ShapeValue::Direction(word, number)) = value {
            self.pattern = Pattern::named(word);
            self.rw_number = number.unwrap_or(0);
        }
    }

    /// Sets where files end: one size, or the two bounds of a size drawn for each file.
    pub fn set_filesize(&mut self, value: &Value) {
        if let Value::Shape(ShapeValue::FileSize(least, most)) = value {
            (self.filesize_least, self.filesize) = (*least, *most);
        }
    }

    /// Sets the CPUs.
    pub fn set_cpus(&mut self, value: &Value) {
        if let Value::Cpus(cpus) = value {
            self.cpus.clone_from(cpus);
        }
    }

    /// Sets the CPUs from a bit mask; the lowest bit is the first CPU.
    pub fn set_cpumask(&mut self, mask: u64) {
        self.cpus = (0..u64::BITS).filter(|cpu| mask >> cpu & 1 == 1).collect();
    }

    /// Sets the share of reads in percent.
    pub fn set_mix(&mut self, read_percent: u64) {
        self.rwmix_read = read_percent.min(100) as u8;
        self.rwmix_typed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_read_and_print_as_fio_does() {
        for (word, printed, letter) in [
            ("read", "read", 'R'),
            ("write", "write", 'W'),
            ("randread", "randread", 'r'),
            ("randwrite", "randwrite", 'w'),
            ("rw", "rw", 'M'),
            ("readwrite", "rw", 'M'),
            ("randrw", "randrw", 'm'),
            ("trim", "trim", 'D'),
            ("randtrim", "randtrim", 'd'),
            ("trimwrite", "trimwrite", 'W'),
            ("randtrimwrite", "randtrimwrite", 'w'),
        ] {
            let pattern = Pattern::named(word);
            assert_eq!((pattern.word(), pattern.letter()), (printed, letter), "{word}");
        }
    }
}

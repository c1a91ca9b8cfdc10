//! The part of a recording that is drawn: its devices, its samples, and the user's descriptions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use analysis::Analysis;
use record::{Bucket, DeviceNode, Metric, Recording, Run, thinned};
use workload::Nanos;

use super::definitions::LineDefinition;
use super::timeline::Timeline;
use crate::words::wrap::clean;

/// The user's options for the pictures of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// Number of the file among the drawn files, from 1: the first part of a figure's number.
    pub file: usize,
    /// Name of the file, for titles; empty without one.
    pub source: String,
    /// Arrangement of the devices in the sheet.
    pub devices_in: DevicesIn,
    /// Width and height of a panel of the sheet, in pixels.
    pub panel: (u32, u32),
    /// First sample to draw, from 0; a negative number counts from the end.
    pub first: i64,
    /// Sample before which drawing ends; a negative number counts from the end; `None` draws to the end.
    pub last: Option<i64>,
    /// Kernel name or alias, and the user's description of the device.
    pub described: Vec<(String, String)>,
    /// Devices to draw, as patterns with `*` and `?`; empty for all.
    pub only: Vec<String>,
    /// Devices to leave out, as patterns with `*` and `?`.
    pub excluded: Vec<String>,
}

/// Arrangement of the devices in a sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DevicesIn {
    /// Side by side, each with its charts one below the other.
    #[default]
    Columns,
    /// One below the other, each with its charts side by side.
    Rows,
}

impl Default for PictureOptions {
    fn default() -> PictureOptions {
        PictureOptions {
            file: 1,
            source: String::new(),
            devices_in: DevicesIn::Columns,
            // 4 × 3 inches at 96 pixels an inch, the size of the usual notebook plot.
            panel: (384, 288),
            first: 0,
            last: None,
            described: Vec::new(),
            only: Vec::new(),
            excluded: Vec::new(),
        }
    }
}

impl PictureOptions {
    /// Whether the requested part contains none of `samples` samples.
    pub fn leave_nothing_of(&self, samples: usize) -> bool {
        (self.first != 0 || self.last.is_some()) && window(samples, self).is_empty()
    }
}

/// Returns how many samples of a run can be drawn.
pub fn samples_in(run: &Run) -> usize {
    match &run.observed {
        Some(observed) => observed.intervals.len(),
        None => run.samples.len().saturating_sub(1),
    }
}

/// Returns every device name in the runs, each once: kernel names and the aliases that people use.
pub fn names_in<'r>(runs: impl IntoIterator<Item = &'r Run>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in runs {
        let of_tree = run.devices.iter().flat_map(|node| [&node.facts.name, &node.alias]).cloned();
        names.extend(Recording::of(run).devices().iter().map(|name| (*name).to_owned()).chain(of_tree));
    }
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    names
}

/// Devices left out if they did nothing: every machine has them, but few use them.
const SELDOM_USED: [&str; 5] = ["fd*", "sr*", "loop*", "ram*", "zram*"];

/// A recording and the part of it that is drawn.
pub struct View<'r> {
    pub(super) run: &'r Run,
    pub(super) analysis: &'r Analysis,
    pub(super) recording: Recording<'r>,
    pub(super) options: PictureOptions,
    /// Intervals to draw.
    pub(super) window: Range<usize>,
    pub(super) line: Timeline,
    /// Kernel names, physical devices first, each before the devices stacked on it.
    devices: Vec<&'r str>,
    /// Drawn lines by device and name, cached because a line of a whole day is slow to read.
    thinned: RefCell<BTreeMap<(String, &'static str), ThinnedSpans>>,
}

/// The spans of a line; `None` if it was never recorded.
type ThinnedSpans = Option<Rc<Vec<Bucket>>>;

/// Most spans of one series in a drawing: a panel has about three pixels for each.
const BUCKETS: usize = 220;
/// Series with at most this many values are drawn whole.
const WHOLE_MAX: usize = 600;

impl<'r> View<'r> {
    /// Returns the part of the run's recording that `options` select.
    pub fn of(run: &'r Run, analysis: &'r Analysis, options: PictureOptions) -> View<'r> {
        let recording = Recording::of(run);
        let window = window(recording.intervals().len(), &options);
        let drawn = &recording.intervals()[window.clone()];
        let from = drawn.first().map_or(Nanos::ZERO, |interval| interval.0);
        let to = drawn.last().map_or(from, |interval| interval.1);
        let devices = chosen(run, &recording, &options);
        let (line, thinned) = (Timeline::of(run, from, to), RefCell::default());
        View { run, analysis, line, recording, options, window, devices, thinned }
    }

    /// Returns the drawn spans of a line within the view's time; every value if the line is short.
    pub(super) fn spans(&self, line: &LineDefinition, device: &str) -> ThinnedSpans {
        let key = (device.to_owned(), line.name());
        if let Some(known) = self.thinned.borrow().get(&key) {
            return known.clone();
        }
        let intervals = &self.recording.intervals()[self.window.clone()];
        let buckets = if intervals.len() <= WHOLE_MAX { WHOLE_MAX } else { BUCKETS };
        let values = line.values(&self.recording, device);
        let spans = values.map(|all| Rc::new(thinned(intervals, &all[self.window.clone()], buckets, &[])));
        self.thinned.borrow_mut().insert(key, spans.clone());
        spans
    }

    /// Returns the length in seconds of the spans of a long series, each drawn as its least and greatest value;
    /// `None` if every value is drawn.
    pub(super) fn bucket_seconds(&self) -> Option<f64> {
        let drawn = self.recording.intervals().get(self.window.clone())?;
        let (first, last) = (drawn.first()?, drawn.last()?);
        (drawn.len() > WHOLE_MAX).then(|| last.1.since(first.0).as_secs_f64() / BUCKETS as f64)
    }

    /// The drawn recording.
    pub(crate) fn recording(&self) -> &Recording<'r> {
        &self.recording
    }

    /// Kernel names of the drawn devices, physical devices first, each before the devices stacked on it.
    pub fn devices(&self) -> &[&'r str] {
        &self.devices
    }

    /// Whether there is nothing to draw: no interval, or neither a device nor a CPU.
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
            || (self.devices.is_empty() && self.recording.cpu(record::CpuMetric::Idle).is_none())
    }

    pub(super) fn node(&self, device: &str) -> Option<&'r DeviceNode> {
        self.run.devices.iter().find(|node| node.facts.name == device)
    }

    /// Returns the kernel name with the user's description, or else the stored description or the alias:
    /// `dm-0 (vg0-data)`.
    pub fn name_of(&self, device: &str) -> String {
        let node = self.node(device);
        let said = |key: &str| {
            self.options.described.iter().find(|(name, _)| name == key).map(|(_, words)| words.as_str())
        };
        let alias = node.map(|node| node.alias.as_str()).filter(|alias| !alias.is_empty());
        let stored = node.map(|node| node.description.as_str()).filter(|words| !words.is_empty());
        let words = said(device).or_else(|| alias.and_then(said)).or(stored);
        // The result becomes part of titles, which lists of files print too.
        clean(&match (words, alias) {
            (Some(words), _) => format!("{device} ({words})"),
            (None, Some(alias)) => format!("{device} ({})", file_of(alias)),
            (None, None) => device.to_owned(),
        })
    }
}

/// Returns the last part of the path of the file behind a loop device.
fn file_of(alias: &str) -> &str {
    let path = alias.strip_suffix(" (deleted)").unwrap_or(alias);
    match path.rsplit('/').next().unwrap_or(path) {
        // The policy and number in this name mean nothing to a reader of a chart.
        lab if lab.starts_with(".plimsoll-lab-") => "lab volume",
        file => file,
    }
}

/// Returns the indices of the intervals that the options select, with the rules of a Python slice.
fn window(length: usize, options: &PictureOptions) -> Range<usize> {
    let place = |index: i64| match usize::try_from(index) {
        Ok(from_start) => from_start.min(length),
        Err(_) => length.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let (from, to) = (place(options.first), options.last.map_or(length, place));
    from..to.max(from)
}

fn chosen<'r>(run: &'r Run, recording: &Recording<'r>, options: &PictureOptions) -> Vec<&'r str> {
    let alias = |name: &str| {
        let node = run.devices.iter().find(|node| node.facts.name == name);
        node.map_or("", |node| node.alias.as_str())
    };
    let named = |patterns: &[String], name: &str| {
        patterns.iter().any(|pattern| is_like(pattern, name) || is_like(pattern, alias(name)))
    };
    let wanted = |name: &&&str| match options.only.is_empty() {
        false => named(&options.only, name),
        true => !SELDOM_USED.iter().any(|pattern| is_like(pattern, name)) || is_used(recording, name),
    };
    let kept = recording.devices().iter().filter(wanted).filter(|name| !named(&options.excluded, name));
    let mut devices: Vec<&str> = kept.copied().collect();
    // People read from the bottom layer up.
    let layers = layers(run);
    devices.sort_by_key(|name| (layers.get(name).copied().unwrap_or(0), natural(name)));
    devices
}

/// Returns the number of layers below each device. The number of passes is fixed, because a damaged record may
/// contain a cycle.
fn layers(run: &Run) -> BTreeMap<&str, usize> {
    let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..LAYERS_MAX {
        let known = layers.clone();
        let above = |name: &String| known.get(name.as_str()).map_or(0, |layer| layer + 1);
        for node in &run.devices {
            let layer = node.below.iter().map(above).max().unwrap_or(0);
            layers.insert(&node.facts.name, layer);
        }
    }
    layers
}

/// Passes over the devices; no stack is deeper than this.
const LAYERS_MAX: usize = 12;

/// Splits off the name's trailing number, so that `sda2` sorts before `sda10`.
fn natural(name: &str) -> (String, u64) {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (stem.to_owned(), name[stem.len()..].parse().unwrap_or(0))
}

fn is_used(recording: &Recording<'_>, device: &str) -> bool {
    [Metric::ReadOps, Metric::WriteOps].into_iter().any(|metric| {
        recording.device(device, metric).is_some_and(|values| values.iter().any(|value| *value > 0.0))
    })
}

/// Whether `name` matches `pattern`, in which `*` matches any letters and `?` one letter.
pub fn is_like(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // reached[n]: the part of the pattern read so far matches the first n letters.
    let mut reached: Vec<bool> = (0..=name.len()).map(|length| length == 0).collect();
    for letter in pattern {
        let before = reached.clone();
        for length in 0..=name.len() {
            reached[length] = match letter {
                '*' => before[length] || (length > 0 && reached[length - 1]),
                '?' => length > 0 && before[length - 1],
                plain => length > 0 && before[length - 1] && name[length - 1] == plain,
            };
        }
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_counts_as_a_slice_does() {
        let slice = |first, last| window(10, &PictureOptions { first, last, ..PictureOptions::default() });
        assert_eq!(slice(0, None), 0..10);
        assert_eq!(slice(1, Some(-1)), 1..9);
        assert_eq!(slice(-3, None), 7..10);
        assert_eq!(slice(4, Some(2)), 4..4);
        assert_eq!(slice(-30, Some(30)), 0..10);
    }

    #[test]
    fn a_loop_device_is_called_by_its_file() {
        for (alias, name) in [
            ("/var/lib/images/old.img", "old.img"),
            ("/var/lib/images/old.img (deleted)", "old.img"),
            ("/dev/shm/.plimsoll-lab-a28cc4be-custom,read_iops=840.tmp (deleted)", "lab volume"),
            ("vg0-data", "vg0-data"),
        ] {
            assert_eq!(file_of(alias), name);
        }
    }

    #[test]
    fn patterns_are_like_what_they_say() {
        for (pattern, name, like) in [
            ("loop*", "loop12", true),
            ("sd?", "sda", true),
            ("sd?", "sda1", false),
            ("*", "", true),
            ("vg0-*data", "vg0-old-data", true),
            ("dm-0", "dm-01", false),
        ] {
            assert_eq!(is_like(pattern, name), like, "{pattern} {name}");
        }
    }
}

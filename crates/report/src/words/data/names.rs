//! Names of series (`vda:r/s`, `cpu:user`), their units, and which of them a pattern selects.

use record::{CpuMetric, Metric, Recording, Run, Unit};

/// A series that a run holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesName {
    /// Name of the series: `vda:r/s`, `cpu:user`.
    pub name: String,
    /// Source and metric of the series.
    pub of: Of,
    /// Unit of its values.
    pub unit: &'static str,
}

/// Source and metric of a series.
#[derive(Clone, Debug, PartialEq)]
pub enum Of {
    /// A metric of a device, given by its kernel name.
    Device(String, Metric),
    /// A metric of the CPUs.
    Cpu(CpuMetric),
}

/// Requested series.
pub type SeriesNames = Vec<SeriesName>;

/// Reasons why words name no series.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeriesNamesError {
    /// The run holds no series at all.
    #[error(
        "this recording holds no series of a machine; 'plimsoll watch' and iostat's JSON have them, and --csv DIR gives the tables \
         that are here"
    )]
    Nothing,
    /// An item without a colon.
    #[error("column {column}: '{word}' is no series; write DEVICE:METRIC or cpu:METRIC, such as '{example}'")]
    NoColon {
        /// Position of the item, from 1.
        column: usize,
        /// The item.
        word: String,
        /// A series that exists.
        example: String,
    },
    /// No series has that name.
    #[error("column {column}: there is no series '{word}'")]
    Unknown {
        /// Position of the item, from 1.
        column: usize,
        /// The item.
        word: String,
    },
}

/// Column names of the metrics, with their units, in the order of [`Metric`].
const COLUMNS: [&str; 28] = [
    "read_ops_per_s",
    "write_ops_per_s",
    "discard_ops_per_s",
    "flush_ops_per_s",
    "read_bytes_per_s",
    "write_bytes_per_s",
    "discard_bytes_per_s",
    "read_merges_per_s",
    "write_merges_per_s",
    "discard_merges_per_s",
    "read_merged_share",
    "write_merged_share",
    "discard_merged_share",
    "read_await_s",
    "write_await_s",
    "discard_await_s",
    "flush_await_s",
    "read_size_bytes",
    "write_size_bytes",
    "discard_size_bytes",
    "queue_depth",
    "busy_share",
    "in_flight",
    "ops_per_s",
    "bytes_per_s",
    "merges_per_s",
    "await_s",
    "size_bytes",
];

/// Returns the entry of [`COLUMNS`] for one metric.
pub(super) fn column(metric: Metric) -> &'static str {
    COLUMNS[metric as usize]
}

/// Returns the base unit as written in heads.
pub(super) fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond => "1/s",
        Unit::BytesPerSecond => "B/s",
        Unit::Share => "share",
        Unit::Seconds => "s",
        Unit::Bytes => "B",
        Unit::Count => "count",
    }
}

/// Returns every metric of a device with the name of its column and its unit.
pub fn metric_columns() -> impl Iterator<Item = (Metric, &'static str, &'static str)> {
    Metric::all().map(|metric| (metric, column(metric), unit_words(metric.unit())))
}

/// Returns every series that `run` holds: the CPUs, then device by device.
pub fn series_names(run: &Run) -> Vec<SeriesName> {
    let recording = Recording::of(run);
    let cpu = CpuMetric::ALL.into_iter().filter(|metric| recording.cpu(*metric).is_some());
    let mut names: Vec<SeriesName> = cpu
        .map(|metric| SeriesName {
            name: format!("cpu:{}", metric.column()),
            of: Of::Cpu(metric),
            unit: unit_words(Unit::Share),
        })
        .collect();
    for device in recording.devices() {
        for metric in metrics(run, device) {
            names.push(SeriesName {
                name: format!("{device}:{}", metric.column()),
                of: Of::Device((*device).to_owned(), metric),
                unit: unit_words(metric.unit()),
            });
        }
    }
    names
}

/// Returns the metrics of a device in their own order: all of them if plimsoll sampled, or those that another tool
/// printed.
pub(super) fn metrics(run: &Run, device: &str) -> Vec<Metric> {
    let Some(observed) = &run.observed else { return Metric::all().collect() };
    let found = observed.devices.iter().find(|known| known.name == device);
    let has =
        |metric: &Metric| found.is_some_and(|device| device.metrics.iter().any(|(known, _)| known == metric));
    Metric::all().filter(has).collect()
}

/// Returns the series that `words` name: items separated by commas, each `DEVICE:METRIC` or `cpu:METRIC`, with `*`
/// for any letters and `?` for one. A device may be given by its alias, a metric by iostat's key or by the name of
/// its column.
///
/// # Errors
/// [`SeriesNamesError`] with the position of the item that names nothing.
pub fn wanted(run: &Run, words: &str) -> Result<SeriesNames, SeriesNamesError> {
    let all = series_names(run);
    let Some(first) = all.first() else { return Err(SeriesNamesError::Nothing) };
    let mut found: SeriesNames = Vec::new();
    let mut column = 1;
    for item in words.split(',') {
        let word = item.trim();
        let place = column + item.chars().take_while(|letter| letter.is_whitespace()).count();
        column += item.chars().count() + 1;
        let Some((device, metric)) = word.rsplit_once(':') else {
            let example = all.get(6).unwrap_or(first).name.clone();
            return Err(SeriesNamesError::NoColon { column: place, word: word.to_owned(), example });
        };
        let device = kernel_name(run, device);
        let before = found.len();
        let matching: Vec<&SeriesName> = all.iter().filter(|name| is_meant(name, device, metric)).collect();
        let nothing = matching.is_empty();
        for name in matching {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        if nothing && found.len() == before {
            return Err(SeriesNamesError::Unknown { column: place, word: word.to_owned() });
        }
    }
    Ok(found)
}

/// Returns the kernel name of a device given by its name, alias or path.
fn kernel_name<'w>(run: &'w Run, word: &'w str) -> &'w str {
    let bare = word.strip_prefix("/dev/").unwrap_or(word);
    let alias = bare.strip_prefix("mapper/").unwrap_or(bare);
    let node = run.devices.iter().find(|node| !alias.is_empty() && node.alias == alias);
    node.map_or(bare, |node| node.facts.name.as_str())
}

fn is_meant(name: &SeriesName, device: &str, metric: &str) -> bool {
    match &name.of {
        Of::Cpu(own) => matches(device, "cpu") && device == "cpu" && matches(metric, own.column()),
        Of::Device(own, key) => {
            matches(device, own) && (matches(metric, key.column()) || matches(metric, column(*key)))
        }
    }
}

/// Whether `word` matches `pattern`, with `*` for any letters and `?` for one.
fn matches(pattern: &str, word: &str) -> bool {
    let (pattern, word): (Vec<char>, Vec<char>) = (pattern.chars().collect(), word.chars().collect());
    // Position of the last star and the length of its match: only the last star can ever have to match more.
    let (mut at, mut on, mut star) = (0, 0, None);
    while on < word.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, on));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == word[on] => {
                at += 1;
                on += 1;
            }
            _ => {
                let Some((back, taken)) = star else { return false };
                star = Some((back, taken + 1));
                (at, on) = (back + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, word, is) in [
            ("*", "vda", true),
            ("sd?", "sda", true),
            ("sd?", "sdab", false),
            ("*await", "r_await", true),
            ("*a*a", "banana", true),
            ("r/s", "rr/s", false),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, word), is, "{pattern} {word}");
        }
    }

    #[test]
    fn every_metric_has_a_column_that_ends_in_its_unit() {
        for metric in Metric::all() {
            let tail = match metric.unit() {
                Unit::PerSecond | Unit::BytesPerSecond => "_per_s",
                Unit::Share => "_share",
                Unit::Seconds => "_s",
                Unit::Bytes => "_bytes",
                Unit::Count => "",
            };
            assert!(column(metric).ends_with(tail), "{metric:?} {}", column(metric));
        }
    }
}

//! The live line of a terminal.

use workload::{BytesPerSecond, Iops, Nanos};

use super::figures::{Suffix, scaled};

/// The data from which the live line is printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// A letter for each clone, in order: `P` not yet started, the letter of its pattern while it runs
    /// ([`Pattern::letter`](crate::Pattern::letter)), `/` during the ramp, `L` laying out, `F` flushing, `_` ended, `X`
    /// failed.
    pub states: Vec<Running>,
    /// Number of open files.
    pub open_files: usize,
    /// Completed share, 0 to 1; `None` if it is unknown.
    pub done: Option<f64>,
    /// Reads, writes and trims; `None` for a direction that no job issues.
    pub rates: [Option<DirectionRate>; 3],
    /// Estimated time left; `None` if it is unknown.
    pub left: Option<Nanos>,
}

/// State of a clone as its letter.
pub type Running = char;

/// Current rates of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DirectionRate {
    /// Bandwidth.
    pub bytes: BytesPerSecond,
    /// I/O rate.
    pub iops: Iops,
}

/// Prints the live line, without moving the cursor.
pub fn status_line(progress: &Progress) -> String {
    let running = progress.states.iter().filter(|state| !matches!(state, 'P' | '_' | 'X' | 'E')).count();
    let done = match progress.done {
        Some(share) => format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0)),
        None => "-.-%".to_owned(),
    };
    let cells = |cell: &dyn Fn(&DirectionRate) -> String| {
        let named = ["r", "w", "t"].iter().zip(&progress.rates);
        let shown =
            named.filter_map(|(name, rate)| rate.as_ref().map(|rate| format!("{name}={}", cell(rate))));
        shown.collect::<Vec<_>>().join(",")
    };
    let bytes = cells(&|rate| scaled(rate.bytes.0.max(0.0) as u64, 4, true, Suffix::BytePerSecond));
    let iops = cells(&|rate| scaled(rate.iops.0.max(0.0) as u64, 4, false, Suffix::None));
    format!(
        "Jobs: {running} (f={}): [{}][{done}][{bytes}][{iops} IOPS][eta {}]",
        progress.open_files,
        states(&progress.states),
        left(progress.left)
    )
}

/// Prints the states; neighbours in the same state share a letter: `r(2),_(1)`.
fn states(states: &[Running]) -> String {
    let runs = states.chunk_by(|a, b| a == b);
    runs.map(|run| format!("{}({})", run[0], run.len())).collect::<Vec<_>>().join(",")
}

fn left(left: Option<Nanos>) -> String {
    let Some(seconds) = left.map(|nanos| nanos.0.div_ceil(1_000_000_000)) else {
        return "--".to_owned();
    };
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let small = format!("{minutes:02}m:{:02}s", seconds % 60);
    match (days, hours) {
        (0, 0) => small,
        (0, hours) => format!("{hours:02}h:{small}"),
        (days, hours) => format!("{days:02}d:{hours:02}h:{small}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_reads_as_that_of_fio() {
        let rate = |bytes, iops| Some(DirectionRate { bytes: BytesPerSecond(bytes), iops: Iops(iops) });
        let progress = Progress {
            states: vec!['m'],
            open_files: 1,
            done: Some(0.248),
            rates: [rate(21_495_808.0, 82.0), rate(24_641_536.0, 94.0), None],
            left: Some(Nanos::from_secs(91)),
        };
        assert_eq!(
            status_line(&progress),
            "Jobs: 1 (f=1): [m(1)][24.8%][r=20.5MiB/s,w=23.5MiB/s][r=82,w=94 IOPS][eta 01m:31s]"
        );
    }

    #[test]
    fn clones_in_one_state_share_a_letter_and_unknowns_are_dashes() {
        let progress = Progress { states: vec!['r', 'r', '_', 'P'], ..Progress::default() };
        assert_eq!(status_line(&progress), "Jobs: 2 (f=0): [r(2),_(1),P(1)][-.-%][][ IOPS][eta --]");
        assert_eq!(left(Some(Nanos::from_secs(90_061))), "01d:01h:01m:01s");
    }
}

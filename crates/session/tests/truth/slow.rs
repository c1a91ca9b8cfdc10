//! Slow volumes: from some tens to a thousand operations and from half a MiB to 20 MiB a second, so that a step of
//! a few seconds has few I/Os; every third throttled as by this kernel, which releases waiting I/O at the end of a
//! slice of 100 ms.

use policy::Level;
use statistics::Stream;

use crate::checked::{CheckedVolume, each, numbers};
use crate::custom::{chance, one_of, spread};
use crate::table::Table;
use crate::volume::Volume;

/// Volumes in the daily test.
const USUAL: usize = 30;
/// One volume in this many passes I/O in slices.
const SLICED: usize = 3;
/// Seconds within which a check ends, whatever the volume.
const LONGEST_S: f64 = 300.0;

/// Draws limits of a small volume; the cap on bytes allows at least the operations at 4 KiB.
fn limits(random: &mut Stream) -> String {
    let iops = spread(random, 60.0, 1_000.0);
    let least = iops * 4_096.0 / f64::from(1 << 20);
    let mib = spread(random, (1.3 * least).max(0.5), 20.0);
    match random.below(8) {
        0 => format!("iops={iops}"),
        1 => format!("bandwidth={mib}MiB/s"),
        2 | 3 => format!("iops={iops},bandwidth={mib}MiB/s"),
        4 => {
            let unit = one_of(random, &["16KiB", "32KiB", "64KiB"]);
            format!("iops={iops},bandwidth={mib}MiB/s,unit={unit}")
        }
        _ => {
            format!("read_iops={iops},write_iops={iops},read_bandwidth={mib}MiB/s,write_bandwidth={mib}MiB/s")
        }
    }
}

/// Returns the words of volume `number`.
fn words(number: usize) -> String {
    let mut random = Stream::new(number as u64, 900);
    let limits = limits(&mut random);
    let latency = spread(&mut random, 100.0, 10_000.0);
    let slice = if number.is_multiple_of(SLICED) { ",slice=100ms" } else { "" };
    let jitter = if chance(&mut random, 0.5) { "0.1" } else { "0.5" };
    format!("custom,{limits},latency={latency}us,jitter={jitter}{slice},seed={}", number + 1)
}

fn judge(words: &str) -> Table {
    let mut table = Table::default();
    let checked = CheckedVolume::of(words, "");
    let ended = checked.run.steps.last().map_or(0.0, |step| step.ended.as_secs_f64());
    assert!(ended <= LONGEST_S, "{words} took {ended} s");
    Volume::of(words, Level::Baseline).judge(&checked, &mut table);
    table
}

#[test]
fn slow() {
    let cases: Vec<String> = numbers(USUAL).map(words).collect();
    Table::of(each(&cases, |words| judge(words))).conclude("slow", cases.len());
}

//! Volumes with limits drawn at random: operations, bytes, units, one budget or two, or servers without a meter.

use policy::Level;
use statistics::Stream;

use crate::checked::{CheckedVolume, each, is_full, numbers};
use crate::table::Table;
use crate::volume::Volume;

/// Volumes in the daily test.
const USUAL: usize = 40;
/// One volume in this many has servers in place of limits.
const SERVERS: usize = 7;

/// Draws a number evenly on a logarithmic scale, with three digits.
pub fn spread(random: &mut Stream, from: f64, to: f64) -> f64 {
    let drawn = (from.ln() + (to / from).ln() * random.unit_f64()).exp();
    // Rounded as if typed.
    format!("{drawn:.2e}").parse().unwrap()
}

pub fn one_of<'a, T>(random: &mut Stream, of: &'a [T]) -> &'a T {
    &of[random.below(of.len() as u64) as usize]
}

pub fn chance(random: &mut Stream, share: f64) -> bool {
    random.unit_f64() < share
}

/// Draws limits on operations and bytes.
fn limits(random: &mut Stream, most: f64) -> String {
    let unit = |random: &mut Stream| {
        let units = ["16KiB", "32KiB", "64KiB", "128KiB", "256KiB"];
        let rounding = one_of(random, &["ceil", "ceil", "proportional"]);
        format!(",unit={},rounding={rounding}", one_of(random, &units))
    };
    let (iops, mib) = (spread(random, 100.0, most), spread(random, 10.0, 1024.0));
    match random.below(10) {
        0 => format!("iops={iops}"),
        1 => format!("bandwidth={}MiB/s", mib.min(most / 256.0).max(10.0)),
        2 | 3 => {
            let other = spread(random, 100.0, most);
            let bytes = spread(random, 10.0, 1024.0);
            format!(
                "read_iops={iops},write_iops={other},read_bandwidth={mib}MiB/s,write_bandwidth={bytes}MiB/s"
            )
        }
        4..=6 => format!("iops={iops},bandwidth={mib}MiB/s{}", unit(random)),
        _ => format!("iops={iops},bandwidth={mib}MiB/s"),
    }
}

/// Draws servers behind one queue.
fn servers(random: &mut Stream, most: f64) -> String {
    let count = *one_of(random, &[1u64, 2, 4, 8, 16, 32]);
    let service_us = spread(random, 1e6 * count as f64 / most, 1e6 * count as f64 / 200.0);
    let cv = one_of(random, &["0", "0.3", "1", "2"]);
    let bandwidth = spread(random, 20.0, 1000.0);
    format!("servers={count},service={service_us}us,service_cv={cv},server_bandwidth={bandwidth}MiB/s")
}

/// Returns the words of volume `number`.
pub fn words(number: usize, family: u64) -> String {
    let mut random = Stream::new(number as u64, family);
    let most = if is_full() { 50_000.0 } else { 4_000.0 };
    let held =
        if number % SERVERS == SERVERS - 1 { servers(&mut random, most) } else { limits(&mut random, most) };
    let latency = spread(&mut random, 50.0, 10_000.0);
    let jitter = (random.unit_f64() * 20.0).round() / 10.0;
    format!("custom,{held},latency={latency}us,jitter={jitter},seed={}", number + 1)
}

fn judge(words: &str) -> Table {
    let mut table = Table::default();
    let checked = CheckedVolume::of(words, "");
    Volume::of(words, Level::Baseline).judge(&checked, &mut table);
    table
}

#[test]
fn custom() {
    let cases: Vec<String> = numbers(USUAL).map(|number| words(number, 100)).collect();
    Table::of(each(&cases, |words| judge(words))).conclude("custom", cases.len());
}

//! The fault of sysstat 12.1.2 to 12.2.0: in JSON, every throughput is in sectors, regardless of its key.
//!
//! Rates and request sizes are right in these versions, and their product is the throughput. The figures themselves
//! therefore reveal the fault and allow its correction. Kilobytes come out twice too large, megabytes 2,048 times.

use super::keys::{Column, SECTOR, WAYS};
use super::sheet::{DeviceColumns, Sheet};

/// Unit that the figures indicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// The unit that the key names.
    AsNamed,
    /// Sectors: if read in the unit of the key, a throughput is this many times too large.
    Sectors(f64),
    /// No figure shows the unit.
    Untold,
    /// Neither unit: rate and size give another throughput.
    Neither,
}

/// Greatest relative deviation of a ratio from a whole number: figures are printed with two decimals.
const NEAR: f64 = 0.05;
/// Requests a second below which the printed rate is too coarse to show the unit.
const LEAST_RATE: f64 = 0.5;
/// Request size in KiB below which the printed size is too coarse.
const LEAST_KIB: f64 = 0.5;
/// Printed throughput, in its own unit, below which it is too coarse.
const LEAST_PRINTED: f64 = 0.5;

/// Returns the unit of the throughputs in `sheet`, from the median ratio of the rows that show it.
pub(super) fn unit(sheet: &Sheet) -> Unit {
    let mut ratios: Vec<f64> = sheet.devices.iter().flat_map(|device| ratios(sheet, device)).collect();
    ratios.sort_by(f64::total_cmp);
    let Some(middle) = ratios.get(ratios.len() / 2).copied() else { return Unit::Untold };
    let near = |whole: f64| (middle / whole - 1.0).abs() < NEAR;
    let worth = throughput_worth(sheet);
    let times = worth / SECTOR;
    match (near(1.0), near(times)) {
        (true, _) => Unit::AsNamed,
        (false, true) => Unit::Sectors(times),
        (false, false) => Unit::Neither,
    }
}

/// Returns the bytes in the unit that the keys name.
fn throughput_worth(sheet: &Sheet) -> f64 {
    let worth = |column: Option<Column>| match column? {
        Column::Throughput(_, worth) => Some(worth),
        _ => None,
    };
    sheet.keys.iter().find_map(|key| worth(key.column)).unwrap_or(SECTOR)
}

/// Returns the ratio of the throughput, in the unit of its key, to rate times size, for every report and direction
/// that shows it.
fn ratios(sheet: &Sheet, device: &DeviceColumns) -> Vec<f64> {
    let mut found = Vec::new();
    for way in &WAYS {
        let (Some(bytes), Some(size)) = (way.bytes, way.size) else { continue };
        let columns = [way.ops, bytes, size].map(|metric| {
            let place = sheet.keys.iter().position(|key| match key.column {
                Some(Column::Figure(known, _) | Column::Throughput(known, _)) => known == metric,
                _ => false,
            });
            let place =
                place.filter(|&place| device.columns.get(place).is_some_and(|column| !column.is_empty()));
            place.map(|place| (&device.columns[place], sheet.keys[place].column))
        });
        let [
            Some((ops, _)),
            Some((bytes, Some(Column::Throughput(_, worth)))),
            Some((sizes, Some(Column::Figure(_, each)))),
        ] = columns
        else {
            continue;
        };
        for ((ops, bytes), size) in ops.iter().zip(bytes).zip(sizes) {
            let sized = size * each >= LEAST_KIB * 1024.0;
            let tells = *ops >= LEAST_RATE && sized && *bytes >= LEAST_PRINTED && *ops < 1e9;
            if tells {
                found.push(bytes * worth / (ops * size * each));
            }
        }
    }
    found
}

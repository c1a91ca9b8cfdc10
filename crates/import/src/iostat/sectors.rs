//! The fault of sysstat 12.1.2 to 12.2.0: in JSON every throughput is counted in sectors, whatever the key says.
//!
//! Rates and request sizes are right there, and their product is the throughput: so the fault shows in the figures
//! themselves, and is undone by them. Kilobytes come out twice too large, megabytes 2,048 times.

use super::keys::{Column, SECTOR, WAYS};
use super::sheet::{Printed, Sheet};

/// What the figures say of the unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unit {
    /// As the key says.
    AsNamed,
    /// Sectors: what was read by the key is this many times too large.
    Sectors(f64),
    /// No figure tells.
    Untold,
    /// Neither: rate and size give another throughput.
    Neither,
}

/// A ratio within this of a whole one is that one: figures are printed with two decimals.
const NEAR: f64 = 0.05;
/// Below these a printed figure is too coarse to tell.
const LEAST_RATE: f64 = 0.5;
const LEAST_KIB: f64 = 0.5;
const LEAST_PRINTED: f64 = 0.5;

/// The unit of the throughputs in `sheet`, by the rows that can tell; the middle one of their ratios counts.
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

/// Bytes of the unit that the keys name.
fn throughput_worth(sheet: &Sheet) -> f64 {
    let worth = |column: Option<Column>| match column? {
        Column::Throughput(_, worth) => Some(worth),
        _ => None,
    };
    sheet.keys.iter().find_map(|key| worth(key.column)).unwrap_or(SECTOR)
}

/// Throughput by the key over rate times size, of every report and direction that can tell.
fn ratios(sheet: &Sheet, device: &Printed) -> Vec<f64> {
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

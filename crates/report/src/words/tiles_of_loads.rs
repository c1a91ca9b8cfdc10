//! Tiles of loads without a ladder: a watched machine, and the jobs of a profile, a quick look or a job file.

use analysis::{
    Answer, Cell, ContractRow, DeviceFigures, Estimate, LoadFigures, PhaseFigures, Quantity, WatchFigures,
};

use super::numbers::{self, IOPS, Prefix, Unit};
use super::sentence::plural;
use super::tiles::{FIGURES, Tile, TileFigure, of_contract};
use super::watch_words::place_words;
use super::wrap::clean;

/// Most jobs shown as tiles; a table of more is easier to read.
const JOBS: usize = 6;

/// Returns the tiles of a watch: the rates that plimsoll's own load achieved, or else those of the busiest device.
pub(super) fn of_watch(watched: &WatchFigures) -> Vec<Tile> {
    let loads: Vec<(&PhaseFigures, &LoadFigures)> =
        watched.phases.iter().filter_map(|phase| Some((phase, phase.load.as_ref()?))).collect();
    let mut tiles = if loads.is_empty() { of_devices(watched) } else { of_loads(watched, &loads) };
    tiles.extend(held(watched));
    tiles
}

/// Returns the rate to which the device is limited, if the record shows one.
fn held(watched: &WatchFigures) -> Option<Tile> {
    let busiest = || watched.looked.as_ref().map(|looked| &looked.device);
    let place = watched.load_device.as_ref().or_else(busiest)?;
    let device = watched.devices.iter().find(|device| device.place.name == place.name)?;
    let cap = device.cap.map(|cap| TileFigure::plain(numbers::iops(cap), place_words(place)));
    Tile::of("Held at", cap.into_iter().collect())
}

/// Returns tiles of the load that the contract is about, or the nominal one, and of the greatest load.
fn of_loads(watched: &WatchFigures, loads: &[(&PhaseFigures, &LoadFigures)]) -> Vec<Tile> {
    let judged = |(phase, _): &&(&PhaseFigures, &LoadFigures)| {
        watched.contract.iter().any(|row| row.phase == phase.name && row.answer != Answer::Measured)
    };
    let nominal = |(_, load): &&(&PhaseFigures, &LoadFigures)| load.scale.is_none_or(|scale| scale == 1.0);
    let shown = loads.iter().rfind(judged).or_else(|| loads.iter().rfind(nominal)).or(loads.last());
    let got = |load: &LoadFigures| load.all.got.map_or(0.0, |got| got.value);
    let greatest = loads.iter().max_by(|a, b| got(a.1).total_cmp(&got(b.1)));
    let Some(&(phase, load)) = shown else { return Vec::new() };
    let rates = claimed(watched, phase, &[Quantity::Iops]);
    let most = greatest.filter(|most| most.0.name != phase.name);
    let rates = if rates.is_empty() { rate(phase, load).into_iter().collect() } else { rates };
    let latencies = claimed(watched, phase, &[Quantity::MeanLatency, Quantity::PercentileLatency]);
    let latencies = if latencies.is_empty() { times(phase, load) } else { latencies };
    let tiles = [
        Tile::of("IOPS", rates),
        Tile::of("Throughput", claimed(watched, phase, &[Quantity::BytesPerSecond])),
        Tile::of("Latency", latencies),
        Tile::of("Greatest load", most.and_then(|most| rate(most.0, most.1)).into_iter().collect()),
        Tile::of("Latency there", most.map_or_else(Vec::new, |most| times(most.0, most.1))),
    ];
    tiles.into_iter().flatten().collect()
}

fn claimed(watched: &WatchFigures, phase: &PhaseFigures, quantities: &[Quantity]) -> Vec<TileFigure> {
    let of_phase = |row: &&ContractRow| row.phase == phase.name && quantities.contains(&row.quantity);
    let what = |row: &ContractRow| match row.direction {
        Some(direction) => format!("{} at {}", plural(direction), clean(&phase.name)),
        None => format!("at {}", clean(&phase.name)),
    };
    watched.contract.iter().filter(of_phase).filter_map(|row| of_contract(row, what(row))).collect()
}

fn rate(phase: &PhaseFigures, load: &LoadFigures) -> Option<TileFigure> {
    let asked = load.all.asked.map_or_else(String::new, |asked| format!(", {} asked", numbers::iops(asked)));
    let what = format!("at {}{asked}", clean(&phase.name));
    Some(TileFigure::estimate(load.all.got.as_ref()?, IOPS, what))
}

fn times(phase: &PhaseFigures, load: &LoadFigures) -> Vec<TileFigure> {
    let due = &load.all.due;
    let named = |what: &str, time: f64| TileFigure::time(time, format!("{what} at {}", clean(&phase.name)));
    let mean = due.mean_ns.map(|time| named("mean", time));
    let tail = due.at(99.0).map(|time| named("p99", time as f64));
    mean.into_iter().chain(tail).collect()
}

/// Returns a tile of the busiest device over the whole watch.
fn of_devices(watched: &WatchFigures) -> Vec<Tile> {
    let rate = |device: &DeviceFigures| device.read.ops + device.write.ops;
    let all = watched.phases.iter().flat_map(|phase| phase.devices.iter());
    let looked = watched.looked.as_ref().map(|looked| looked.device.name.as_str());
    let named = all.clone().find(|device| Some(device.name.as_str()) == looked);
    let busiest = named.or_else(|| all.max_by(|a, b| rate(a).total_cmp(&rate(b))));
    busiest.filter(|device| rate(device) > 0.0).map_or_else(Vec::new, of_device)
}

fn of_device(device: &DeviceFigures) -> Vec<Tile> {
    let name = clean(&device.name);
    let flows = [("reads", &device.read), ("writes", &device.write)];
    let used = || flows.iter().filter(|(_, flow)| flow.ops > 0.0);
    let rates = used()
        .map(|(way, flow)| TileFigure::plain(numbers::iops(flow.ops), format!("{way} of {name}, mean")));
    let bytes = used().map(|(way, flow)| {
        TileFigure::plain(numbers::bandwidth(flow.bytes, Prefix::Binary), format!("{way} of {name}, mean"))
    });
    let times = used().filter_map(|(way, flow)| {
        Some(TileFigure::plain(numbers::counted_time(flow.await_ns?), format!("{way} of {name}, mean")))
    });
    let queue = [(device.queue, "mean"), (device.queue_max, "greatest mean of an interval")];
    let queue = queue
        .into_iter()
        .filter_map(|(depth, what)| Some(TileFigure::plain(numbers::queue(depth?), what.to_owned())));
    let tiles = [
        Tile::of("IOPS", rates.collect()),
        Tile::of("Throughput", bytes.collect()),
        Tile::of("Latency", times.collect()),
        Tile::of("Queue", queue.collect()),
    ];
    tiles.into_iter().flatten().collect()
}

/// Returns a tile for each job if there are few: sequential I/O by its bytes, random I/O by its operations.
pub(super) fn of_jobs(cells: &[Cell]) -> Vec<Tile> {
    let figure = |cell: &Cell| {
        let of = |point: &analysis::Point| {
            let what = format!(
                "{} {}, p99 {}",
                numbers::block(point.block as f64),
                plural(point.direction),
                numbers::time(point.latency_ns_p99 as f64)
            );
            rate_of(cell, &point.iops, &point.bytes_per_second, what)
        };
        let shared = cells.iter().filter(|other| other.step == cell.step).count() > 1;
        Tile::of(
            if shared { &cell.job } else { &cell.step },
            cell.directions.iter().take(FIGURES).map(of).collect(),
        )
    };
    if cells.len() > JOBS { Vec::new() } else { cells.iter().filter_map(figure).collect() }
}

fn rate_of(cell: &Cell, iops: &Estimate, bytes: &Estimate, what: String) -> TileFigure {
    match cell.pattern.sequential {
        true => TileFigure::estimate(bytes, Unit::of_bandwidth(bytes.value, Prefix::Binary), what),
        false => TileFigure::estimate(iops, IOPS, what),
    }
}

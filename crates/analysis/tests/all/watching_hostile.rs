//! Some hundreds of watched machines that are not kind to their observer: what is found, what is missed, what is
//! said wrongly.
//!
//! Each case draws its figures from its seed. The table is printed; the constants below hold what was reached.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;

use crate::made_machines::hostile::*;
use crate::made_machines::*;
use analysis::findings::{HeldBytes, HeldLevelFell, HeldOperations};
use analysis::{Confidence, Finding, Meaning, analyse};
use record::Run;
use statistics::Stream;

/// Least share of the machines with trouble in which it is named.
const RECALL: f64 = 0.85;
/// Share within which a level is right.
const LEVEL: f64 = 0.03;

/// A made machine, with what must be said of it.
struct Case {
    run: Run,
    /// Kinds of which one must be found; empty: nothing is wrong.
    expected: &'static [&'static str],
    /// What may be said besides.
    allowed: &'static [&'static str],
    /// The level that must be named.
    level: Option<f64>,
}

/// Figures drawn for one case.
struct Draw(Stream);

impl Draw {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.0.unit_f64())
    }

    fn whole(&mut self, low: f64, high: f64) -> f64 {
        self.between(low, high).round()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.below(of.len() as u64) as usize]
    }

    fn likely(&mut self, share: f64) -> bool {
        self.0.unit_f64() < share
    }
}

/// A function that makes one kind of case.
type Make = fn(&mut Draw, u64) -> Case;

fn reader(draw: &mut Draw, seed: u64, to: f64) -> Reader {
    let every = draw.one(&[0.5, 1.0, 1.0, 2.0]);
    Reader { every, late: draw.one(&[0.0005, 0.004, 0.012]), to, seed }
}

fn length(draw: &mut Draw) -> f64 {
    draw.one(&[36.0, 60.0, 90.0, 130.0])
}

/// Adds spans in which the programs, or the volume's own host, lack a CPU.
fn noisy(volume: &mut Hostile, draw: &mut Draw, (seed, to): (u64, f64)) {
    if draw.likely(0.5) {
        volume.asleep = moments(seed, to, (0.3, 0.15));
    }
    if draw.likely(0.3) {
        volume.frozen = moments(seed + 1, to, (0.2, 0.05));
    }
}

fn healthy(run: Run) -> Case {
    Case { run, expected: &[], allowed: &["serial_application"], level: None }
}

fn trouble(run: Run, expected: &'static [&'static str], allowed: &'static [&'static str]) -> Case {
    Case { run, expected, allowed, level: None }
}

fn at_random(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let mut volume = Hostile { base_s: draw.between(2e-4, 8e-3), variation: draw.between(0.05, 1.2), ..CALM };
    noisy(&mut volume, draw, (seed, to));
    let one =
        Program { write_share: draw.0.unit_f64(), ..program(How::Random(draw.between(20.0, 1500.0)), to) };
    let other = Program { from: to / 3.0, ..program(How::Random(draw.between(20.0, 900.0)), to * 0.7) };
    let ios = volume.serve(&[one, other], seed);
    healthy(watched(&ios, reader(draw, seed, to)))
}

fn parallel(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let depth = draw.one(&[2u32, 4, 8, 16]);
    let base_s = (f64::from(depth) / draw.between(200.0, 2500.0)).min(0.02);
    let mut volume = Hostile { base_s, variation: draw.between(0.05, 1.0), ..CALM };
    noisy(&mut volume, draw, (seed, to));
    let quiet = program(How::Random(40.0), to);
    let ios = match draw.likely(0.5) {
        true => volume.serve(&[quiet, Program { from: to / 4.0, ..program(How::Closed(depth), to) }], seed),
        false => volume.serve(&[program(How::Closed(depth), to)], seed),
    };
    healthy(watched(&ios, reader(draw, seed, to)))
}

fn paced(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let rate = draw.between(50.0, 1500.0);
    let mut volume = Hostile {
        base_s: (draw.between(0.1, 4.0) / rate).min(0.02),
        variation: draw.between(0.05, 1.0),
        ..CALM
    };
    noisy(&mut volume, draw, (seed, to));
    let ios = volume.serve(&[program(How::Paced(rate, 64), to)], seed);
    healthy(watched(&ios, reader(draw, seed, to)))
}

fn serial(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let mut volume = Hostile { base_s: draw.between(8e-4, 1e-2), variation: draw.between(0.05, 1.0), ..CALM };
    noisy(&mut volume, draw, (seed, to));
    let ios = volume.serve(&[program(How::Closed(1), to)], seed);
    healthy(watched(&ios, reader(draw, seed, to)))
}

fn in_bursts(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let mut volume = Hostile { base_s: draw.between(5e-4, 1e-2), variation: draw.between(0.05, 0.8), ..CALM };
    noisy(&mut volume, draw, (seed, to));
    let count = draw.whole(10.0, 120.0) as u32;
    let ios = volume.serve(&[program(How::Bursts(count, draw.between(0.2, 2.0)), to)], seed);
    let every = draw.one(&[0.05, 0.5, 1.0]);
    healthy(watched(&ios, Reader { every, ..reader(draw, seed, to) }))
}

/// A device with a queue of its own that is far from full.
fn served(draw: &mut Draw, seed: u64) -> Case {
    let to = length(draw);
    let servers = draw.one(&[1usize, 2, 4]);
    let rate = draw.between(60.0, 1200.0);
    let base_s = draw.between(0.3, 0.65) * servers as f64 / rate;
    let mut volume = Hostile { base_s, servers, variation: draw.between(0.1, 1.0), ..CALM };
    noisy(&mut volume, draw, (seed, to));
    let ios = volume.serve(&[program(How::Random(rate), to)], seed);
    healthy(watched(&ios, reader(draw, seed, to)))
}

/// The load on a volume whose meter is asked for more than it lets through.
struct CappedLoad {
    depth: u32,
    write_share: f64,
    sizes: Vec<u64>,
    /// Whether somebody else's few I/Os show what one takes.
    quiet: bool,
}

fn asked(draw: &mut Draw) -> CappedLoad {
    let quiet = draw.likely(0.6);
    CappedLoad { depth: draw.one(&[8, 16, 32, 64]), write_share: 0.0, sizes: vec![4096], quiet }
}

fn capped(mut volume: Hostile, draw: &mut Draw, (seed, asked): (u64, CappedLoad)) -> Run {
    let to = length(draw);
    noisy(&mut volume, draw, (seed, to));
    capped_as_it_is(&volume, draw, (seed, asked, to))
}

fn capped_as_it_is(volume: &Hostile, draw: &mut Draw, (seed, asked, to): (u64, CappedLoad, f64)) -> Run {
    let CappedLoad { depth, write_share, sizes, quiet } = asked;
    let begins = if quiet { 12.0 } else { 0.0 };
    let deep = Program { from: begins, write_share, sizes: sizes.clone(), ..program(How::Closed(depth), to) };
    let before = Program { write_share, sizes, ..program(How::Random(30.0), begins) };
    let ios = volume.serve(&[before, deep], seed);
    watched(&ios, reader(draw, seed, to))
}

fn base(draw: &mut Draw) -> Hostile {
    Hostile { base_s: draw.between(2e-4, 2e-3), variation: draw.between(0.1, 1.0), ..CALM }
}

fn slices(draw: &mut Draw) -> f64 {
    draw.one(&[0.0, 0.01, 0.05, 0.1])
}

const HELD: &[&str] = &["held_operations"];
const BESIDE: &[&str] = &["queue_full", "held_operations", "stalls", "saturated"];

fn operations(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(150.0, 2000.0);
    let meter = Meter { slice: slices(draw), ..Meter::of(Charge::Operations, rate) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let asked = asked(draw);
    Case { level: Some(rate), ..trouble(capped(volume, draw, (seed, asked)), HELD, BESIDE) }
}

fn total(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(200.0, 2000.0);
    let meter = Meter { slice: slices(draw), ..Meter::of(Charge::Operations, rate) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let asked = CappedLoad { write_share: draw.between(0.2, 0.6), ..asked(draw) };
    Case { level: Some(rate), ..trouble(capped(volume, draw, (seed, asked)), HELD, BESIDE) }
}

fn one_way(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(150.0, 1500.0);
    let reads = draw.likely(0.5);
    let meter = Meter { of: [reads, !reads], slice: slices(draw), ..Meter::of(Charge::Operations, rate) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let asked = CappedLoad { write_share: if reads { 0.3 } else { 0.7 }, ..asked(draw) };
    trouble(capped(volume, draw, (seed, asked)), HELD, BESIDE)
}

fn bytes(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(20.0, 120.0) * 1048576.0;
    let meter = Meter { slice: slices(draw), ..Meter::of(Charge::Bytes, rate) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let sizes = match draw.likely(0.5) {
        true => vec![256 << 10],
        false => vec![128 << 10, 256 << 10, 512 << 10],
    };
    let asked = CappedLoad { sizes, ..asked(draw) };
    Case {
        level: Some(rate),
        ..trouble(
            capped(volume, draw, (seed, asked)),
            &["held_bytes"],
            &["queue_full", "stalls", "saturated"],
        )
    }
}

fn unit(draw: &mut Draw, seed: u64) -> Case {
    let meter = Meter { slice: slices(draw), ..Meter::of(Charge::Unit(16 << 10), draw.whole(600.0, 3000.0)) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let sizes = draw.one(&[0, 1]);
    let sizes = [vec![64 << 10], vec![4 << 10, 16 << 10, 40 << 10, 64 << 10]][sizes].clone();
    let asked = CappedLoad { sizes, ..asked(draw) };
    trouble(
        capped(volume, draw, (seed, asked)),
        &["held_operations", "held_bytes"],
        &["queue_full", "stalls", "saturated"],
    )
}

fn one_at_a_time(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(100.0, 500.0);
    let volume = Hostile { meters: vec![Meter::of(Charge::Operations, rate)], ..base(draw) };
    let asked = CappedLoad { depth: 1, ..asked(draw) };
    let to = draw.one(&[60.0, 90.0, 130.0]);
    let volume = Hostile { base_s: draw.between(5e-5, 4e-4), ..volume };
    Case { level: Some(rate), ..trouble(capped_as_it_is(&volume, draw, (seed, asked, to)), HELD, BESIDE) }
}

fn burst(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(150.0, 800.0);
    let times = draw.between(1.5, 4.0);
    let lasts = draw.between(10.0, 40.0);
    let meter = Meter {
        bucket: (times - 1.0) * rate * lasts,
        burst: times * rate,
        slice: slices(draw),
        ..Meter::of(Charge::Operations, rate)
    };
    let mut volume = Hostile { meters: vec![meter], ..base(draw) };
    let to = lasts + draw.between(15.0, 80.0);
    noisy(&mut volume, draw, (seed, to));
    let asked = asked(draw);
    let begins = if asked.quiet { 12.0 } else { 0.0 };
    trouble(
        capped_as_it_is(&volume, draw, (seed, asked, begins + to)),
        &["held_level_fell"],
        &["held_operations", "queue_full", "stalls", "saturated"],
    )
}

fn neighbour(draw: &mut Draw, seed: u64) -> Case {
    let to = draw.one(&[60.0, 90.0, 130.0]);
    let rate = draw.whole(400.0, 1500.0);
    let comes = draw.between(0.3, 0.5) * to;
    let stays = draw.between(12.0, 40.0).min(to - comes - 3.0);
    let share = draw.between(0.3, 0.7);
    let meter = Meter {
        neighbour: (comes, comes + stays, share),
        slice: slices(draw),
        ..Meter::of(Charge::Operations, rate)
    };
    let mut volume = Hostile { meters: vec![meter], ..base(draw) };
    noisy(&mut volume, draw, (seed, to));
    let asked = asked(draw);
    trouble(
        capped_as_it_is(&volume, draw, (seed, asked, to)),
        // A provider's neighbours and its slowness look the same from inside (R11).
        &["held_level_fell", "backend_slow"],
        &["held_operations", "queue_full", "stalls", "saturated"],
    )
}

fn slow(draw: &mut Draw, seed: u64) -> Case {
    let to = draw.one(&[36.0, 60.0, 120.0]);
    let depth = draw.one(&[1u32, 4, 8]);
    let base_s = f64::from(depth) / draw.between(150.0, 1500.0);
    let length = draw.between(4.0, 20.0).min(to / 3.0);
    let from = draw.between(0.3, 0.6) * to;
    let mut volume = Hostile {
        base_s,
        variation: draw.between(0.1, 0.8),
        slow: vec![(from, from + length, draw.between(3.0, 7.0))],
        ..CALM
    };
    noisy(&mut volume, draw, (seed, to));
    let ios = volume.serve(&[program(How::Closed(depth), to)], seed);
    let every = draw.one(&[0.5, 1.0]);
    trouble(
        watched(&ios, Reader { every, ..reader(draw, seed, to) }),
        &["backend_slow"],
        &["serial_application", "stalls", "saturated"],
    )
}

fn stalls(draw: &mut Draw, seed: u64) -> Case {
    let to = draw.one(&[60.0, 120.0]);
    let depth = draw.one(&[4u32, 8, 16]);
    let base_s = f64::from(depth) / draw.between(200.0, 1500.0);
    let mut volume = Hostile {
        base_s,
        variation: draw.between(0.1, 0.8),
        stall: (draw.between(5.0, 12.0), draw.between(0.6, 1.5)),
        ..CALM
    };
    noisy(&mut volume, draw, (seed, to));
    let ios = volume.serve(&[program(How::Closed(depth), to)], seed);
    let every = draw.one(&[0.05, 0.1, 0.5, 1.0]);
    trouble(watched(&ios, Reader { every, ..reader(draw, seed, to) }), &["stalls"], &["saturated"])
}

fn micro_bursts(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(400.0, 1500.0);
    let meter = Meter { slice: draw.one(&[0.0, 0.01]), ..Meter::of(Charge::Operations, rate) };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let period = draw.between(0.5, 1.5);
    let count = (draw.between(0.15, 0.4) * period * rate) as u32;
    let to = draw.one(&[36.0, 60.0]);
    let ios = volume.serve(&[program(How::Bursts(count.max(20), period), to)], seed);
    let every = draw.one(&[0.02, 0.05]);
    trouble(watched(&ios, Reader { every, ..reader(draw, seed, to) }), &["micro_bursts"], &["saturated"])
}

/// A device that is saturated without any meter.
fn saturated(draw: &mut Draw, seed: u64) -> Case {
    let servers = draw.one(&[1usize, 2, 4]);
    let base_s = servers as f64 / draw.between(150.0, 1500.0);
    let volume = Hostile { base_s, servers, variation: draw.between(0.4, 1.2), ..CALM };
    let asked = CappedLoad { depth: draw.one(&[16, 32, 64]), quiet: true, ..asked(draw) };
    trouble(capped(volume, draw, (seed, asked)), &["saturated"], &["stalls"])
}

/// A meter whose rate is not quite steady.
fn unsteady_meter(draw: &mut Draw, seed: u64) -> Case {
    let meter = Meter {
        noise: draw.between(0.3, 1.0),
        slice: slices(draw),
        ..Meter::of(Charge::Operations, draw.whole(200.0, 1500.0))
    };
    let volume = Hostile { meters: vec![meter], ..base(draw) };
    let asked = CappedLoad { quiet: true, ..asked(draw) };
    trouble(capped(volume, draw, (seed, asked)), &["held_operations", "saturated"], &["stalls"])
}

/// What is written lies in memory until a meter lets it through.
fn written_back(draw: &mut Draw, seed: u64) -> Case {
    let rate = draw.whole(8.0, 60.0) * 1048576.0;
    let volume = Hostile { meters: vec![Meter::of(Charge::Bytes, rate)], ..base(draw) };
    let sizes = vec![512 << 10, 1280 << 10, 1280 << 10];
    let asked = CappedLoad { write_share: 1.0, sizes, depth: draw.one(&[8, 16]), quiet: false };
    let mut run = capped(volume, draw, (seed, asked));
    for sample in &mut run.samples {
        (sample.memory.dirty, sample.memory.writeback) = (300 << 20, 20 << 20);
    }
    trouble(run, &["held_bytes", "write_back"], &["held_bytes", "write_back", "stalls", "saturated"])
}

const KINDS: [(&str, Make); 19] = [
    ("healthy, at random", at_random),
    ("healthy, parallel", parallel),
    ("healthy, even pace", paced),
    ("healthy, serial", serial),
    ("healthy, in bursts", in_bursts),
    ("healthy, own queue", served),
    ("cap on operations", operations),
    ("cap on the total of a mix", total),
    ("cap on one way of a mix", one_way),
    ("cap on bytes", bytes),
    ("cap by a unit of 16 KiB", unit),
    ("cap at depth one", one_at_a_time),
    ("burst that ends", burst),
    ("neighbour", neighbour),
    ("slow span", slow),
    ("stalls", stalls),
    ("micro-bursts", micro_bursts),
    ("saturated, no meter", saturated),
    ("meter with noise", unsteady_meter),
];
const LATE: [(&str, Make); 1] = [("written back at a cap", written_back)];

fn kind(finding: &Finding) -> String {
    serde_json::to_value(finding).unwrap()["kind"].as_str().unwrap().to_owned()
}

/// Whether a finding names `level`.
fn names(finding: &Finding, level: f64) -> bool {
    let found = match &finding.meaning {
        Meaning::HeldOperations(HeldOperations { level, .. })
        | Meaning::HeldBytes(HeldBytes { level, .. }) => level.all.value,
        Meaning::HeldLevelFell(HeldLevelFell { after, .. }) => *after,
        _ => return true,
    };
    (found / level - 1.0).abs() <= LEVEL
}

/// Counts of one kind of case.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    cases: usize,
    right: usize,
    silent: usize,
    wrong: usize,
    strong: usize,
}

fn judge(case: &Case, row: &mut Row) -> Vec<String> {
    let found = analyse(&case.run, None, None).findings;
    let expected = |finding: &Finding| case.expected.contains(&kind(finding).as_str());
    let right = |finding: &Finding| expected(finding) && case.level.is_none_or(|level| names(finding, level));
    let fine = |finding: &Finding| {
        right(finding)
            || case.allowed.contains(&kind(finding).as_str()) && (!expected(finding) || case.level.is_none())
    };
    let wrong: Vec<&Finding> = found.iter().filter(|finding| !fine(finding)).collect();
    row.cases += 1;
    row.right += usize::from(wrong.is_empty() && (case.expected.is_empty() || found.iter().any(right)));
    row.silent += usize::from(wrong.is_empty() && !case.expected.is_empty() && !found.iter().any(right));
    row.wrong += usize::from(!wrong.is_empty());
    row.strong += usize::from(wrong.iter().any(|finding| finding.confidence >= Confidence::Strong));
    found.iter().map(kind).collect()
}

fn table(rows: &BTreeMap<usize, Row>, kinds: &[(&str, Make)]) {
    println!("{:<28} {:>5} {:>5} {:>6} {:>5} {:>6}", "truth", "cases", "right", "silent", "wrong", "strong");
    for (at, row) in rows {
        let Row { cases, right, silent, wrong, strong } = row;
        println!("{:<28} {cases:>5} {right:>5} {silent:>6} {wrong:>5} {strong:>6}", kinds[*at].0);
    }
}

fn draw(at: usize, seed: u64) -> Draw {
    Draw(Stream::new(seed * 1000 + at as u64, 3))
}

#[test]
fn hostile_machines_are_told_rightly_or_not_at_all() {
    let seeds: u64 =
        std::env::var("PLIMSOLL_WATCH_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(16);
    let only = std::env::var("PLIMSOLL_WATCH_ONLY").ok();
    let kinds: Vec<(&str, Make)> = KINDS.iter().chain(&LATE).copied().collect();
    let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
    for (at, (name, make)) in kinds.iter().enumerate() {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        for seed in 0..seeds {
            let case = make(&mut draw(at, seed), seed);
            let row = rows.entry(at).or_default();
            let before = row.right;
            let found = judge(&case, row);
            if row.right == before {
                println!("{name} {seed}: {found:?}");
            }
        }
    }
    table(&rows, &kinds);
    let sum = |of: fn(&Row) -> usize, healthy: bool| {
        let chosen = rows.iter().filter(|(at, _)| kinds[**at].0.starts_with("healthy") == healthy);
        chosen.map(|(_, row)| of(row)).sum::<usize>()
    };
    println!("recall {} of {}", sum(|row| row.right, false), sum(|row| row.cases, false));
    assert_eq!(sum(|row| row.wrong, true), 0, "nothing is found on healthy machines");
    assert_eq!(sum(|row| row.strong, false), 0, "nothing is wrong and strong");
    assert!(sum(|row| row.right, false) as f64 >= RECALL * sum(|row| row.cases, false) as f64);
}

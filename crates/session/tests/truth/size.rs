//! Which volume a recorded load needs: loads on one simulated volume, recorded a second at a time as a watch does, sized
//! for the catalogue, and then run on the volumes that the answer names.

use analysis::size::{Carries, SizeAsk, SizedSetting, Sizing, offered, size};
use record::Run;
use statistics::Stream;
use workload::Bytes;

use crate::checked::{each, numbers};
use crate::judge::Judgement;
use crate::size_loads::{Happened, Load, record};
use crate::table::Table;

/// Latency of one I/O on every volume, in seconds.
const LATENCY_S: f64 = 500e-6;
/// Seconds that a wait must last to count as one: a rate limiter lets I/O run ahead by 5 ms.
const WAIT_S: f64 = 0.02;
/// Share of its time by which a program must be late to count as late.
const LATE: f64 = 0.005;
/// Length of a reading, in seconds.
const READING_S: f64 = 1.0;
/// Relative errors allowed in the rate served, the time throttled, and the 99th percentile of the waits.
const OFF: [f64; 3] = [0.03, 0.1, 0.2];
/// Settings of an answer that are run.
const RUNS: usize = 3;

/// What a volume did to a load.
struct Truth {
    longest_s: f64,
    p99_s: f64,
    throttled_s: f64,
    seconds: f64,
}

impl Truth {
    /// Reads what happened. In a closed program every I/O waits a little while a limit holds it, and I/O is always in flight.
    fn of(load: &Load, happened: &[Happened]) -> Truth {
        let least = if load.is_closed() { LATENCY_S / 4.0 } else { WAIT_S };
        let mut waits: Vec<f64> =
            happened.iter().map(|io| (io.done - io.arrived - LATENCY_S).max(0.0)).collect();
        let spans = happened.iter().zip(&waits).filter(|(_, wait)| **wait > least);
        let until = |io: &Happened, wait: f64| if load.is_closed() { io.done } else { io.arrived + wait };
        let mut spans: Vec<(f64, f64)> = spans.map(|(io, wait)| (io.arrived, until(io, *wait))).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut throttled_s, mut until) = (0.0, 0.0f64);
        for (from, to) in spans {
            throttled_s += (to - from.max(until)).max(0.0);
            until = until.max(to);
        }
        waits.sort_by(f64::total_cmp);
        let at = ((waits.len() as f64 * 0.99).ceil() as usize).clamp(1, waits.len());
        let seconds = happened.iter().map(|io| io.done).fold(0.0, f64::max);
        Truth { longest_s: waits[waits.len() - 1], p99_s: waits[at - 1], throttled_s, seconds }
    }
}

fn words(setting: &SizedSetting) -> String {
    format!("{},latency={}us,jitter=0", setting.policy, LATENCY_S * 1e6)
}

/// Whether a figure lies in a printed interval, or within a share of one of its ends.
fn is_within(figure: f64, [low, high]: [f64; 2], share: f64, least: f64) -> bool {
    figure >= low * (1.0 - share) - least && figure <= high * (1.0 + share) + least
}

fn sized(run: &Run, present: Option<&SizedSetting>) -> Sizing {
    let asked = SizeAsk {
        device: None,
        capacity: Some(Bytes(100 << 30)),
        instance: None,
        allowed: None,
        policies: offered(&[]),
        present: present.map(|setting| policy::evaluate(&setting.policy).unwrap()),
        prices: policy::PriceList::builtin(),
        region: None,
    };
    size(run, &asked).volumes.remove(0)
}

fn judge(number: usize) -> Table {
    let mut table = Table::default();
    let load = Load::drawn(number);
    let free = format!("custom,iops=10000000,latency={}us", LATENCY_S * 1e6);
    let run = record(&load.on(&free), READING_S);
    let sizing = sized(&run, None);
    let alone = Truth::of(&load, &load.on(&format!("{free},jitter=0")));
    let mut random = Stream::new(0x73_69_7a, number as u64);
    let first = sizing.settings.iter().position(|setting| setting.carries == Carries::Yes);
    let mut picked: Vec<usize> = first.into_iter().collect();
    while picked.len() < RUNS.min(sizing.settings.len()) {
        let at = (random.unit_f64() * sizing.settings.len() as f64) as usize;
        if !picked.contains(&at) {
            picked.push(at);
        }
    }
    for setting in picked.iter().map(|at| &sizing.settings[*at]) {
        let setting = sized(&run, Some(setting)).present.unwrap();
        let added = setting.added.unwrap();
        let truth = Truth::of(&load, &load.on(&words(&setting)));
        let late_s = truth.seconds - alone.seconds;
        let case = format!("{} on sim:{}", load.words(), words(&setting));
        let what = || {
            format!(
                "{:?}, to spare {:?}; longest {:.3} s, p99 {:.4} s, throttled {:.1} s, late {late_s:.1} s of {:.0}: {:?}",
                setting.carries,
                setting.headroom,
                truth.longest_s,
                truth.p99_s,
                truth.throttled_s,
                alone.seconds,
                setting.added
            )
        };
        let late = load.is_closed() && late_s > added.longer_s[1] + LATE * alone.seconds + READING_S;
        let waits = truth.longest_s > READING_S;
        let delayed = truth.throttled_s > 0.0 || late_s > READING_S / 10.0;
        let verdict = match setting.carries {
            Carries::Yes | Carries::Once if waits || late => Judgement::SureWrong,
            Carries::No if !delayed => Judgement::SureWrong,
            Carries::Yes | Carries::Once | Carries::No => Judgement::Right,
            Carries::AtLeastRecorded => Judgement::HeldBack,
            Carries::TooClose => Judgement::Open,
        };
        table.add("whether it carries the load", verdict, (&case, &what));
        let judged = |right: bool| if right { Judgement::Right } else { Judgement::Wrong };
        let ops = load.amount();
        let longer = if load.is_closed() { added.longer_s } else { [0.0, added.longest_s[1]] };
        let rate = [ops / (alone.seconds + longer[1]), ops / (alone.seconds + longer[0])];
        table.add("rate served", judged(is_within(ops / truth.seconds, rate, OFF[0], 0.0)), (&case, &what));
        let throttled = is_within(truth.throttled_s, added.throttled_s, OFF[1], READING_S);
        table.add("time throttled", judged(throttled), (&case, &what));
        table.add(
            "p99 of the added wait",
            judged(is_within(truth.p99_s, added.p99_s, OFF[2], WAIT_S)),
            (&case, &what),
        );
    }
    table
}

#[test]
fn sizes() {
    let cases: Vec<usize> = numbers(100).collect();
    Table::of(each(&cases, |number| judge(*number))).conclude("sizes", cases.len());
}

/// A load that a limit held when it was recorded: no answer may name a volume that gives less than it was held at.
fn judge_held(number: usize) -> Table {
    let mut table = Table::default();
    let load = Load::pressing(number);
    let mut random = Stream::new(0x68_65_6c, number as u64);
    let iops = (200.0 + 2500.0 * random.unit_f64()).round();
    let recorded_on = format!("custom,iops={iops},latency={}us", LATENCY_S * 1e6);
    let sizing = sized(&record(&load.on(&recorded_on), READING_S), None);
    let case = format!("{} recorded on sim:{recorded_on}", load.words());
    let what = || format!("held for {} at {:?}", sizing.load.held_share, sizing.load.held_iops);
    let noticed = if sizing.load.held_share > 0.5 { Judgement::Right } else { Judgement::Missed };
    table.add("that a limit held it", noticed, (&case, &what));
    for setting in &sizing.settings {
        let limits = policy::evaluate(&setting.policy).unwrap();
        // Credits may carry a load of half a minute.
        let load = policy::Load::mixed(sizing.load.read_share, Bytes::kib(4));
        let gives = limits.cap(&load, policy::Level::Burst).map_or(f64::INFINITY, |cap| cap.iops.0);
        let claims = matches!(setting.carries, Carries::Yes | Carries::Once | Carries::AtLeastRecorded);
        let judged = if claims && gives < iops { Judgement::SureWrong } else { Judgement::Right };
        let what = || format!("{:?}: {} gives {gives}", setting.carries, setting.policy);
        table.add("never less than it was held at", judged, (&case, &what));
    }
    table
}

#[test]
fn held_loads() {
    let cases: Vec<usize> = numbers(50).collect();
    Table::of(each(&cases, |number| judge_held(*number))).conclude("held", cases.len());
}

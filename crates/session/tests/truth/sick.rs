//! Volumes with anything that real ones suffer from, drawn at random: no figure, cause or answer about them may be
//! sure and wrong.

use policy::Level;
use statistics::Stream;
use workload::{Bytes, Direction};

use crate::checked::{Against, CheckedVolume, each, numbers};
use crate::custom::{chance, one_of, spread};
use crate::judge::{Cause, Figure, Judgement, NEAR, Truth};
use crate::table::Table;
use crate::told;
use crate::volume::{Volume, judge_claim, judge_no_change};

/// Volumes in the daily test.
const USUAL: usize = 48;
/// Share of the nominal rate from which a claim is false.
const ABOVE: f64 = 1.15;
/// Share of the lowest level up to which a claim is true.
const BELOW: f64 = 0.8;

/// An ailment of a volume.
struct Ailment {
    words: String,
    /// Share of the nominal rate that is left on average.
    mean: f64,
    /// Levels other than the nominal one to which the volume can be limited, as shares of it.
    levels: Vec<f64>,
    /// Whether the rate that it lets through changes.
    moves: bool,
    /// Whether some I/O bypasses its limits.
    passes: bool,
}

impl Ailment {
    fn steady(words: String) -> Ailment {
        Ailment { words, mean: 1.0, levels: Vec::new(), moves: false, passes: false }
    }

    fn moving(words: String, mean: f64, levels: Vec<f64>) -> Ailment {
        Ailment { words, mean, levels, moves: true, passes: false }
    }

    fn passing(words: String) -> Ailment {
        Ailment { passes: true, moves: true, ..Ailment::steady(words) }
    }

    /// Draws an ailment of kind `kind`.
    fn drawn(kind: usize, random: &mut Stream) -> Ailment {
        let percent = |random: &mut Stream, of: &[u32]| *one_of(random, of);
        match kind {
            0 => {
                let (sd, rho) = (percent(random, &[1, 5, 10]), one_of(random, &["0", "0.3", "0.6", "0.8"]));
                Ailment::moving(format!("noise={sd}%,rho={rho}"), 1.0, Vec::new())
            }
            1 => {
                let (sd, over) = (percent(random, &[2, 5]), one_of(random, &["60s", "300s"]));
                Ailment::moving(format!("slow={sd}%,slow_over={over}"), 1.0, Vec::new())
            }
            2 => Ailment::moving(format!("flicker={}%", percent(random, &[1, 3, 6])), 1.0, Vec::new()),
            3 => {
                let (share, length, every) = (
                    percent(random, &[20, 40, 60]),
                    *one_of(random, &[5u32, 10, 30]),
                    *one_of(random, &[40u32, 60, 120]),
                );
                let left = 1.0 - f64::from(share) / 100.0;
                let mean = 1.0 - (1.0 - left) * f64::from(length) / f64::from(every);
                let pace = one_of(random, &["even", "poisson"]);
                let words = format!(
                    "neighbour={share}%,neighbour_for={length}s,neighbour_every={every}s,neighbour_pace={pace}"
                );
                Ailment::moving(words, mean, vec![left])
            }
            4 => {
                let (low, high_s, low_s) =
                    (percent(random, &[30, 50, 80]), random.below(60) + 2, random.below(60) + 2);
                let left = f64::from(low) / 100.0;
                let mean = (high_s as f64 + left * low_s as f64) / (high_s + low_s) as f64;
                Ailment::moving(format!("cap_low={low}%,wave={high_s}s/{low_s}s"), mean, vec![left])
            }
            5 => {
                let (length, every) =
                    (*one_of(random, &[100u32, 300, 1000]), *one_of(random, &[5u32, 10, 30]));
                let pace = one_of(random, &["even", "poisson"]);
                let mean = 1.0 - f64::from(length) / 1000.0 / f64::from(every);
                Ailment::moving(
                    format!("stall={length}ms,stall_every={every}s,stall_pace={pace}"),
                    mean,
                    Vec::new(),
                )
            }
            6 => Ailment::steady("tail=0.01%,tail_latency=300ms".to_owned()),
            7 => Ailment::steady(format!(
                "mode={}%,mode_factor={}",
                percent(random, &[10, 30, 70]),
                one_of(random, &["5", "10", "0.1"])
            )),
            8 => Ailment::steady(format!("slice={}ms", one_of(random, &[1u32, 10, 50, 100]))),
            9 => Ailment::steady(format!("corner={}", one_of(random, &["1", "2", "4"]))),
            10 => {
                let (length, every) = (*one_of(random, &[50u32, 200, 500]), *one_of(random, &[1u32, 3, 10]));
                Ailment::steady(format!("theft={length}ms,theft_every={every}s,theft_pace=poisson"))
            }
            11 => Ailment::passing(format!(
                "cache={}MiB,cache_latency=2ms,size=4GiB",
                one_of(random, &[256u32, 1024, 4096])
            )),
            12 => Ailment::passing("thin=2ms,size=4GiB".to_owned()),
            13 => {
                let size = one_of(random, &[64u32, 1024, 8192]);
                let words = format!("write_back={size}MiB,drain=64MiB/s,write_back_latency=2ms");
                Ailment::moving(words, 1.0, Vec::new())
            }
            14 => Ailment::passing("first_touch=30ms,size=4GiB".to_owned()),
            _ => {
                Ailment::moving("second_iops=100,second_for=20s,second_every=60s".to_owned(), 0.9, vec![0.8])
            }
        }
    }
}

/// Volumes on busy machines in the daily test.
const USUAL_BUSY: usize = 32;

/// A volume with its ailments.
pub struct Sick {
    pub words: String,
    ailments: Vec<Ailment>,
}

impl Sick {
    pub fn new(number: usize) -> Sick {
        let mut random = Stream::new(number as u64, 200);
        let (iops, mib) = (spread(&mut random, 500.0, 4000.0), spread(&mut random, 40.0, 300.0));
        let latency = spread(&mut random, 200.0, 4000.0);
        // Every kind comes in turn; a second and a third are drawn.
        let mut kinds = vec![number % 16];
        while chance(&mut random, 0.4) && kinds.len() < 3 {
            let kind = random.below(16) as usize;
            let sizes = |kind: &usize| matches!(kind, 11 | 12 | 14);
            let again = kinds.contains(&kind) || (sizes(&kind) && kinds.iter().any(sizes));
            if !again {
                kinds.push(kind);
            }
        }
        let ailments: Vec<Ailment> =
            kinds.into_iter().map(|kind| Ailment::drawn(kind, &mut random)).collect();
        let ails: Vec<&str> = ailments.iter().map(|ailment| ailment.words.as_str()).collect();
        let words = format!(
            "custom,iops={iops},bandwidth={mib}MiB/s,latency={latency}us,{},seed={}",
            ails.join(","),
            number + 1
        );
        Sick { words, ailments }
    }

    /// Draws a constant volume on a busy machine: plimsoll and what serves the volume both wait for processors, for 5 to
    /// 500 ms, for 1 to 20 % of the time; half of the volumes let I/O through in slices, some of which drift against the
    /// intervals, and a third have a neighbour below them all the time.
    fn busy(number: usize) -> Sick {
        let mut random = Stream::new(number as u64, 201);
        let (iops, mib) = (spread(&mut random, 300.0, 16_000.0), spread(&mut random, 30.0, 400.0));
        let latency = spread(&mut random, 100.0, 2000.0);
        let mut waits = |name: &str| {
            let length = spread(&mut random, 5.0, 500.0);
            let share = spread(&mut random, 1.0, 20.0) / 100.0;
            let words = format!(
                "{name}={length}ms,{name}_every={every:.0}ms,{name}_pace=poisson",
                every = length / share
            );
            (words, 1.0 - share)
        };
        let (own, _) = waits("theft");
        let (of_volume, left) = waits("stall");
        let slices = one_of(&mut random, &["", "", ",slice=100ms", ",slice=20ms", ",slice=103ms"]);
        // The neighbour is charged to the same meter.
        let neighbour = chance(&mut random, 0.33).then_some(iops / 10.0);
        let second = neighbour.map_or(String::new(), |rate| format!(",second_iops={rate:.0}"));
        let words = format!(
            "custom,iops={iops},bandwidth={mib}MiB/s,latency={latency}us,jitter=0.3,{own},{of_volume}{slices}{second},seed={}",
            number + 1
        );
        let steady = |levels: Vec<f64>, mean| Ailment { levels, mean, ..Ailment::steady(String::new()) };
        let bytes = 1.0 - 409.6 * iops / (mib * 1_048_576.0);
        let own = if neighbour.is_some() { vec![0.9, bytes] } else { Vec::new() };
        Sick { words, ailments: vec![steady(own, left)] }
    }

    fn mean(&self) -> f64 {
        self.ailments.iter().map(|ailment| ailment.mean).product()
    }

    /// Whether some I/O bypasses its limits.
    fn passes(&self) -> bool {
        self.ailments.iter().any(|ailment| ailment.passes)
    }

    /// Judges what was reported of a rate.
    pub fn rate(&self, told: Figure, truth: Truth) -> Judgement {
        let of = |level: &f64| level * truth.rate;
        let at_a_level = self.levels().iter().map(of).any(|level| told.agrees(level));
        if told.at_least {
            // A lower bound says nothing about what is above, but the bound itself must be true.
            let most = self.levels().iter().map(of).fold(0.0, f64::max);
            // A cache that is not full yet accepts writes at any rate that depth and latency allow: that rate was
            // reached, and how long it lasts is judged by the answers.
            let cached = told.cause == Cause::InFlight && self.words.contains("write_back");
            let is_there = cached || self.passes() || told.low <= most * (1.0 + NEAR);
            return if is_there { Judgement::Open } else { Judgement::SureWrong };
        }
        let named = told.cause.agrees(truth.cause) || truth.near_another;
        match (told.cause == Cause::Unknown, told.is_sure()) {
            // No cause is named. What bypasses the limits has rates that are none of their levels.
            (true, _) if at_a_level || self.passes() => Judgement::Open,
            (false, _) if at_a_level && named => Judgement::Right,
            (_, true) if at_a_level || self.passes() => Judgement::SureCause,
            (_, true) => Judgement::SureWrong,
            (_, false) if at_a_level => Judgement::Cause,
            (_, false) => Judgement::Wrong,
        }
    }

    /// Returns the levels of the volume, as shares of the nominal rate.
    fn levels(&self) -> Vec<f64> {
        let lower = self.ailments.iter().flat_map(|ailment| ailment.levels.iter().copied());
        lower.chain([1.0, self.mean()]).collect()
    }
}

fn judge(sick: &Sick) -> Table {
    let mut table = Table::default();
    let checked = CheckedVolume::of(&sick.words, "");
    let volume = Volume::of(&sick.words, Level::Baseline);
    let found = checked.analysis(&Against::Nothing);
    let command = checked.command(&Against::Nothing);
    for direction in [Direction::Read, Direction::Write] {
        let told_of_operations = told::operations(&found, direction);
        let (small, large) = (volume.small(direction, told_of_operations), volume.bandwidth(direction));
        for (quantity, told, truth) in [
            ("cap of operations", told_of_operations, small),
            ("cap of bytes", told::bytes(&found, direction), large),
        ] {
            let judged = told.map_or(Judgement::Open, |told| sick.rate(told, truth));
            let what = || format!("{direction:?} {told:?} for {truth:?} at {:?}", sick.levels());
            table.add(quantity, judged, (&command, &what));
        }
        let name = direction.name();
        let small = volume.truth(direction, Bytes::kib(4));
        if !sick.passes() && !small.near_another {
            judge_claim(&checked, &format!("{name} {:.0} iops", small.rate * ABOVE), 1.0 / ABOVE, &mut table);
        }
        let lowest = sick.levels().into_iter().fold(1.0, f64::min);
        let true_one = format!("{name} {:.0} iops", small.rate * lowest * BELOW);
        judge_claim(&checked, &true_one, 1.0 / BELOW, &mut table);
    }
    if sick.ailments.iter().all(|ailment| !ailment.moves) {
        judge_no_change(&found, (&command, &mut table));
    }
    table
}

#[test]
fn sick() {
    let cases: Vec<Sick> = numbers(USUAL).map(Sick::new).collect();
    Table::of(each(&cases, judge)).conclude("sick", cases.len());
}

#[test]
fn busy() {
    let cases: Vec<Sick> = numbers(USUAL_BUSY).map(Sick::busy).collect();
    Table::of(each(&cases, judge)).conclude("busy", cases.len());
}

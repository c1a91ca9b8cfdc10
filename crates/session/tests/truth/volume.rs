//! What is true of a simulated volume whose limits do not change, and the judgement of a whole check of it.

use analysis::{Analysis, Answer, Confidence, LatencyRole};
use policy::{Level, Limits, Load, Resource};
use workload::{Bytes, Direction, PolicyName};

use crate::checked::{Against, CheckedVolume};
use crate::judge::{Cause, Figure, Judgement, NEAR, Truth, answer, rate, size};
use crate::table::Table;
use crate::told;

const SMALL: Bytes = Bytes::kib(4);
/// The smallest block size of a check's probes.
const TINY: Bytes = Bytes(512);
const LARGE: Bytes = Bytes::MIB;
/// The deepest queue of a check.
const DEPTH_MAX: f64 = 256.0;
/// The most bytes that a check keeps in flight.
const IN_FLIGHT_MAX: f64 = experiments::CheckAsk::IN_FLIGHT_MOST.0 as f64;
/// Latency of one I/O that the simulator assumes by default, in seconds.
const LATENCY: f64 = 800e-6;
/// Latency of a write into a write-back cache by default, in seconds.
const WRITE_BACK_LATENCY: f64 = 50e-6;
/// Coefficient of variation that the simulator assumes by default.
const JITTER: f64 = 0.1;
/// Standard errors within which the mean of a log-normal latency lies. (Of a thousand means of 900 values whose
/// coefficient of variation is 2, with the skewness of a gamma distribution, four are more than three above the
/// truth, and one in 15,000 more than five.)
const ERRORS: f64 = 5.0;
/// Relative difference below which two limits cannot be distinguished.
const APART: f64 = 0.1;

/// A simulated volume whose limits stay the same all the time.
pub struct Volume {
    pub limits: Option<Limits>,
    pub level: Level,
    /// Latency of a single I/O in seconds, by direction.
    pub latency: [f64; 2],
    /// Coefficient of variation of that latency.
    pub spread: f64,
    /// Servers: their number, mean seconds of service, bytes a second of one.
    pub servers: Option<(f64, f64, f64)>,
    /// A cache that takes writes past the rules: bytes a second that it drains, seconds of a write into it.
    pub write_back: Option<(f64, f64)>,
    /// Whether the rate at which anything is let through stays constant.
    pub steady: bool,
}

pub const DIRECTIONS: [Direction; 2] = [Direction::Read, Direction::Write];

/// Returns the value of a parameter in the words.
pub fn typed<'w>(words: &'w str, name: &str) -> Option<&'w str> {
    words.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

fn seconds(words: &str, name: &str) -> Option<f64> {
    typed(words, name).map(|value| workload::duration(value).unwrap().as_secs_f64())
}

impl Volume {
    pub fn of(words: &str, level: Level) -> Volume {
        let (limits, _) = policy::evaluate_with_rest(&PolicyName::parse(words).unwrap()).unwrap();
        let read = seconds(words, "latency").unwrap_or(LATENCY);
        let write = seconds(words, "write_latency").unwrap_or(read);
        let servers = typed(words, "servers").map(|servers| {
            let bandwidth = typed(words, "server_bandwidth")
                .map_or(f64::INFINITY, |rate| workload::rate(rate).unwrap().0);
            (servers.parse().unwrap(), seconds(words, "service").unwrap(), bandwidth)
        });
        let limits = Some(limits).filter(|limits| !limits.limits.is_empty());
        let write_back = typed(words, "drain").map(|drain| {
            let alone = seconds(words, "write_back_latency").unwrap_or(WRITE_BACK_LATENCY);
            (workload::rate(drain).unwrap().0, alone)
        });
        let number = |name: &str| typed(words, name).map(|value| value.parse::<f64>().unwrap());
        let spread = number("jitter").unwrap_or(JITTER).max(number("service_cv").unwrap_or(0.0));
        Volume { limits, level, latency: [read, write], spread, servers, write_back, steady: true }
    }

    /// Returns what limits random I/O of this size in this direction, in operations a second.
    pub fn truth(&self, direction: Direction, block: Bytes) -> Truth {
        if let Some((drain, alone)) = self.write_back.filter(|_| direction == Direction::Write) {
            let in_flight = DEPTH_MAX.min(IN_FLIGHT_MAX / block.0 as f64) / alone;
            return tightest(vec![(in_flight, Cause::InFlight), (drain / block.0 as f64, Cause::Bytes)]);
        }
        let alone = self.latency[direction.index()];
        let service = self.servers.map_or(0.0, |(_, service, rate)| service + block.0 as f64 / rate);
        let in_flight = DEPTH_MAX.min(IN_FLIGHT_MAX / block.0 as f64) / (alone + service);
        let mut holds = vec![(in_flight, Cause::InFlight)];
        if let Some((servers, ..)) = self.servers {
            holds.push((servers / service, Cause::Servers));
        }
        for (rate, cause) in self.rules(direction, block) {
            holds.push((rate, cause));
        }
        tightest(holds)
    }

    fn rules(&self, direction: Direction, block: Bytes) -> Vec<(f64, Cause)> {
        let load = Load::random(direction, block);
        let Some(limits) = &self.limits else { return Vec::new() };
        let covering = limits.limits.iter().filter(|limit| limit.direction.covers(direction));
        covering
            .map(|limit| {
                let charge = limit.charge(block, load.locality);
                let cause = match (limit.resource, &limit.accounting) {
                    (Resource::Iops, None) => Cause::Operations,
                    (Resource::Iops, Some(_)) if charge <= 1.0 => Cause::Operations,
                    (Resource::Bytes, None) => Cause::Bytes,
                    (Resource::Iops | Resource::Bytes, Some(_)) => Cause::Unit,
                };
                (limit.rate(self.level) / charge, cause)
            })
            .collect()
    }

    /// Returns what limits the largest blocks, in bytes a second.
    pub fn bandwidth(&self, direction: Direction) -> Truth {
        let truth = self.truth(direction, LARGE);
        Truth { rate: truth.rate * LARGE.0 as f64, ..truth }
    }

    /// Returns the truth to compare a report on small blocks with: if bytes limit blocks of 4 KiB, a cap on
    /// operations is measured with smaller blocks.
    pub fn small(&self, direction: Direction, told: Option<Figure>) -> Truth {
        let small = self.truth(direction, SMALL);
        let told_of_smaller = told.is_some_and(|told| told.cause == Cause::Operations);
        if told_of_smaller && small.cause == Cause::Bytes { self.truth(direction, TINY) } else { small }
    }

    /// Returns the size above which bytes are the limit, if both caps limit and no unit lies between.
    pub fn crossover(&self, direction: Direction, small: Truth) -> Option<f64> {
        let large = self.bandwidth(direction);
        let both = small.cause == Cause::Operations && large.cause == Cause::Bytes;
        let counted = self.limits.as_ref().is_some_and(|limits| {
            limits.limits.iter().any(|limit| {
                limit
                    .accounting
                    .is_some_and(|accounting| (accounting.unit.0 as f64) < large.rate / small.rate)
            })
        });
        (both && !counted).then(|| large.rate / small.rate)
    }

    /// Judges everything that a check of it reported.
    pub fn judge(&self, checked: &CheckedVolume, table: &mut Table) {
        let found = checked.analysis(&Against::Nothing);
        let command = checked.command(&Against::Nothing);
        for direction in DIRECTIONS {
            self.judge_direction(&found, direction, (&command, table));
        }
        if self.steady {
            judge_no_change(&found, (&command, table));
        }
        if self.limits.is_some() {
            let found = checked.analysis(&Against::Itself);
            for row in &found.verdict.rows {
                // Compared with itself, it is neither more nor less.
                let judged = match row.answer {
                    Answer::Meets => Judgement::Right,
                    Answer::Below | Answer::Exceeds => Judgement::SureWrong,
                    Answer::ConsistentWithBurst | Answer::CannotTell | Answer::Measured => Judgement::Open,
                };
                let what = || format!("{}: {:?} by {:?}", row.what, row.answer, row.measured);
                table.add("held against itself", judged, (&command, &what));
            }
        }
    }

    fn judge_direction(&self, found: &Analysis, direction: Direction, to: (&str, &mut Table)) {
        let (command, table) = to;
        let large = self.bandwidth(direction);
        let told = told::operations(found, direction);
        let small = self.small(direction, told);
        let what = || format!("{direction:?} {told:?} for {small:?}");
        table.add("greatest rate of 4 KiB", rate(told, small), (command, &what));
        let told = told::bytes(found, direction);
        let judged = match (told, large.cause) {
            // Operations, servers or the bytes in flight limit the largest block, so it is right to report no
            // bandwidth.
            (None, Cause::Operations | Cause::Servers) => Judgement::Open,
            _ => rate(told, large),
        };
        let what = || format!("{direction:?} {told:?} for {large:?}");
        table.add("greatest rate of 1 MiB", judged, (command, &what));
        let (told, truth) = (told::crossover(found, direction), self.crossover(direction, small));
        let may_be_either = small.near_another || large.near_another;
        if let Some(judged) = size(told, truth).filter(|_| !may_be_either) {
            table.add("crossover", judged, (command, &|| format!("{direction:?} {told:?} for {truth:?}")));
        }
        self.judge_latency(found, direction, (command, table));
    }

    /// Judges the latency of a single I/O that the caps do not delay.
    fn judge_latency(&self, found: &Analysis, direction: Direction, (command, table): (&str, &mut Table)) {
        let service = self.servers.map_or(0.0, |(_, service, rate)| service + SMALL.0 as f64 / rate);
        let truth = self.latency[direction.index()] + service;
        let Some(row) = told::alone(found, direction) else {
            table.add("latency of one I/O", Judgement::Missed, (command, &|| format!("{direction:?}")));
            return;
        };
        let error = (ERRORS * self.spread / (row.count.max(1) as f64).sqrt()).max(NEAR);
        let near = |truth: f64| (row.mean_ns / 1e9 / truth - 1.0).abs() <= error;
        let stretched = truth.max(1.0 / self.truth(direction, SMALL).rate);
        let judged = match (near(truth), row.role == LatencyRole::Base && near(stretched)) {
            (true, _) => Judgement::Right,
            // I/Os that follow each other at once: a cap that limits at depth 1 stretches them, and the row says
            // so.
            (false, true) => Judgement::HeldBack,
            (false, false) => Judgement::SureWrong,
        };
        let what = || format!("{direction:?} {} ns of {truth} s, {}", row.mean_ns, row.step);
        table.add("latency of one I/O", judged, (command, &what));
    }
}

/// Returns the lowest of the rates at which something limits a load.
fn tightest(mut holds: Vec<(f64, Cause)>) -> Truth {
    holds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (rate, cause) = holds[0];
    let near_another = holds[1..].iter().any(|(other, of)| *other < rate * (1.0 + APART) && *of != cause);
    Truth { rate, cause, near_another }
}

/// Judges whether a volume that does not change is reported to change.
pub fn judge_no_change(found: &Analysis, (command, table): (&str, &mut Table)) {
    let changes = told::changes(found);
    let judged = match changes.iter().map(|change| change.confidence).max() {
        None => Judgement::Right,
        Some(confidence) if confidence >= Confidence::Likely => Judgement::SureWrong,
        Some(_) => Judgement::Wrong,
    };
    table.add("no change", judged, (command, &|| format!("{changes:?}")));
}

/// Judges the verdict on a claim, of which the volume sustains `share`.
pub fn judge_claim(checked: &CheckedVolume, claim: &str, share: f64, table: &mut Table) -> Vec<Answer> {
    let against = Against::Expectation(claim.to_owned());
    let found = checked.analysis(&against);
    let judged = answer(found.verdict.answer, share);
    let what =
        || format!("{:?} at {share:.3} of it: {:?}", found.verdict.answer, found.verdict.rows[0].measured);
    table.add("answer to a claim", judged, (&checked.command(&against), &what));
    found.verdict.rows.iter().map(|row| row.answer).collect()
}

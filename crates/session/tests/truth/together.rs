//! Several volumes at once, behind machines of known limits: budgets of operations and of bytes, none, a volume
//! that passes first, steady and noisy; and volumes that share nothing, but whose burst ends, whose caps swing, or
//! whose user lacks a processor at times.

use analysis::{
    LevelUnit, LoadTogether, ProcedureAnswer, Reach, Standing, TogetherAnswer, TogetherDoubt, analyse,
};
use experiments::{Layout, TogetherAsk, next_together_step, together_looks_most};
use record::Run;
use session::{VirtualRunner, conduct};
use statistics::Stream;
use volumes::SimulatedGroup;
use workload::{
    Bytes, Direction, Nanos, PolicyName, ProcedureRequest, TogetherLoad, TogetherRequest, TogetherVolume,
};

use crate::checked::{Nobody, each, is_full, numbers};
use crate::judge::{Judgement, NEAR};
use crate::table::Table;

/// Seconds of a look.
const LOOK_S: f64 = 4.0;
const DEPTH: u32 = 64;
/// Share of what all have alone from which a budget takes too little to be detected.
const BARELY: f64 = 0.92;
/// Ratio of two budgets from which either may be the one that limits.
const TIE: f64 = 0.9;
const MIB: f64 = 1048576.0;

/// What stands before the volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Operations,
    Bytes,
    Both,
    None,
    Unfair,
    Draining,
    Swinging,
    Starving,
}

const KINDS: [Kind; 8] = [
    Kind::Operations,
    Kind::Bytes,
    Kind::Both,
    Kind::None,
    Kind::Unfair,
    Kind::Draining,
    Kind::Swinging,
    Kind::Starving,
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Operations => "a budget of operations",
            Kind::Bytes => "a budget of bytes",
            Kind::Both => "budgets of both",
            Kind::None => "no budget",
            Kind::Unfair => "one passes first",
            Kind::Draining => "bursts that end",
            Kind::Swinging => "volumes that swing",
            Kind::Starving => "no processor at times",
        }
    }
}

/// A volume by what limits it alone.
#[derive(Clone, Copy, Debug)]
struct Own {
    iops: f64,
    bytes: f64,
    latency_s: f64,
}

impl Own {
    /// Returns operations a second of this block size at full depth, before the machine.
    fn rate(&self, block: f64) -> f64 {
        self.iops.min(self.bytes / block).min(f64::from(DEPTH) / self.latency_s)
    }
}

/// Volumes behind a machine.
struct Case {
    kind: Kind,
    own: Vec<Own>,
    words: Vec<String>,
    /// Operations and bytes a second; infinite without such a budget.
    budget: (f64, f64),
    noise: f64,
}

fn case(number: usize) -> Case {
    let mut random = Stream::new(0x70_67_65, number as u64);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit_f64();
    let kind = KINDS[number % KINDS.len()];
    let count = 2 + (number / KINDS.len()) % 3;
    let own: Vec<Own> = (0..count)
        .map(|_| Own {
            iops: between(400.0, 6000.0).round(),
            bytes: between(20.0, 300.0).round() * MIB,
            latency_s: between(150.0, 900.0).round() / 1e6,
        })
        .collect();
    let noise = if between(0.0, 1.0) < 0.4 { 0.0 } else { between(0.01, 0.08) };
    let sum = |block: f64| own.iter().map(|one| one.rate(block)).sum::<f64>();
    let (operations, bytes) = (between(0.3, 0.85), between(0.3, 0.85));
    let iops = (operations * sum(4096.0)).round();
    let bytes = (bytes * sum(262_144.0) * 262_144.0 / 1024.0).round() * 1024.0;
    let budget = match kind {
        Kind::Operations | Kind::Unfair => (iops, f64::INFINITY),
        Kind::Bytes => (f64::INFINITY, bytes),
        Kind::Both => (iops, bytes),
        Kind::None | Kind::Draining | Kind::Swinging | Kind::Starving => (f64::INFINITY, f64::INFINITY),
    };
    let mut case = Case { kind, own, words: Vec::new(), budget, noise };
    case.words = (0..count).map(|at| case.words_of(at, number)).collect();
    case
}

impl Case {
    fn words_of(&self, at: usize, number: usize) -> String {
        let Own { iops, bytes, latency_s } = self.own[at];
        let mut words = format!(
            "custom,iops={iops},bandwidth={bytes}B/s,latency={:.0}us,seed={}",
            latency_s * 1e6,
            1 + number * 16 + at
        );
        let mut also = |more: String| words += &format!(",{more}");
        if self.kind == Kind::Draining && at == 0 {
            // It ends during the looks at small reads.
            also(format!("burst_iops={},bucket={}", 4.0 * iops, 60.0 * iops));
        }
        if self.kind == Kind::Swinging {
            let mut random = Stream::new(0x77_61_76, (number * 16 + at) as u64);
            let mut between = |low: f64, high: f64| low + (high - low) * random.unit_f64();
            let (low, high) = (between(2.0, 60.0), between(2.0, 45.0));
            also(format!("cap_low={:.0}%,wave={high:.1}s/{low:.1}s", between(20.0, 80.0)));
        }
        if self.kind == Kind::Starving && at == 0 {
            also(format!("theft={}ms,theft_every=1s,theft_pace=poisson", 20 + 40 * (number % 7)));
        }
        if self.noise > 0.0 {
            also(format!("noise={:.2}%", 25.0 * self.noise));
        }
        if at == 0 {
            if self.budget.0.is_finite() {
                also(format!("machine_iops={}", self.budget.0));
            }
            if self.budget.1.is_finite() {
                also(format!("machine_bandwidth={}B/s", self.budget.1));
            }
            if self.noise > 0.0 && self.budget.0.min(self.budget.1).is_finite() {
                also(format!("machine_noise={:.2}%", 100.0 * self.noise));
            }
            if self.kind == Kind::Unfair {
                also("machine_share=80%".to_owned());
            }
        }
        words
    }

    fn asked(&self) -> TogetherRequest {
        let label = |at: usize| char::from(b'A' + at as u8).to_string();
        let volume = |(at, words): (usize, &String)| TogetherVolume {
            label: label(at),
            words: format!("sim:{words}"),
            devices: Vec::new(),
        };
        let load = |block| TogetherLoad { direction: Direction::Read, block };
        let mut asked = TogetherRequest {
            volumes: self.words.iter().enumerate().map(volume).collect(),
            loads: vec![load(TogetherRequest::SMALL), load(TogetherRequest::LARGE)],
            depth: DEPTH,
            shallow: 4,
            seed: 1,
            ..TogetherRequest::default()
        };
        asked.time = Nanos::from_secs_f64(LOOK_S * together_looks_most(&asked) as f64);
        asked
    }

    fn command(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|words| format!("'sim:{words}'")).collect();
        format!("plimsoll check {} --together", words.join(" "))
    }

    fn answer(&self) -> TogetherAnswer {
        let asked = self.asked();
        let names: Vec<PolicyName> =
            self.words.iter().map(|words| PolicyName::parse(words).unwrap()).collect();
        let group = SimulatedGroup::new(&names).unwrap_or_else(|error| panic!("{}: {error}", self.command()));
        let labels: Vec<String> = asked.volumes.iter().map(|volume| volume.label.clone()).collect();
        let mut runner = VirtualRunner::on(group, &labels);
        let layouts = vec![Layout::None; labels.len()];
        let ask = TogetherAsk { asked: asked.clone(), layouts, in_flight_most: Bytes::mib(256) };
        let (steps, error) = conduct(&|done| next_together_step(&ask, done), &mut runner, &mut Nobody);
        assert!(error.is_none(), "{}: {error:?}", self.command());
        let mut run = Run::started(vec!["check".into()], 0);
        (run.steps, run.complete) = (steps, true);
        run.asked = Some(ProcedureRequest::Together(asked));
        match analyse(&run, None, None).answered {
            Some(ProcedureAnswer::Together(answer)) => answer,
            other => panic!("{}: {other:?}", self.command()),
        }
    }

    /// Returns what the machine lets through of a block size, and whether operations or bytes limit it; `None` if
    /// they are close to each other.
    fn machine(&self, block: f64) -> (f64, Option<LevelUnit>) {
        let (operations, bytes) = (self.budget.0, self.budget.1 / block);
        let near = operations.min(bytes) / operations.max(bytes) > TIE;
        let counted = if operations < bytes { LevelUnit::Operations } else { LevelUnit::Bytes };
        (operations.min(bytes), (!near).then_some(counted))
    }

    fn judge(&self) -> Outcome {
        let answer = self.answer();
        let mut outcome =
            Outcome { kind: self.kind, table: Table::default(), off: Vec::new(), held: Vec::new() };
        for load in &answer.loads {
            let judged = self.of_load(load, &mut outcome);
            let told = || {
                format!(
                    "{:?} total {:?} of alone {:?}, truth {:?}",
                    load.reach,
                    load.total,
                    load.alone,
                    self.machine(load.load.block.0 as f64)
                )
            };
            outcome.table.add(self.kind.name(), judged, (&self.command(), &told));
        }
        for budget in &answer.budgets {
            let (_, truth) = self.machine(budget.load.block.0 as f64);
            let judged = match (budget.counted, truth) {
                (Some(told), Some(truth)) if told != truth => Judgement::SureCause,
                (None, Some(_)) => Judgement::HeldBack,
                _ if budget.standing == Standing::Machine => Judgement::Right,
                _ => Judgement::SureCause,
            };
            outcome.table.add("what it counts", judged, (&self.command(), &|| format!("{budget:?}")));
        }
        outcome
    }

    fn of_load(&self, load: &LoadTogether, outcome: &mut Outcome) -> Judgement {
        let block = load.load.block.0 as f64;
        let alone: f64 = self.own.iter().map(|own| own.rate(block).min(self.machine(block).0)).sum();
        let truth = self.machine(block).0.min(alone);
        let share = truth / alone;
        match (&load.reach, load.total) {
            (Reach::Held, Some(_)) if share > 0.995 => Judgement::SureWrong,
            (Reach::Held, Some(total)) => {
                let off = total.value / truth - 1.0;
                let within = total.low <= truth && truth <= total.high;
                outcome.off.push(off);
                outcome.held.push(within);
                match (within || off.abs() <= NEAR, off.abs() <= 2.0 * NEAR) {
                    (true, _) => Judgement::Right,
                    (false, true) => Judgement::Wrong,
                    (false, false) => Judgement::SureWrong,
                }
            }
            (Reach::Whole, _) if share >= 0.96 => Judgement::Right,
            (Reach::Whole, _) if share >= 0.9 => Judgement::Wrong,
            (Reach::Whole, _) => Judgement::SureWrong,
            (Reach::Open(TogetherDoubt::Changed(_)), _)
                if matches!(self.kind, Kind::Draining | Kind::Swinging) =>
            {
                Judgement::Right
            }
            // That nothing is shared is never reported of volumes whose rate changes.
            (Reach::Open(_), _) if matches!(self.kind, Kind::Swinging | Kind::Starving) => Judgement::Open,
            (Reach::Open(_), _) if share > BARELY && share < 0.995 => Judgement::Open,
            (Reach::Open(_) | Reach::Held, _) => Judgement::HeldBack,
        }
    }
}

/// Result of one case.
struct Outcome {
    kind: Kind,
    table: Table,
    /// Relative errors of the budgets.
    off: Vec<f64>,
    /// Whether each interval contains the truth.
    held: Vec<bool>,
}

fn figures(outcomes: &[Outcome], kind: Kind) -> String {
    let of_kind = || outcomes.iter().filter(move |outcome| outcome.kind == kind);
    let off: Vec<f64> = of_kind().flat_map(|outcome| outcome.off.iter().copied()).collect();
    let held: Vec<bool> = of_kind().flat_map(|outcome| outcome.held.iter().copied()).collect();
    let near = off.iter().filter(|off| off.abs() <= NEAR).count();
    let mean = off.iter().sum::<f64>() / off.len().max(1) as f64;
    let most = off.iter().map(|off| off.abs()).fold(0.0, f64::max);
    format!(
        "{} budgets told: {near} within 3 %, mean {:+.1} %, at most {:.1} %; {} of {} intervals hold it",
        off.len(),
        100.0 * mean,
        100.0 * most,
        held.iter().filter(|held| **held).count(),
        held.len()
    )
}

#[test]
fn together() {
    let each_kind = if is_full() { KINDS.len() } else { 1 };
    let cases: Vec<Case> = numbers(12)
        .flat_map(|number| (0..each_kind).map(move |more| case(number * each_kind + more)))
        .collect();
    let outcomes = each(&cases, Case::judge);
    let mut all = Table::default();
    for kind in [Kind::Operations, Kind::Bytes, Kind::Both, Kind::Unfair] {
        all.figures.insert(kind.name().to_owned(), figures(&outcomes, kind));
    }
    outcomes.into_iter().for_each(|outcome| all.merge(outcome.table));
    all.conclude("together", cases.len());
}

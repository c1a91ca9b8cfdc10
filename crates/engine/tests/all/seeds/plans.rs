//! Random plans: offsets, lengths, pace, mix, depth, ends and terms, each drawn independently.

use statistics::Stream;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Errnos, Exit, FileOrder, FileTurn, Flush, Follow, Iops,
    LengthShare, Lengths, LengthsBy, Mix, Nanos, OnError, Order, Pace, Pieces, Reach, Repeats, Runs, Spread,
    StepPlan, StopRule, Terms, Think, WorkerPlan,
};

use crate::vocabulary::{MS, at_depth, file, step};

/// Regions of worker `number` begin at `number << WORKER`, so that an offset tells its worker.
pub const WORKER: u32 = 40;
/// Regions of file `number` of a worker begin at `number << FILE` after that.
pub const FILE: u32 = 32;

/// A random element of `of`.
fn one<T: Clone>(random: &mut Stream, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize].clone()
}

/// True once in `times` on average.
fn once_in(random: &mut Stream, times: u64) -> bool {
    random.below(times) == 0
}

pub fn random(random: &mut Stream) -> StepPlan {
    let workers = 1 + random.below(4);
    let mut workers: Vec<WorkerPlan> = (0..workers).map(|number| worker(random, number)).collect();
    // The fourth is a clone of the first: workers of one job are on the same terms.
    if let [first, .., fourth] = workers.as_mut_slice()
        && first.job == fourth.job
    {
        fourth.terms = first.terms.clone();
    }
    let mut plan = step(workers, StopRule::Time(Nanos(20 * MS + random.below(300 * MS))));
    if once_in(random, 3) {
        plan.stop.push(amount(random));
    }
    plan.interval = Nanos(1 + random.below(120 * MS));
    plan.interval = plan.interval.max(Nanos(5 * MS));
    if once_in(random, 3) {
        plan.ramp = Nanos(random.below(60 * MS));
    }
    plan
}

fn amount(random: &mut Stream) -> StopRule {
    match random.below(3) {
        0 => StopRule::OpsEach(1 + random.below(400)),
        1 => StopRule::WrittenEach(Bytes((1 + random.below(800)) * 4096)),
        _ => StopRule::BytesEach(Bytes((1 + random.below(800)) * 4096)),
    }
}

fn worker(random: &mut Stream, number: u64) -> WorkerPlan {
    let blocks = blocks(random);
    let files = 1 + random.below(3);
    let region = |random: &mut Stream, at: u64| {
        let offset = (number << WORKER) + (at << FILE) + 512 * random.below(64);
        // Not a multiple of the blocks: the rest at the end must not be used.
        file(Bytes(offset), Bytes(512 * 1024 + 512 * random.below(4_000)))
    };
    let plan = at_depth(1 + random.below(24) as u32);
    WorkerPlan {
        job: format!("job {}", number % 3),
        files: (0..files).map(|at| region(random, at)).collect(),
        access: access(random),
        blocks,
        pace: pace(random),
        flush: if once_in(random, 3) { Flush::Every(1 + random.below(20) as u32) } else { Flush::Never },
        seed: random.next_u64(),
        terms: terms(random, number),
        ..plan
    }
}

fn length(random: &mut Stream) -> Bytes {
    Bytes(512 << random.below(8))
}

fn lengths(random: &mut Stream) -> Lengths {
    match random.below(4) {
        0 => {
            let (step, more) = (length(random), random.below(6));
            Lengths::Range { least: step, most: step * (1 + more), step }
        }
        1 => {
            let mut share = || LengthShare { length: length(random), weight: 1 + random.below(9) as u32 };
            Lengths::Shares(vec![share(), share(), share()])
        }
        _ => Lengths::Fixed(length(random)),
    }
}

fn blocks(random: &mut Stream) -> BlockSizes {
    if once_in(random, 2) {
        return BlockSizes::all(length(random));
    }
    let lengths = ByDirection { read: lengths(random), write: lengths(random), trim: lengths(random) };
    let by = if once_in(random, 5) { LengthsBy::Sequence } else { LengthsBy::Direction };
    BlockSizes { lengths, align: ByDirection::all(None), by }
}

fn access(random: &mut Stream) -> Access {
    let mix = match random.below(8) {
        0 => Mix::READ,
        1 => Mix::WRITE,
        2 => Mix::TRIM,
        3 => Mix::TRIM_WRITE,
        _ => Mix::reads(random.below(101) as u8),
    };
    let mut access = match random.below(6) {
        0 | 1 => Access::sequential(mix),
        2 => Access::partly_random(random.below(101) as u8, mix),
        3 => Access { order: Order::Random(Repeats::With), ..Access::random(mix) },
        _ => Access::random(mix),
    };
    if once_in(random, 3) {
        access.files = FileTurn { order: file_order(random), every: 1 + random.below(9) as u32 };
    }
    match random.below(12) {
        0 => access.stride = 512 * (random.below(200) as i64 - 100),
        1 => {
            access.runs = Some(Runs {
                length: 1 + random.below(9) as u32,
                follow: one(random, &[Follow::Next, Follow::Same]),
            })
        }
        2 => {
            access.pieces = Some(Pieces { range: Bytes::kib(64), size: Bytes::kib(64), skip: Bytes::kib(16) })
        }
        3 => access.spread = spread(random),
        _ => {}
    }
    access
}

fn file_order(random: &mut Stream) -> FileOrder {
    let orders = [
        FileOrder::InTurn,
        FileOrder::Random,
        FileOrder::OneByOne,
        FileOrder::Zipf { theta: 1.1 },
        FileOrder::Pareto { h: 0.3 },
        FileOrder::Normal { percent: 20.0 },
    ];
    one(random, &orders)
}

fn spread(random: &mut Stream) -> Spread {
    let center = one(random, &[None, Some(0.0), Some(0.5), Some(1.0)]);
    let spreads = [
        Spread::Zipf { theta: 1.2, center },
        Spread::Pareto { h: 0.2, center },
        Spread::Normal { percent: 10.0, center },
    ];
    one(random, &spreads)
}

fn pace(random: &mut Stream) -> Pace {
    let rate = Iops(50.0 + random.below(4_000) as f64);
    match random.below(4) {
        0 => Pace::Fixed(rate),
        1 => Pace::Poisson(rate),
        _ => Pace::Closed,
    }
}

fn terms(random: &mut Stream, number: u64) -> Terms {
    let mut terms = Terms::default();
    let reach = |random: &mut Stream| one(random, &[Reach::Itself, Reach::Group, Reach::Step]);
    terms.exit = Exit { group: (number % 2) as u32, done: Reach::Itself, failed: reach(random) };
    if once_in(random, 6) {
        terms.exit.done = reach(random);
    }
    if once_in(random, 5) {
        terms.delay = Nanos(random.below(60 * MS));
    }
    if once_in(random, 5) {
        terms.ramp = Some(Nanos(random.below(60 * MS)));
    }
    if once_in(random, 6) {
        terms.stop.push(StopRule::Time(Nanos(MS + random.below(100 * MS))));
        terms.cool = Nanos(random.below(2) * random.below(40 * MS));
    }
    if once_in(random, 5) {
        terms.stop.push(amount(random));
    }
    if once_in(random, 6) {
        let pause = Nanos(1 + random.below(10 * MS));
        let every = 1 + random.below(40) as u32;
        terms.think =
            Some(if once_in(random, 2) { Think::each(every, pause) } else { Think::burst(every, pause) });
    }
    if once_in(random, 8) {
        terms.write_pace = Some(pace(random));
    }
    if !once_in(random, 3) {
        let errnos = [Errnos::Any, Errnos::These(vec![5]), Errnos::These(Vec::new())];
        terms.on_error = OnError::Continue { reads: one(random, &errnos), writes: one(random, &errnos) };
    }
    terms
}

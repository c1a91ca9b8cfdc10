//! The greatest rate at which a latency bound is kept, in words.

pub(crate) mod charts;

use analysis::{
    Analysis, Answer, ArrivalShape, Greatest, HeadroomAnswer, HeadroomDoubt, Holds, OpenLoad,
    ProcedureAnswer, PromisedRate,
};
use workload::{HeadroomRequest, LatencyBound};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::doubt::doubt;
use crate::words::numbers::{self, IOPS};
use crate::words::phrases::capital;
use crate::words::table::Columns;
use crate::words::tiles::{Tile, TileFigure};
use crate::words::wrap::clean;

/// Returns the goal of a search, before it begins.
pub fn search_words(asked: &HeadroomRequest) -> String {
    let load: Vec<ArrivalShape> = asked.load.iter().map(ArrivalShape::of).collect();
    if !asked.rates.is_empty() {
        let rates: Vec<String> = asked.rates.iter().map(|rate| numbers::iops(*rate)).collect();
        let load = load_words(&load);
        return format!("Measures the latency at {}: {load} that arrive by chance.", rates.join(", "));
    }
    format!(
        "Searches the greatest rate at which {}: {} that arrive by chance.",
        bounds_words(&asked.bounds),
        load_words(&load)
    )
}

/// Formats a latency bound: `p99 ≤ 10 ms`.
fn bound_words(bound: LatencyBound) -> String {
    let of = bound.percent.map_or_else(|| "mean".to_owned(), |percent| format!("p{percent}"));
    format!("{of} ≤ {}", numbers::time(bound.most.0 as f64))
}

fn bounds_words(bounds: &[LatencyBound]) -> String {
    let words: Vec<String> = bounds.iter().map(|bound| bound_words(*bound)).collect();
    format!("{} {}", words.join(" and "), if words.len() == 1 { "holds" } else { "hold" })
}

/// Describes the load: `4 KiB random reads`.
fn load_words(load: &[ArrivalShape]) -> String {
    let part = |shape: &ArrivalShape| {
        let order = match shape.random_percent {
            0 => "sequential ".to_owned(),
            100 => "random ".to_owned(),
            percent => format!("{percent} % random "),
        };
        let way = match shape.read_percent {
            100 => "reads".to_owned(),
            0 => "writes".to_owned(),
            reads => format!("I/Os, {reads} % reads"),
        };
        let words = format!("{} {order}{way}", numbers::block(shape.block as f64));
        if load.len() == 1 { words } else { format!("{} {words}", numbers::share(shape.share)) }
    };
    load.iter().map(part).collect::<Vec<_>>().join(" + ")
}

/// Returns the answer of a run, or of a part of it; `None` if there was no search.
pub(crate) fn answer(analysis: &Analysis) -> Option<&HeadroomAnswer> {
    analysis.answered.as_ref()?.each().iter().find_map(|part| match part {
        ProcedureAnswer::Headroom(answer) => Some(&**answer),
        _ => None,
    })
}

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &HeadroomAnswer) -> Sheet {
    let doubts: Vec<String> = answer.doubts.iter().map(|doubt| doubt_words(*doubt).to_owned()).collect();
    let heading = "Open loads";
    let mut blocks = vec![Block::Captioned(heading.to_owned(), loads_table(answer), Columns::WordsLast)];
    if !doubts.is_empty() {
        blocks.push(Block::Items("  but     ", doubts));
    }
    let did = if answer.rates.is_empty() { "Searched" } else { "Measured" };
    blocks.push(Block::Note(format!("{did} for {}.", numbers::span(answer.seconds))).in_terminal());
    Sheet {
        command: "headroom",
        verdict: Some(verdict(answer)),
        tiles: tiles(answer),
        sections: vec![Section::of(heading, blocks)],
    }
}

/// Returns the latency at each of the rates that were given, and whether the bounds hold there.
fn at_rates(answer: &HeadroomAnswer) -> VerdictWords {
    let p99 =
        |load: &OpenLoad| load.percentiles_ns.iter().find(|(percent, _)| *percent == 99.0).map(|at| at.1);
    let each = |load: &OpenLoad| match p99(load).filter(|_| load.keeps_up) {
        Some(p99) => format!("p99 {} at {}", numbers::time(p99 as f64), numbers::iops(load.rate)),
        None => format!("{} are more than it serves", numbers::iops(load.rate)),
    };
    let latencies: Vec<String> = answer.loads.iter().map(each).collect();
    let word = word(answer);
    let open = answer.loads.iter().filter(|load| load.is_open()).count();
    let whether = match open {
        some if some > 0 && word == CANNOT_TELL => format!(" at {some} of {} rates", answer.loads.len()),
        _ => String::new(),
    };
    let stops = [held_words(answer), burst_words(answer).unwrap_or_default()];
    VerdictWords {
        word,
        rest: format!(
            "{whether}: {} ({} that arrive by chance).",
            latencies.join(", "),
            load_words(&answer.load)
        ),
        stops: stops.join(" ").trim().to_owned(),
    }
}

/// Returns where the bounds hold of the rates that were given, and what would tell where that is open.
fn held_words(answer: &HeadroomAnswer) -> String {
    let judged = |load: &&OpenLoad| !load.held.is_empty();
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for load in answer.loads.iter().filter(judged) {
        let (words, rate) = (held_at(load), numbers::iops(load.rate));
        match groups.iter_mut().find(|(other, _)| *other == words) {
            Some((_, rates)) => rates.push(rate),
            None => groups.push((words, vec![rate])),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let bounds: Vec<String> = answer.bounds.iter().map(|bound| bound_words(*bound)).collect();
    let groups: Vec<String> =
        groups.into_iter().map(|(words, rates)| format!("{words} at {}", rates.join(", "))).collect();
    let open = answer.loads.iter().any(|load| load.is_open());
    let more = if open {
        " Where it only seems so, chance may explain the share of late I/Os; --time 10m narrows it."
    } else {
        ""
    };
    format!("{}: {}.{more}", bounds.join(" and "), groups.join("; "))
}

fn held_at(load: &OpenLoad) -> &'static str {
    match load.held.iter().map(|held| held.answer).max() {
        Some(Holds::SurelyNot) => "does not hold",
        Some(Holds::SeeminglyNot) => "seems not to hold",
        _ => answer_words(load),
    }
}

/// The word of an answer that is open.
const CANNOT_TELL: &str = "CANNOT TELL";

fn word(answer: &HeadroomAnswer) -> &'static str {
    match answer.outcome() {
        Answer::Below => "BELOW",
        Answer::Meets | Answer::Exceeds => "MEETS",
        Answer::Measured => "MEASURED",
        Answer::ConsistentWithBurst => "FOR NOW",
        Answer::CannotTell => CANNOT_TELL,
    }
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &HeadroomAnswer) -> VerdictWords {
    if !answer.rates.is_empty() {
        return at_rates(answer);
    }
    let binding = answer.binds.filter(|_| answer.bounds.len() > 1);
    let binding = binding.and_then(|at| answer.bounds.get(at));
    let binding = binding.map_or_else(String::new, |bound| format!(" {} binds.", bound_words(*bound)));
    let rest = rest(answer) + &binding;
    let open = answer.is_known() && answer.outcome() == Answer::CannotTell;
    let whether = if open { " whether it is what was promised" } else { "" };
    let promised = answer.promised.iter().filter_map(|promised| promised_words(promised, answer));
    let sides = Some(sides(answer)).filter(|sides| !sides.is_empty());
    let stops = promised.chain(burst_words(answer)).chain(sides).collect::<Vec<String>>().join(" ");
    VerdictWords { word: word(answer), rest: whether.to_owned() + &rest, stops }
}

/// Returns the burst that may pay for the answer, and what the policy grants after it.
fn burst_words(answer: &HeadroomAnswer) -> Option<String> {
    let words = capital(&doubt(answer.burst.as_ref()?));
    let of_policy = answer.promised.iter().find(|promised| promised.answer.is_none());
    let after = of_policy.map_or_else(String::new, |of| {
        format!(" After it, {} grants {} of this load.", clean(&of.by), numbers::iops(of.iops))
    });
    Some(format!("{words}.{after}"))
}

/// Returns whether a promise is kept, and how much of a policy's rate random arrivals can use.
fn promised_words(promised: &PromisedRate, answer: &HeadroomAnswer) -> Option<String> {
    let (by, rate) = (clean(&promised.by), numbers::iops(promised.iops));
    let claims = match promised.answer {
        None => format!("{by} grants {rate} of this load"),
        Some(_) if by == rate => format!("{rate} were promised"),
        Some(_) => format!("{by} stands for {rate} of this load"),
    };
    let bounds = bounds_words(&answer.bounds);
    let part = match answer.greatest {
        Some(Greatest::Found(found) | Greatest::Between(found)) => {
            Some(format!("{bounds} up to {} of that", numbers::share(found.value / promised.iops)))
        }
        _ => None,
    };
    let how = match promised.answer {
        // The burst is said instead.
        None if answer.burst.is_some() => return None,
        None => part?,
        Some(Answer::Meets) => format!("there {bounds}"),
        Some(Answer::Below) => {
            part.unwrap_or_else(|| "not even the least rate that was tried is borne".to_owned())
        }
        Some(_) => "whether it is borne is open".to_owned(),
    };
    Some(format!("{claims}: {how}."))
}

/// Returns the text after the verdict word.
fn rest(answer: &HeadroomAnswer) -> String {
    let (bounds, load) = (bounds_words(&answer.bounds), load_words(&answer.load));
    let load = format!("of {load} that arrive by chance");
    match answer.greatest {
        None => format!(" at which rate {bounds}: no open load ran to its end."),
        Some(Greatest::Found(rate)) if answer.is_known() => format!(
            ": {bounds} up to {} IOPS {load}{}.",
            numbers::estimate_or_ends(&rate, IOPS),
            of_full_queue(answer, rate.value)
        ),
        Some(Greatest::Found(rate)) => format!(
            " up to which rate {bounds}, as the volume swings: in the mean of what was seen, {} {load}.",
            numbers::iops(rate.value)
        ),
        Some(Greatest::Between(rate)) => {
            let how = if answer.is_known() { ":" } else { " exactly:" };
            let (low, high) = (numbers::count(rate.low), numbers::iops(rate.high));
            format!("{how} the greatest rate at which {bounds} lies between {low} and {high} {load}.")
        }
        Some(Greatest::AtLeast(rate)) => {
            format!(": {bounds} at {} {load}, the most that was tried.", numbers::iops(rate))
        }
        Some(Greatest::AtMost(rate)) => {
            format!(" of any rate at which {bounds}: not even {} {load} do.", numbers::iops(rate))
        }
    }
}

fn of_full_queue(answer: &HeadroomAnswer, rate: f64) -> String {
    match answer.full_queue {
        Some(full) if full > 0.0 => {
            format!(", {} of the {} that a full queue has", numbers::share(rate / full), numbers::iops(full))
        }
        _ => String::new(),
    }
}

/// Returns the rates between which the answer certainly is.
fn sides(answer: &HeadroomAnswer) -> String {
    match (answer.surely_holds, answer.surely_fails) {
        (Some(holds), Some(fails)) => {
            format!(
                "It surely holds at {}, and surely not at {}.",
                numbers::iops(holds),
                numbers::iops(fails)
            )
        }
        (Some(holds), None) => format!("It surely holds at {}.", numbers::iops(holds)),
        (None, Some(fails)) => format!("It surely does not hold at {}.", numbers::iops(fails)),
        (None, None) => String::new(),
    }
}

fn tiles(answer: &HeadroomAnswer) -> Vec<Tile> {
    let bound = answer.binds.and_then(|at| answer.bounds.get(at)).or(answer.bounds.first());
    let bound = bound.map_or_else(String::new, |bound| bound_words(*bound));
    let searched = answer.greatest.filter(|_| answer.rates.is_empty());
    let found = searched.map(|greatest| match greatest {
        Greatest::Found(rate) => TileFigure {
            unit: IOPS.name.to_owned(),
            ..TileFigure::plain(numbers::estimate_or_ends(&rate, IOPS), format!("up to here {bound}"))
        },
        Greatest::Between(rate) => TileFigure {
            unit: IOPS.name.to_owned(),
            ..TileFigure::plain(
                format!("{} to {}", numbers::count(rate.low), numbers::count(rate.high)),
                format!("between these {bound} ends"),
            )
        },
        Greatest::AtLeast(rate) => {
            TileFigure::plain(numbers::iops(rate), format!("at least: {bound} at the most that was tried"))
        }
        Greatest::AtMost(rate) => TileFigure::plain(numbers::iops(rate), format!("not even here {bound}")),
    });
    let full = answer
        .full_queue
        .map(|rate| TileFigure::plain(numbers::iops(rate), "a queue that is kept full".to_owned()));
    let held = answer.loads.iter().filter(|load| load.holds()).max_by(|a, b| a.rate.total_cmp(&b.rate));
    let at_it = held.map(|load| {
        let times = load.percentiles_ns.iter().filter(|(percent, _)| *percent == 50.0 || *percent == 99.0);
        let at = numbers::iops(load.rate);
        times.map(|(percent, time)| TileFigure::time(*time as f64, format!("p{percent} at {at}"))).collect()
    });
    let tiles = [
        Tile::of("Headroom", found.into_iter().collect()),
        Tile::of("Full queue", full.into_iter().collect()),
        Tile::of("Latency", at_it.unwrap_or_default()),
    ];
    tiles.into_iter().flatten().collect()
}

/// Returns the greatest rate within the bounds, as a title: `p99 ≤ 10 ms holds up to 2,400 IOPS`.
pub(crate) fn within_bounds(analysis: &Analysis) -> Option<String> {
    let answer = answer(analysis).filter(|answer| answer.rates.is_empty())?;
    match answer.greatest? {
        Greatest::Found(rate) | Greatest::Between(rate) => {
            Some(format!("{} up to {} IOPS", bounds_words(&answer.bounds), numbers::level(&rate, IOPS)))
        }
        Greatest::AtLeast(_) | Greatest::AtMost(_) => None,
    }
}

/// Returns a table with a row for each rate.
fn loads_table(answer: &HeadroomAnswer) -> Table {
    let bound = answer.binds.unwrap_or(0);
    let beyond = match answer.bounds.get(bound) {
        Some(LatencyBound { percent: None, .. }) => "mean".to_owned(),
        Some(bound) => format!("over {}", numbers::time(bound.most.0 as f64)),
        None => String::new(),
    };
    let mut table = Table::headed(&["arrive", "p50", "p90", "p99", "p99.9", &beyond, ""]);
    table.rows = answer.loads.iter().map(|load| row(load, (bound, answer.bounds.get(bound)))).collect();
    table
}

fn row(load: &OpenLoad, (at, bound): (usize, Option<&LatencyBound>)) -> Vec<String> {
    let time = |at: &(f64, u64)| numbers::time(at.1 as f64);
    let of_mean = bound.is_some_and(|bound| bound.percent.is_none());
    let beyond = match load.held.get(at) {
        Some(_) if of_mean => numbers::time(load.mean_ns),
        Some(held) => numbers::share(held.beyond / held.count),
        None => String::new(),
    };
    let first = vec![numbers::iops(load.rate)];
    [first, load.percentiles_ns.iter().map(time).collect(), vec![beyond, answer_words(load).to_owned()]]
        .concat()
}

fn answer_words(load: &OpenLoad) -> &'static str {
    let worst = load.held.iter().map(|held| held.answer).max();
    match worst {
        _ if !load.keeps_up => "falls behind",
        Some(Holds::Surely) => "holds",
        Some(Holds::Seemingly) => "seems to hold",
        Some(Holds::SeeminglyNot) => "seems not to",
        Some(Holds::SurelyNot) => "does not",
        None => "",
    }
}

/// Returns a reason to doubt the answer.
fn doubt_words(doubt: HeadroomDoubt) -> &'static str {
    match doubt {
        HeadroomDoubt::Changed => {
            "the volume changed while it was searched, as loads before and after contradict each other: this is the answer of now. \
             plimsoll check tells how it changed."
        }
        HeadroomDoubt::Swings => {
            "the volume changed again and again, as loads contradict each other: there is no one answer. plimsoll watch --load shows \
             how it swings."
        }
        HeadroomDoubt::Disagree => {
            "loads near the answer differ by more than chance: the volume did not hold still. The interval allows for it; --time 10m \
             narrows it."
        }
        HeadroomDoubt::Stopped => "the search was stopped before its end: this is what was known by then.",
        HeadroomDoubt::Wide => {
            "what was seen in this time is too little for a narrow answer; --time 10m narrows it."
        }
    }
}

//! The greatest rate at which a latency bound holds, in words.

use analysis::{
    Answer, ArrivalShape, Greatest, HeadroomAnswer, HeadroomDoubt, Holds, OpenLoad, PromisedRate,
};
use workload::{HeadroomRequest, LatencyBound};

use crate::words::Table;
use crate::words::answer::VerdictWords;
use crate::words::numbers::{self, IOPS};
use crate::words::wrap::{clean, wrap};

/// Returns what a search will look for, before it begins.
pub fn search_words(asked: &HeadroomRequest) -> String {
    let load: Vec<ArrivalShape> = asked.load.iter().map(ArrivalShape::of).collect();
    format!(
        "Searches the greatest rate at which {}: {} that arrive by chance.",
        bounds_words(&asked.bounds),
        load_words(&load)
    )
}

/// Formats a latency bound: `p99 ≤ 10 ms`.
pub(crate) fn bound_words(bound: LatencyBound) -> String {
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

/// Returns the answer in a sentence or two.
pub(crate) fn verdict(answer: &HeadroomAnswer) -> VerdictWords {
    let binding = answer.binds.filter(|_| answer.bounds.len() > 1);
    let binding = binding.and_then(|at| answer.bounds.get(at));
    let binding = binding.map_or_else(String::new, |bound| format!(" {} binds.", bound_words(*bound)));
    let rest = rest(answer) + &binding;
    let (word, rest) = match (answer.kept(), answer.is_known()) {
        (Some(Answer::Below), true) => ("BELOW", rest),
        (Some(Answer::Meets), true) => ("MEETS", rest),
        (Some(Answer::CannotTell), true) => {
            ("CANNOT TELL", " whether it is what was promised".to_owned() + &rest)
        }
        (_, true) => ("MEASURED", rest),
        (_, false) => ("CANNOT TELL", rest),
    };
    let promised = answer.promised.iter().filter_map(|promised| promised_words(promised, answer));
    let sides = Some(sides(answer)).filter(|sides| !sides.is_empty());
    let stops = promised.chain(sides).collect::<Vec<String>>().join(" ");
    VerdictWords { word, rest, stops }
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
        None => part?,
        Some(Answer::Meets) => format!("there {bounds}"),
        Some(Answer::Below) => {
            part.unwrap_or_else(|| "not even the least rate that was tried is borne".to_owned())
        }
        Some(_) => "whether it is borne is open".to_owned(),
    };
    Some(format!("{claims}: {how}."))
}

/// Returns what follows the verdict word.
fn rest(answer: &HeadroomAnswer) -> String {
    let (bounds, load) = (bounds_words(&answer.bounds), load_words(&answer.load));
    let load = format!("of {load} that arrive by chance");
    match answer.greatest {
        None => format!(" at which rate {bounds}: no open load ran to its end."),
        Some(Greatest::Found(rate)) if answer.is_known() => format!(
            ": {bounds} up to {} IOPS {load}{}.",
            numbers::estimate(&rate, IOPS),
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

/// Returns between which rates the answer certainly lies.
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

/// Returns what stands below the verdict in a terminal: the loads, and what makes the answer doubtful.
pub(crate) fn text(answer: &HeadroomAnswer) -> String {
    let table = lines(&loads_table(answer));
    let doubts: String = doubt_words(answer).iter().map(|words| wrap("  but     ", words)).collect();
    let last = wrap("", &format!("Searched for {}.", numbers::span(answer.seconds)));
    [table, doubts, last].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns a table with a row for each rate.
pub(crate) fn loads_table(answer: &HeadroomAnswer) -> Table {
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
        _ if !load.keeps_up || load.cut_short => "falls behind",
        Some(Holds::Surely) => "holds",
        Some(Holds::Seemingly) => "seems to hold",
        Some(Holds::SeeminglyNot) => "seems not to",
        Some(Holds::SurelyNot) => "does not",
        None => "",
    }
}

/// Formats a table as lines, the last column aligned left, the others right.
fn lines(table: &Table) -> String {
    let wide = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column));
        cells.chain(table.head.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(wide).collect();
    let line = |row: &Vec<String>| {
        let cells =
            row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at + 1 == row.len() {
                true => format!("  {cell}"),
                false => format!("  {cell:>width$}"),
            });
        let line: String = cells.collect();
        format!("{}\n", line.trim_end())
    };
    std::iter::once(&table.head).chain(&table.rows).map(line).collect()
}

/// Returns reasons to doubt the answer, a sentence for each.
pub(crate) fn doubt_words(answer: &HeadroomAnswer) -> Vec<String> {
    answer.doubts.iter().map(|doubt| one_doubt(*doubt).to_owned()).collect()
}

fn one_doubt(doubt: HeadroomDoubt) -> &'static str {
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

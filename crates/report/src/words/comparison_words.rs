//! A comparison in words: works, figures, ratios with their basis, and what the figures show.

use analysis::compare::{
    Basis, Comparison, Measure, Period, Price, PriceRow, RUNS_PROPOSED, RateWithinLatency, Ratio,
    RatioAnswer, Reading, ReadingFinding, Row, SideFacts, SideFigure, SizeFrom, Within, Work,
};
use analysis::{Confidence, Quantity};

use crate::words::numbers::{self, Prefix, Unit};
use crate::words::ratio_table::change;
use crate::words::sentence::plural;
use crate::words::wrap::clean;

/// Describes a work: `4 KiB random reads, depth 64, in 75 % reads`.
pub fn work_words(work: &Work) -> String {
    if work.spaced {
        let block = work.block.map_or(String::new(), |block| format!(" of {}", numbers::block(block as f64)));
        return format!("single requests{block}, pauses between");
    }
    let mut words: Vec<String> = Vec::new();
    words.extend(work.block.map(|block| numbers::block(block as f64)));
    words.extend(work.sequential.map(|yes| if yes { "sequential" } else { "random" }.to_owned()));
    words.push(match (work.direction, work.read_percent) {
        (Some(way), _) => plural(way).to_owned(),
        (None, Some(100)) => "reads".to_owned(),
        (None, Some(0)) => "writes".to_owned(),
        (None, _) => "I/Os".to_owned(),
    });
    let mut text = words.join(" ");
    if let Some(depth) = work.depth {
        text += &format!(", depth {depth}");
    }
    if let Some(share) = work.read_percent.filter(|_| !work.is_pure()) {
        text += &format!(", {share}/{} mix", 100 - share);
    }
    match work.flush_every {
        Some(1) => text += ", each flushed",
        Some(writes) if writes > 1 => text += &format!(", a flush every {writes}"),
        _ => {}
    }
    if let Some(rate) = work.offered.filter(|rate| *rate > 0) {
        text += &format!(", {} offered", numbers::iops(rate as f64));
    }
    text
}

/// Describes a row: its work, and its measure if the figures do not show it.
pub fn row_words(row: &Row) -> String {
    let work = work_words(&row.work);
    if row.measure.is_latency() { format!("{work}: {}", measure_words(row.measure)) } else { work }
}

/// Formats a figure with its unit: `33,215 IOPS`, `124 MiB/s`, `0.30 ms`.
pub fn figure_words(figure: &SideFigure, measure: Measure) -> String {
    let value = figure.value;
    let unit = match measure {
        Measure::Iops => return numbers::iops(value),
        Measure::BytesPerSecond => Unit::of_bandwidth(value, Prefix::Binary),
        Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99 => Unit::of_time(value),
    };
    format!("{} {}", digits(figure, unit.factor), unit.name)
}

/// Formats a figure in `unit`. If another tool printed it, no digits are added.
pub fn digits(figure: &SideFigure, unit: f64) -> String {
    let value = figure.value / unit;
    let significant = match figure.rounding {
        coarse if coarse > 0.05 => 1.0,
        middle if middle > 0.005 => 2.0,
        _ => return three(value),
    };
    let decimals = (significant - 1.0 - value.max(1e-9).log10().floor()).clamp(0.0, 9.0);
    numbers::fixed(value, decimals as usize)
}

/// Returns the name of a row's measure.
pub fn measure_words(measure: Measure) -> &'static str {
    match measure {
        Measure::Iops => "IOPS",
        Measure::BytesPerSecond => "bandwidth",
        Measure::MeanLatency => "mean latency",
        Measure::LatencyP50 => "p50 latency",
        Measure::LatencyP99 => "p99 latency",
    }
}

/// Formats a ratio with its interval if there is one: `0.068`, `0.912 (0.87 to 0.95)`.
pub fn ratio_words(ratio: &Ratio) -> String {
    match ratio.interval {
        Some((low, high)) => format!("{} ({} to {})", three(ratio.value), three(low), three(high)),
        None => three(ratio.value),
    }
}

/// Formats with three significant digits.
pub fn three(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 99.95 => 0,
        middle if middle >= 9.995 => 1,
        small if small >= 0.9995 => 2,
        tiny if tiny > 0.0 => (2.0 - tiny.log10().floor()).clamp(3.0, 9.0) as usize,
        _ => 0,
    };
    numbers::fixed(value, decimals)
}

/// Returns the conclusion from a ratio, in a word or two.
pub fn answer_words(ratio: &Ratio) -> String {
    match (ratio.answer, ratio.basis) {
        (RatioAnswer::Differs, _) => "differs".to_owned(),
        (RatioAnswer::Same, _) => "the same".to_owned(),
        (RatioAnswer::Undecided { .. }, _) if ratio.pairs.is_some() => "undecided".to_owned(),
        (RatioAnswer::Undecided { runs }, _) => format!("undecided: {runs} runs a side"),
        (RatioAnswer::Repeat, Basis::OwnIntervals) => "in these two runs".to_owned(),
        (RatioAnswer::Repeat, _) => match ratio.by_rounding {
            Some((low, high)) => format!("no interval; by rounding alone {} to {}", three(low), three(high)),
            None => "no interval".to_owned(),
        },
    }
}

/// Returns notes on the basis of the intervals and on missing intervals, each note once.
pub fn basis_notes(comparison: &Comparison) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for ratio in comparison.limits.iter().chain(&comparison.rows).flat_map(|row| row.ratios.iter().flatten())
    {
        let note = basis_note(ratio);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

fn basis_note(ratio: &Ratio) -> String {
    match ratio.basis {
        Basis::OneEach => format!(
            "One run each: no interval where a run has none of its own. Repeat in turns: {RUNS_PROPOSED} runs a side."
        ),
        Basis::TooFew { .. } => format!(
            "Fewer than four runs a side: no interval. A 95 % interval without presuming a distribution needs four; {RUNS_PROPOSED} \
             are a good number."
        ),
        Basis::OwnIntervals => format!(
            "Intervals are 95 %, of these two runs alone, from those of their figures (Zou and Donner 2008). Another run of the \
             same volume may lie outside: {RUNS_PROPOSED} runs a side tell."
        ),
        Basis::ExactRates => {
            "Both sides have a rate at which many counts agree exactly: that of a limit.".to_owned()
        }
        Basis::Pairs { blocks, .. } => {
            format!("Intervals are 95 %, over {blocks} pairs of turns, block by block.")
        }
        Basis::Runs { first, other } => format!(
            "Intervals are 95 %, over {first} and {other} runs: the median of all ratios of their runs (Hodges and \
             Lehmann 1963). \"Differs\" means beyond 2 %, \"the same\" within 5 %."
        ),
    }
}

/// Describes a side: `do: fio 1.59 text, 4 results`.
pub fn side_words(side: &SideFacts) -> String {
    let tools = side.tools.join(", ");
    let runs = if side.runs == 1 { "1 run".to_owned() } else { format!("{} runs", side.runs) };
    let mut words: Vec<String> = side.source.iter().cloned().chain([tools, runs]).collect();
    words.extend(side.policy.as_ref().map(|policy| format!("declared {policy}")));
    words.extend(side.size.map(|(bytes, from)| format!("{} {}", numbers::size(bytes), said_by(from))));
    words.extend(side.price.as_ref().map(price_words));
    clean(&words.join(", "))
}

fn said_by(from: SizeFrom) -> &'static str {
    match from {
        SizeFrom::Typed => "(as typed)",
        SizeFrom::Policy => "(as declared)",
        SizeFrom::Run => "(as measured)",
    }
}

/// Formats a price with the currency as typed: `5.00 a month`.
pub fn price_words(price: &Price) -> String {
    let period = match price.per {
        Period::Hour => "an hour",
        Period::Day => "a day",
        Period::Month => "a month",
        Period::Year => "a year",
    };
    let amount = numbers::fixed(price.amount, 2);
    let amount = if price.amount < 0.1 { three(price.amount) } else { amount };
    match price.currency.as_str() {
        "" => format!("{amount} {period}"),
        currency => format!("{currency} {amount} {period}"),
    }
}

/// Returns the name of a side.
pub fn label(comparison: &Comparison, side: usize) -> String {
    comparison.sides.get(side).map_or_else(String::new, |side| clean(&side.label))
}

/// Returns the name of a side for a sentence, with the file or target that a letter stands for: `E (web-13.plimsoll)`.
pub fn title(comparison: &Comparison, side: usize) -> String {
    let label = label(comparison, side);
    let source = comparison.sides.get(side).and_then(|side| side.source.as_deref());
    source.map_or_else(|| label.clone(), |source| format!("{label} ({})", clean(source)))
}

/// Returns the sentence of a row: which side is faster, and by how much.
pub fn row_sentence(comparison: &Comparison, row: &Row, other: usize) -> Option<String> {
    let ratio = row.ratios.get(other)?.as_ref()?;
    let first = row.figures.iter().position(Option::is_some)?;
    let (first, other) = (label(comparison, first), label(comparison, other));
    if ratio.pairs.is_some() {
        return Some(format!("{}: {}", change(ratio), answer_words(ratio)));
    }
    Some(format!("{other} is {} of {first}: {}", ratio_words(ratio), answer_words(ratio)))
}

/// Returns the parameters that a side leaves unrecorded in a row:
/// `depth, order and block of B are not recorded: it may be other work`. `None` if all are recorded.
pub fn unrecorded_words(comparison: &Comparison, row: &Row) -> Option<String> {
    let open = row.unrecorded.iter().enumerate().filter(|(_, what)| !what.is_empty());
    let told = open.map(|(side, what)| {
        let (last, before) = (what.last().map_or("", String::as_str), &what[..what.len() - 1]);
        let list =
            if before.is_empty() { last.to_owned() } else { format!("{} and {last}", before.join(", ")) };
        let verb = if before.is_empty() && last != "flushes" { "is" } else { "are" };
        format!("{list} of {} {verb} not recorded", label(comparison, side))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("{}: it may be other work.", told.join("; ")))
}

/// Returns the sentence on a side that a reading concludes from its figures.
pub fn reading_sentence(comparison: &Comparison, finding: &ReadingFinding) -> String {
    let side = label(comparison, finding.side);
    match &finding.reading {
        Reading::OnCredits { policy, baseline, burst, seen, at_burst, loads, .. } => {
            let ran = match (at_burst, loads) {
                (0, _) => format!("loads came to {} I/Os a second at most", numbers::count(seen.1)),
                (burst, all) if burst == all => {
                    let (least, most) = (numbers::count(seen.0), numbers::count(seen.1));
                    format!("every load came to {least} to {most} I/Os a second, its burst rate")
                }
                (burst, all) => format!("{burst} of {all} loads came to its burst rate"),
            };
            format!(
                "{side} ran on burst credits as {policy}: {ran} ({} a second while there are credits, {} for ever).",
                numbers::count(*burst),
                numbers::count(*baseline)
            )
        }
        Reading::WithinBaseline { policy, baseline, most } => format!(
            "{side} needed no credits: at most {} I/Os a second, within the {} that {policy} serves for ever.",
            numbers::count(*most),
            numbers::count(*baseline)
        ),
        Reading::AtCap { policy, quantity, cap } => {
            format!("{side} ran at the cap of {policy}: {}.", cap_words(*quantity, *cap))
        }
        Reading::InBurst { policy, quantity, baseline, seen } => format!(
            "{side} ran in a burst of {policy}: {}, of which {} last.",
            cap_words(*quantity, *seen),
            cap_words(*quantity, *baseline)
        ),
        Reading::BelowCaps { policy, share } => format!(
            "{side} ran below every cap of {policy}: at most {} of one was used, so none of them is what stopped it.",
            numbers::share(*share)
        ),
        Reading::AbovePolicy { policy, most, seen } => format!(
            "{side} ran faster than {policy} allows: {} a second where it gives {}. It is another type, or a cache answered.",
            numbers::count(*seen),
            numbers::count(*most)
        ),
        Reading::OneLevel { level, apart } => format!(
            "{side} came to one rate whatever it was asked, about {} I/Os a second ({} apart): something meters.",
            numbers::count(*level),
            numbers::share(*apart)
        ),
        Reading::NoCapSeen { seen } => format!(
            "{side}: no cap seen at the rates tested, {} to {} I/Os a second by the mix. That is no proof that there is none.",
            numbers::count(seen.0),
            numbers::count(seen.1)
        ),
        Reading::ReadsMuchFaster { times } => {
            format!(
                "{side} read {} times as fast as it wrote: a cache may have served the reads.",
                three(*times)
            )
        }
        Reading::MachineCredits { machine } => format!(
            "{side}: {} has CPU credits of its own. When those run out it issues I/O more slowly, whatever the volume could do.",
            clean(machine)
        ),
    }
}

fn cap_words(quantity: Quantity, cap: f64) -> String {
    match quantity {
        Quantity::BytesPerSecond => numbers::bandwidth(cap, Prefix::Binary),
        _ => numbers::iops(cap),
    }
}

/// Returns the arithmetic behind a reading, and its limits.
pub fn reading_details(finding: &ReadingFinding) -> Option<String> {
    let Reading::OnCredits {
        policy: _,
        baseline,
        burst,
        bucket,
        baseline_seen,
        spent_most,
        left_s,
        tested_s,
        ..
    } = &finding.reading
    else {
        return None;
    };
    let million = |credits: f64| format!("{} million", numbers::fixed(credits / 1e6, 1));
    let seen = if *baseline_seen { "One load ran at the baseline." } else { "No baseline was ever seen." };
    Some(format!(
        "The loads ran {} and spent at most {} of the {} credits of a full bucket. If it was full before, it lasts another {} at \
         {} I/Os a second; then {} are left. {seen} What was in the bucket is not known, and what \
         laying out files spent is not counted.",
        numbers::span(*tested_s),
        million(*spent_most),
        million(*bucket),
        numbers::span(*left_s),
        numbers::count(*burst),
        numbers::count(*baseline),
    ))
}

/// Returns other possible explanations of a reading.
pub fn reading_competing(finding: &ReadingFinding) -> Option<&'static str> {
    match &finding.reading {
        Reading::OnCredits { .. } => Some(
            "That it is this type follows from what was declared, not from the figures: any volume or machine capped at the same \
             rate looks like this.",
        ),
        Reading::WithinBaseline { .. } | Reading::BelowCaps { .. } => Some(
            "The load may not have asked for more: a depth of 1 or a slow machine stops a load below any cap.",
        ),
        Reading::InBurst { .. } => Some("It may be a larger size or another type, whose cap this is."),
        Reading::AtCap { .. } => {
            Some("The machine in front of the volume may have a cap of the same figure.")
        }
        Reading::AbovePolicy { .. } => {
            Some("The host's or the guest's cache may have answered part of the reads.")
        }
        Reading::OneLevel { .. } => Some("A machine that cannot issue more comes to one rate too."),
        Reading::NoCapSeen { .. } => Some(
            "A cap may lie above what was asked, a burst may have lasted as long as the test, and a cache may have served part of it.",
        ),
        Reading::ReadsMuchFaster { .. } => Some("Some devices do write so much more slowly than they read."),
        Reading::MachineCredits { .. } => None,
    }
}

/// Returns what to do next about a reading.
pub fn reading_next(finding: &ReadingFinding) -> String {
    match &finding.reading {
        Reading::OnCredits { left_s, .. } => format!(
            "Read the provider's balance (BurstBalance), or load it {} longer and watch the rate fall; then compare again.",
            numbers::span(*left_s)
        ),
        Reading::WithinBaseline { .. } | Reading::BelowCaps { .. } => {
            "Compare at a greater depth: plimsoll check finds the depth that fills the cap.".to_owned()
        }
        Reading::InBurst { .. } => {
            "Load it for longer than the burst lasts, and compare what it serves then.".to_owned()
        }
        Reading::AtCap { .. } => "A larger size or another type lifts the cap; a faster machine does not.".to_owned(),
        Reading::AbovePolicy { .. } => {
            "Read more than the cache can hold, past the page cache, and check the type that is billed.".to_owned()
        }
        Reading::OneLevel { .. } => {
            "Declare what it was sold as, by its size too: --policy NAME=POLICY (plimsoll policy list); it is held against that.".to_owned()
        }
        Reading::NoCapSeen { .. } => {
            "Load it for longer and deeper than this: plimsoll check, on a region that no cache holds.".to_owned()
        }
        Reading::ReadsMuchFaster { .. } => {
            "Read a region several times as large as the machine's and the host's memory.".to_owned()
        }
        Reading::MachineCredits { .. } => {
            "Look at the machine's CPU credit balance, and at steal time, during the test.".to_owned()
        }
    }
}

/// Returns the confidence in a reading.
pub fn reading_confidence(finding: &ReadingFinding) -> &'static str {
    match finding.confidence {
        Confidence::Certain => "certain: counted",
        Confidence::Strong => "strong: flat, and the figure of the policy",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible: one symptom",
    }
}

/// Most loads named as evidence; more are only counted.
const NAMED: usize = 6;

/// Returns each load that is evidence, with its figure: `4 KiB random reads, depth 64: 3,016`.
pub fn reading_evidence(finding: &ReadingFinding) -> String {
    let words = finding
        .evidence
        .iter()
        .map(|(work, iops)| format!("{}: {}", work_words(work), numbers::count(*iops)));
    let mut words: Vec<String> = words.take(NAMED).collect();
    if finding.evidence.len() > NAMED {
        words.push(format!("and {} more", finding.evidence.len() - NAMED));
    }
    words.join("; ")
}

/// Returns sentences on the price of a unit, and on the cheaper side.
pub fn price_sentences(comparison: &Comparison) -> Vec<String> {
    let mut sentences = Vec::new();
    for row in &comparison.prices {
        if let Some(within) = &row.within {
            sentences.push(within_sentence(comparison, row, within));
            continue;
        }
        let unit = match (&row.work, row.measure) {
            (Some(work), Some(Measure::Iops)) => format!("per IOPS of {}", work_words(work)),
            (Some(work), _) => format!("per MB/s of {}", work_words(work)),
            (None, _) => "per GB of space".to_owned(),
        };
        let each = row.prices.iter().enumerate().filter_map(|(side, price)| {
            let currency =
                comparison.sides.get(side)?.price.as_ref().map_or("", |price| price.currency.as_str());
            let space = if currency.is_empty() { "" } else { " " };
            let lasting = row.at_baseline.get(side).copied().flatten();
            let burst = lasting
                .map_or_else(String::new, |price| format!(" (in a burst; {} at its baseline)", three(price)));
            Some(format!("{} {currency}{space}{}{burst}", label(comparison, side), three((*price)?)))
        });
        let mut sentence = format!("{unit}, a month: {}", each.collect::<Vec<_>>().join(", "));
        match row.cheapest {
            Some(found) if found.times >= 1.005 => {
                let side = label(comparison, found.side);
                sentence += &format!(". {side} is the cheaper, by a factor of {}", three(found.times));
            }
            Some(_) => sentence += ". It costs the same",
            None => {}
        }
        sentences.push(sentence + ".");
    }
    sentences
}

/// Formats prices within a latency bound:
/// `per IOPS of 4 KiB random reads, p99 within 10 ms, a month: A 0.00167 (3,000 IOPS at depth 32), B never within it.`
fn within_sentence(comparison: &Comparison, row: &PriceRow, within: &Within) -> String {
    let rate = |value: f64| match row.measure {
        Some(Measure::Iops) => numbers::iops(value),
        _ => numbers::bandwidth(value, Prefix::Binary),
    };
    let unit = if row.measure == Some(Measure::Iops) { "IOPS" } else { "MB/s" };
    let of_side = |(side, reached): (usize, &Option<RateWithinLatency>)| {
        let name = label(comparison, side);
        let Some(reached) = reached else { return format!("{name} never within it") };
        let depth = reached.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
        let price = row.prices.get(side).copied().flatten().map_or_else(|| "no price".to_owned(), three);
        format!("{name} {price} ({}{depth})", rate(reached.rate))
    };
    let each: Vec<String> = within.reached.iter().enumerate().map(of_side).collect();
    let work = row.work.as_ref().map(work_words).unwrap_or_default();
    let cheaper = match row.cheapest {
        Some(found) if found.times >= 1.005 => {
            format!(
                ". {} is the cheaper, by a factor of {}",
                label(comparison, found.side),
                three(found.times)
            )
        }
        Some(_) => ". It costs the same".to_owned(),
        None => String::new(),
    };
    let latency = numbers::time(within.latency_ns_p99 as f64);
    format!("per {unit} of {work}, p99 within {latency}, a month: {}{cheaper}.", each.join(", "))
}

/// Formats the figure of one side; empty if there is no figure.
pub(crate) fn cell(row: &Row, side: usize) -> String {
    row.figures.get(side).and_then(Option::as_ref).map_or_else(String::new, |figure| match unit_of(row) {
        Some(unit) => format!("{} {}", digits(figure, unit.factor), unit.name),
        None => numbers::count(figure.value),
    })
}

/// Returns the unit that all figures of a row share; `None` for operations a second, which need none.
fn unit_of(row: &Row) -> Option<Unit> {
    let most = row.figures.iter().flatten().map(|figure| figure.value).fold(0.0, f64::max);
    match row.measure {
        Measure::BytesPerSecond => Some(Unit::of_bandwidth(most, Prefix::Binary)),
        Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99 => Some(Unit::of_time(most)),
        Measure::Iops => None,
    }
}

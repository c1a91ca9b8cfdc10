//! The answer of `plimsoll where` in words: how places differ, and what a cache holds.

pub(crate) mod charts;

use analysis::{
    Analysis, Budget, BudgetCause, CacheObservation, Estimate, Joint, Loading, PlacesAnswer, ProcedureAnswer,
    Region, RegionKind, SetObservation, TracksObservation, WARM_BLOCK,
};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::numbers::{self, Prefix, Unit};
use crate::words::sentence::capital;
use crate::words::table::Columns;

/// Columns of the strip in a terminal.
const STRIP: usize = 64;

/// Returns the answer of a run, or of a part of it; `None` if places were not compared.
pub(crate) fn answer(analysis: &Analysis) -> Option<&PlacesAnswer> {
    analysis.answered.as_ref()?.each().iter().find_map(|part| match part {
        ProcedureAnswer::Places(answer) => Some(answer),
        _ => None,
    })
}

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &PlacesAnswer) -> Sheet {
    Sheet {
        command: "where",
        verdict: Some(verdict(answer)),
        tiles: Vec::new(),
        sections: vec![
            Section::of("Regions", regions(answer)),
            Section::of("Working sets", working_sets(answer)),
        ],
    }
}

fn regions(answer: &PlacesAnswer) -> Vec<Block> {
    let table = Block::Captioned("Regions".to_owned(), region_table(answer), Columns::Left);
    match answer.regions.len() {
        0 | 1 => vec![table.on_page()],
        _ => vec![Block::Verbatim(strip(answer)), table],
    }
}

fn working_sets(answer: &PlacesAnswer) -> Vec<Block> {
    let table = Block::Captioned("Working sets".to_owned(), set_table(answer), Columns::Left);
    let mut budgets: Vec<String> = answer.budgets.iter().flat_map(budget_sentences).collect();
    if !answer.budgets.is_empty() && answer.budgets.iter().all(|budget| budget.written.is_none()) {
        budgets.push(UNWRITTEN.to_owned());
    }
    let page = Block::Paragraphs("", budgets.clone()).on_page();
    if answer.stopped {
        budgets.push("Stopped before its end: this is what is known so far.".to_owned());
    }
    let table = if answer.sets.len() > 1 { table } else { table.on_page() };
    let rates = Block::Captioned("Limits".to_owned(), budget_table(answer), Columns::Left);
    let rates = (!answer.budgets.is_empty()).then_some(rates);
    let rest = [page, Block::Paragraphs("", budgets).in_terminal()];
    [table].into_iter().chain(rates).chain(rest).collect()
}

/// The sentence on writes that were not measured.
const UNWRITTEN: &str = "What writes reach was not looked at: it writes only to a file of its own. On a device, `plimsoll check --plan \
                         standard --allow-destroy DEVICE` looks.";

/// Returns the verdict by place as a title: `Alike everywhere (within 2.5 %), the first time as later: …`.
pub(crate) fn by_place(analysis: &Analysis) -> Option<String> {
    let words = verdict(answer(analysis)?);
    Some(capital(&format!("{} {}", words.word.to_lowercase(), words.rest.trim_start())))
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &PlacesAnswer) -> VerdictWords {
    let (word, rest) = regions_verdict(answer);
    VerdictWords {
        word,
        rest,
        stops: format!("{} {}", cache_sentence(answer), tracks_sentence(&answer.tracks)),
    }
}

fn regions_verdict(answer: &PlacesAnswer) -> (&'static str, String) {
    match answer.regions.as_slice() {
        [] => ("CANNOT TELL", format!(": too few places were read ({}).", answer.places)),
        [one] if one.kind == RegionKind::Usual && !answer.is_even() => ("CANNOT TELL", uneven(answer)),
        [one] => (word_of_all(one.kind), format!(" {}", alone(answer, one))),
        regions => {
            let other: Vec<String> =
                regions.iter().filter(|region| region.kind != RegionKind::Usual).map(part).collect();
            ("DIFFERS", format!(" by place: {}.", other.join("; ")))
        }
    }
}

fn word_of_all(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Usual | RegionKind::Fast | RegionKind::Slow => "ALIKE",
        RegionKind::FirstTouch => "LOADS",
        RegionKind::FirstTouchOrCached => "SLOW ONCE",
        RegionKind::Cached => "CACHED",
    }
}

/// Returns the sentence for a volume whose parts differ without a clear edge.
fn uneven(answer: &PlacesAnswer) -> String {
    format!(
        ": parts differ by {}, but nowhere by an edge: {} places are too few for what latencies wander.",
        answer.spread.map_or(String::new(), numbers::share),
        numbers::count(answer.places as f64)
    )
}

/// Returns the sentence for a volume that is one region.
fn alone(answer: &PlacesAnswer, region: &Region) -> String {
    let within =
        answer.spread.map_or(String::new(), |spread| format!(" (within {})", numbers::share(spread)));
    let least = numbers::size(answer.resolution);
    match region.kind {
        RegionKind::Usual | RegionKind::Fast | RegionKind::Slow => format!(
            "everywhere{within}, the first time as later: {} places, no region of {least} or more differs.",
            numbers::count(answer.places as f64)
        ),
        RegionKind::FirstTouch => {
            format!("when it is touched, all of it: {}.{}", once(region), loading(answer))
        }
        RegionKind::FirstTouchOrCached => format!(
            "everywhere: {}. It may be loaded when it is touched, or a cache keeps what was read.{}",
            once(region),
            loading(answer)
        ),
        RegionKind::Cached => "at the beginning: all of it came from a cache that was warm.".to_owned(),
    }
}

/// Compares the first reading with later ones: `the first reading takes 21 ms, later ones 0.80 ms (26 times)`.
fn once(region: &Region) -> String {
    let times = region.times.map_or(String::new(), |times| format!(" ({})", numbers::factor(times.value)));
    format!(
        "the first reading takes {}, later ones {}{times}",
        numbers::time(region.first_ns),
        settled(region)
    )
}

/// Returns the bandwidth of first readings, and how long it takes to read all of the volume once.
fn loading(answer: &PlacesAnswer) -> String {
    let Some(Loading { first, again, piece }) = answer.loading else { return String::new() };
    let rate = |rate: f64| numbers::bandwidth(rate, Prefix::Binary);
    let pieces = piece
        .map_or(String::new(), |piece| format!(" About {} are loaded as one.", numbers::size(piece as u64)));
    format!(
        " Reads of {} at random move {} the first time, {} after that: to read all of it once takes {}.{pieces}",
        numbers::size(WARM_BLOCK.0),
        rate(first),
        rate(again),
        numbers::span(answer.size as f64 / first)
    )
}

fn settled(region: &Region) -> String {
    region.settled_ns.map_or("are not known".to_owned(), numbers::time)
}

/// Describes one region in the sentence on all of them.
fn part(region: &Region) -> String {
    let place =
        format!("{} to {}", numbers::size(region.from.value as u64), numbers::size(region.to.value as u64));
    format!("{place} {}", meaning(region))
}

/// Describes the kind of a region.
fn meaning(region: &Region) -> String {
    let times = region.times.map_or(String::new(), |times| format!(" ({})", numbers::factor(times.value)));
    match region.kind {
        RegionKind::Usual => "as most of the volume".to_owned(),
        RegionKind::FirstTouch => format!("is loaded when it is first touched{times}"),
        RegionKind::FirstTouchOrCached => {
            format!("is slow the first time{times}: loaded then, or kept by a cache since")
        }
        RegionKind::Fast => "is fast each time: never written, zeros, or on something faster".to_owned(),
        RegionKind::Cached => "lay in a cache at the beginning".to_owned(),
        RegionKind::Slow => "is slow each time".to_owned(),
    }
}

/// Names the kind of a region, in a word or two.
fn name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Usual => "usual",
        RegionKind::FirstTouch => "loads on touch",
        RegionKind::FirstTouchOrCached => "slow once",
        RegionKind::Fast => "fast each time",
        RegionKind::Cached => "cached at first",
        RegionKind::Slow => "slow each time",
    }
}

fn bytes(value: f64) -> String {
    numbers::size(value as u64)
}

/// Returns the sentence on the cache.
fn cache_sentence(answer: &PlacesAnswer) -> String {
    match &answer.cache {
        CacheObservation::NotLooked => "Whether a cache holds what was read was not looked at.".to_owned(),
        CacheObservation::None { up_to } if answer.loading.is_some() => {
            format!("No cache seen: once read, working sets up to {} come alike.", numbers::size(*up_to))
        }
        CacheObservation::None { up_to } => {
            format!(
                "No cache seen: working sets up to {} come no faster when they are read again.",
                numbers::size(*up_to)
            )
        }
        CacheObservation::Seen { size, hit_ns, miss_ns } => format!(
            "A cache holds {} ({} to {}): {} from it, {} beyond it.{}",
            bytes(size.value),
            bytes(size.low),
            bytes(size.high),
            numbers::time(*hit_ns),
            numbers::time(*miss_ns),
            warming(answer, size.value)
        ),
        CacheObservation::SizeUnclear { holds, less_than, hit_ns, miss_ns } => {
            let most = if *less_than == u64::MAX {
                String::new()
            } else {
                format!(" and less than {}", numbers::size(*less_than))
            };
            format!(
                "A cache holds {} or more{most}: {} from it, {} beyond it. Its size is not told: the shares of reads that come from \
                 it are not those of one size.",
                numbers::size(*holds),
                numbers::time(*hit_ns),
                numbers::time(*miss_ns)
            )
        }
        CacheObservation::Unconfirmed { slower } => format!(
            "Whether there is a cache is not told: sets of {} came slower than smaller ones, but no small one was read again \
             after that, so that it may have been the time. Give it more with --time.",
            numbers::size(*slower)
        ),
        CacheObservation::LargerOrFirstTouch { up_to } => format!(
            "Whether there is a cache is not told: all that is read again comes fast, up to sets of {}. A cache may be larger \
             than that (--largest, --time), or blocks are loaded when they are touched.",
            numbers::size(*up_to)
        ),
    }
}

/// Returns how long the cache takes to warm up.
fn warming(answer: &PlacesAnswer, size: f64) -> String {
    let Some(rate) = answer.warming.filter(|rate| *rate > 0.0) else { return String::new() };
    let passes = answer.sets.iter().map(|set| set.passes).max().unwrap_or(1);
    let slowly = if passes > 2 {
        format!(", and takes in only a part of what passes: {passes} passes were needed")
    } else {
        String::new()
    };
    format!(
        " It warms at {}, in {} by reads at random{slowly}.",
        numbers::bandwidth(rate, Prefix::Binary),
        numbers::span(size / rate)
    )
}

/// Returns the sentence on sequential reads over the volume.
fn tracks_sentence(tracks: &TracksObservation) -> String {
    let rate = |value: f64| numbers::bandwidth(value, Prefix::Binary);
    match tracks {
        TracksObservation::NotLooked => String::new(),
        TracksObservation::Alike { bytes_per_second, .. } => {
            format!("Sequences run alike from the first byte to the last ({}).", rate(*bytes_per_second))
        }
        TracksObservation::Falling { outer, inner, .. } => format!(
            "Sequences run at {} at the beginning and {} at the end, as on the outer and inner tracks of a disk that turns.",
            rate(*outer),
            rate(*inner)
        ),
        TracksObservation::Unclear { ratio } => format!(
            "Whether sequences run slower towards the end is not told: the first third over the last is {} ({} to {}).",
            numbers::figure(ratio.value),
            numbers::figure(ratio.low),
            numbers::figure(ratio.high)
        ),
        TracksObservation::Uneven { ratio } => format!(
            "Sequences differ by place, but not as tracks do: the first third over the last is {}.",
            numbers::figure(ratio.value)
        ),
    }
}

/// Block size in bytes from which I/Os are given in bytes a second, because that is what limits them.
const LARGE: u64 = 64 << 10;

/// Returns the greatest rate of a budget.
fn most(budget: &Budget) -> f64 {
    let rates = [budget.cached, budget.uncached, budget.written].into_iter().flatten();
    rates.map(|rate| rate.value).fold(0.0, f64::max)
}

/// Returns the unit of rates of a budget, and the factor from I/Os a second.
fn rate_unit(budget: &Budget) -> (Unit, f64) {
    match budget.block {
        LARGE.. => {
            (Unit::of_bandwidth(budget.block as f64 * most(budget), Prefix::Binary), budget.block as f64)
        }
        _ => (numbers::IOPS, 1.0),
    }
}

/// Returns the rates of many I/Os at once, a row for each load, with what stops it.
fn budget_table(answer: &PlacesAnswer) -> Table {
    let budgets = &answer.budgets;
    let blocks: Vec<String> = budgets.iter().map(|budget| numbers::block(budget.block as f64)).collect();
    let heads = ["many at once"].into_iter().chain(blocks.iter().map(String::as_str)).chain(["limited in"]);
    let mut table = Table::headed(&heads.collect::<Vec<_>>());
    let (hit_ns, miss_ns) = match answer.cache {
        CacheObservation::Seen { hit_ns, miss_ns, .. }
        | CacheObservation::SizeUnclear { hit_ns, miss_ns, .. } => (hit_ns, miss_ns),
        _ => return table,
    };
    type Rate = fn(&Budget) -> Option<Estimate>;
    let rows: [(&str, Rate, f64); 3] = [
        ("reads from the cache", |budget| budget.cached, hit_ns),
        ("reads beyond it", |budget| budget.uncached, miss_ns),
        ("writes", |budget| budget.written, miss_ns),
    ];
    for (load, rate, alone_ns) in rows {
        let figure = |budget: &Budget| {
            let (unit, factor) = rate_unit(budget);
            rate(budget).map_or("not told".to_owned(), |rate| numbers::with_unit(&rate.times(factor), unit))
        };
        let causes = BudgetCause::of(budgets, rate, alone_ns).map_or(String::new(), causes);
        let figures = budgets.iter().map(figure);
        table.rows.push([load.to_owned()].into_iter().chain(figures).chain([causes]).collect());
    }
    table
}

/// Names what stops small and large blocks.
fn causes(causes: [BudgetCause; 2]) -> String {
    let word = |cause: BudgetCause| match cause {
        BudgetCause::Operations => "operations",
        BudgetCause::Bytes => "bytes",
        BudgetCause::Queue => "nothing",
    };
    match causes.map(word) {
        [small, large] if small == large => small.to_owned(),
        [small, large] => format!("{small}, {large}"),
    }
}

/// Returns the sentences on two loads at once.
fn budget_sentences(budget: &Budget) -> Vec<String> {
    let (unit, factor) = rate_unit(budget);
    let rate = |value: f64| numbers::in_unit(value * factor, unit);
    let said = |(loads, joint, both): (&str, Option<Joint>, Option<(f64, f64)>)| {
        let (one, other) = both?;
        let joint = match joint {
            Some(Joint::Apart) => ", as much as each alone: two limits",
            Some(Joint::OneOverBoth) => ", no more than one of them alone: one limit counts both",
            Some(Joint::Less) => ", less than one of them alone",
            None => "",
        };
        let block = numbers::block(budget.block as f64);
        Some(format!(
            "{loads} at once, {block}: {} ({} and {}){joint}.",
            rate(one + other),
            rate(one),
            rate(other)
        ))
    };
    let Budget { cached, uncached, written, together, cached_and_written, uncached_and_written, .. } = budget;
    let joint = |one: &Option<Estimate>, both: &Option<(f64, f64)>| Joint::of(*one, *written, *both);
    [
        ("Reads from the cache and beyond it", budget.joint(), *together),
        ("Reads from the cache and writes", joint(cached, cached_and_written), *cached_and_written),
        ("Reads beyond the cache and writes", joint(uncached, uncached_and_written), *uncached_and_written),
    ]
    .into_iter()
    .filter_map(said)
    .collect()
}

/// Returns the volume as a line, with a letter for each region.
fn strip(answer: &PlacesAnswer) -> String {
    let letter = |at: usize| {
        let middle = answer.size as f64 * (at as f64 + 0.5) / STRIP as f64;
        let region =
            answer.regions.iter().find(|region| (region.from.value..region.to.value).contains(&middle));
        match region.map(|region| region.kind) {
            Some(RegionKind::Usual) => '.',
            Some(RegionKind::FirstTouch | RegionKind::FirstTouchOrCached) => 'L',
            Some(RegionKind::Fast) => 'f',
            Some(RegionKind::Cached) => 'c',
            Some(RegionKind::Slow) => 's',
            None => ' ',
        }
    };
    let line: String = (0..STRIP).map(letter).collect();
    format!("  0 |{line}| {}\n", numbers::size(answer.size))
}

/// Returns the regions, a row for each.
fn region_table(answer: &PlacesAnswer) -> Table {
    let mut table = Table::headed(&["from", "to", "first", "later", "what"]);
    for region in &answer.regions {
        table.rows.push(vec![
            edge(&region.from),
            edge(&region.to),
            numbers::time(region.first_ns),
            region.settled_ns.map_or(String::new(), numbers::time),
            name(region.kind).to_owned(),
        ]);
    }
    table
}

/// Formats the edge of a region: `40.0 GiB ± 2 MiB`; an end of the volume is exact.
fn edge(at: &analysis::Estimate) -> String {
    let half = at.half_width();
    let place = bytes(at.value);
    if half < 1.0 { place } else { format!("{place} ± {}", bytes(half)) }
}

/// Returns the working sets by size, a row for each.
fn set_table(answer: &PlacesAnswer) -> Table {
    let mut sets: Vec<&SetObservation> = answer.sets.iter().collect();
    sets.sort_by_key(|set| (set.bytes, set.passes));
    let mut table = Table::headed(&["working set", "passes", "latency", "from a cache"]);
    for set in sets {
        let hits = set.hits.map_or("none seen".to_owned(), |hits| numbers::share(hits.value));
        table.rows.push(vec![
            numbers::size(set.bytes),
            numbers::count(f64::from(set.passes)),
            numbers::time(set.latency_ns_mean),
            hits,
        ]);
    }
    table
}

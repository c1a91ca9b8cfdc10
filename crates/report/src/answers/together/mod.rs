//! The answer of `plimsoll check --together` in words: limits that volumes share, volumes that starve others, and a
//! comparison with the machine's limits.

pub(crate) mod charts;

use analysis::{
    Beside, BudgetTransfer, Estimate, LevelUnit, LoadTogether, MachineAnswer, MachineLimits, MachineRow,
    Reach, SharedBudget, Standing, TogetherAnswer, TogetherDoubt, VolumeTogether,
};
use workload::{Direction, TogetherLoad, TogetherRequest};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::numbers::{self, IOPS, Prefix};
use crate::words::table::Columns;
use crate::words::wrap::wrap;

/// Relative difference within which two figures count as equal.
const AS_MUCH: f64 = 0.02;
/// Fairness index from which a division counts as even.
const EVEN: f64 = 0.95;

/// Returns the plan of the procedure, before it begins.
pub fn together_words(asked: &TogetherRequest) -> String {
    let loads: Vec<String> = asked.loads.iter().map(load_words).collect();
    format!("Loads {} volumes, each alone and all at once: {}.", asked.volumes.len(), loads.join(", "))
}

/// Describes a load: `4 KiB reads`.
fn load_words(load: &TogetherLoad) -> String {
    let way = if load.direction == Direction::Read { "reads" } else { "writes" };
    format!("{} {way}", numbers::block(load.block.0 as f64))
}

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &TogetherAnswer) -> Sheet {
    let named = |(label, words): &(String, String)| wrap(&format!("  {label}  "), words);
    let of_page = |(label, words): &(String, String)| format!("{label}: {words}");
    let mut blocks = vec![
        Block::Verbatim(answer.volumes.iter().map(named).collect()),
        Block::Items("", answer.volumes.iter().map(of_page).collect()).on_page(),
    ];
    blocks.extend(answer.loads.iter().map(|load| {
        let table = Block::Captioned(String::new(), kept_table(answer, load), Columns::Figures);
        let measured = load.total.is_some() || load.rows.iter().any(|row| row.alone.is_some());
        if measured { table } else { table.on_page() }
    }));
    blocks.push(Block::Paragraphs("  ", sentences(answer)));
    Sheet {
        command: "together",
        verdict: Some(verdict(answer)),
        tiles: Vec::new(),
        sections: vec![Section::of("Alone and together", blocks)],
    }
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &TogetherAnswer) -> VerdictWords {
    let (word, rest) = match answer.budgets.split_first() {
        Some(_) if answer.is_below() => {
            ("BELOW", format!(" what is published for {}: {}", machine(answer), budgets(answer)))
        }
        Some(_) => ("SHARED", format!(": {}", budgets(answer))),
        None if answer.is_known() => ("APART", format!(": {}", apart(answer))),
        None => ("CANNOT TELL", format!(" what {} share: {}", all(answer), open(answer))),
    };
    VerdictWords { word, rest, stops: stops(answer) }
}

fn machine(answer: &TogetherAnswer) -> &str {
    answer.machine.as_ref().map_or("the machine", |held| held.machine.name.as_str())
}

/// Lists volumes: `A and B`, `A, B and C`.
fn labels(answer: &TogetherAnswer, volumes: &[usize]) -> String {
    let of = |volume: &usize| answer.volumes.get(*volume).map_or("?", |(label, _)| label.as_str());
    let labels: Vec<&str> = volumes.iter().map(of).collect();
    match labels.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => labels.concat(),
    }
}

fn all(answer: &TogetherAnswer) -> String {
    labels(answer, &(0..answer.volumes.len()).collect::<Vec<_>>())
}

/// Returns the budgets that all volumes share, a clause for each; a figure is not repeated for the other direction.
fn budgets(answer: &TogetherAnswer) -> String {
    let clause = |(at, budget): (usize, &SharedBudget)| match answer.budgets[..at]
        .iter()
        .find(|other| is_as(other, budget))
    {
        Some(_) => format!("as much of {}", load_words(&budget.load)),
        None => clause(answer, budget),
    };
    let clauses: Vec<String> = answer.budgets.iter().enumerate().map(clause).collect();
    let open = answer.loads.iter().filter(|load| matches!(load.reach, Reach::Open(_)));
    let open: Vec<String> = open.map(|load| load_words(&load.load)).collect();
    let rest = if open.is_empty() { String::new() } else { format!(" Not told of {}.", open.join(", ")) };
    format!("{} have {}.{rest}", all(answer), clauses.join(", and "))
}

/// Whether two budgets have the same figure.
fn is_as(one: &SharedBudget, other: &SharedBudget) -> bool {
    let off = other.level().value / one.level().value - 1.0;
    one.counted.is_some() && one.counted == other.counted && off.abs() <= AS_MUCH
}

fn clause(answer: &TogetherAnswer, budget: &SharedBudget) -> String {
    let load = answer.loads.iter().find(|load| load.load == budget.load);
    let alone = load.and_then(|load| Some(load.total?.value / load.alone?.value));
    let alone = alone.map_or(String::new(), |share| {
        format!(", {} of what each has alone, added up", numbers::share(share))
    });
    format!("{} at once ({}{alone})", level_words(budget), load_words(&budget.load))
}

/// Formats the level of a budget: `5,003 ± 12 IOPS`, or in bytes if these are counted.
fn level_words(budget: &SharedBudget) -> String {
    match budget.counted {
        Some(LevelUnit::Bytes) => rate(LevelUnit::Bytes, &budget.bytes),
        _ => rate(LevelUnit::Operations, &budget.operations),
    }
}

fn rate(counted: LevelUnit, level: &Estimate) -> String {
    match counted {
        LevelUnit::Operations => numbers::with_unit(level, IOPS),
        LevelUnit::Bytes => numbers::bandwidth_estimate(level),
    }
}

fn apart(answer: &TogetherAnswer) -> String {
    let of = |load: &LoadTogether| {
        Some(format!("{} {}", rate(LevelUnit::Operations, &load.total?), load_words(&load.load)))
    };
    let totals: Vec<String> = answer.loads.iter().filter_map(of).collect();
    format!(
        "{} have at once all that each has alone. No shared budget up to {}.",
        all(answer),
        totals.join(", ")
    )
}

fn open(answer: &TogetherAnswer) -> String {
    let doubts = answer.loads.iter().filter_map(|load| match &load.reach {
        Reach::Open(doubt) => Some(format!("{}: {}", load_words(&load.load), doubt_words(answer, doubt))),
        Reach::Held | Reach::Whole => None,
    });
    let mut doubts: Vec<String> = doubts.collect();
    doubts.dedup();
    if doubts.is_empty() { "nothing was measured.".to_owned() } else { format!("{}.", doubts.join("; ")) }
}

/// Returns the reason why a load shows nothing.
fn doubt_words(answer: &TogetherAnswer, doubt: &TogetherDoubt) -> String {
    match doubt {
        TogetherDoubt::NotMeasured => "not measured".to_owned(),
        TogetherDoubt::Noise => {
            "what is missing is no more than the volumes stray; give it more with --time".to_owned()
        }
        TogetherDoubt::Generator => {
            "plimsoll lacked a processor, which may be all that held them; free some, or use a larger machine"
                .to_owned()
        }
        TogetherDoubt::Changed(volume) => format!(
            "{} alone had another rate later than before, as a burst that ends; try again when it is steady",
            labels(answer, &[*volume])
        ),
    }
}

/// Returns what limits the volumes.
fn stops(answer: &TogetherAnswer) -> String {
    let mut said: Vec<String> = Vec::new();
    if let Some(budget) = answer.budgets.first() {
        said.push(standing(&budget.standing));
    }
    said.extend(answer.budgets.iter().filter(|budget| budget.counted.is_none()).map(|budget| {
        format!("Whether {} are held by operations or by bytes is not told.", load_words(&budget.load))
    }));
    said.extend(answer.budgets.first().and_then(|budget| passed_on(budget.passed_on)).map(str::to_owned));
    said.extend(answer.machine.iter().flat_map(machine_words));
    if answer.stopped {
        said.push("Stopped before its end: this is what is known so far.".to_owned());
    }
    said.join(" ")
}

fn standing(standing: &Standing) -> String {
    match standing {
        Standing::Machine => "The limit is the machine's, not a volume's: it lies above them all, in its instance type, a controller \
                              or a group that holds them."
            .to_owned(),
        Standing::Device(device) => format!("All of them stand on {device}: the limit is that device's, or lies above it."),
    }
}

fn passed_on(passed: BudgetTransfer) -> Option<&'static str> {
    match passed {
        BudgetTransfer::Whole => Some("What one volume leaves the others get: it is one budget."),
        BudgetTransfer::NotNeeded => Some("Where one volume leaves some, the others lack nothing."),
        BudgetTransfer::Nothing => Some(
            "What one volume leaves the others do not get: each has a part of its own while all are busy.",
        ),
        BudgetTransfer::Open => None,
    }
}

fn machine_words(held: &MachineLimits) -> Vec<String> {
    held.rows.iter().map(|row| machine_row(&held.machine.name, row)).collect()
}

fn machine_row(name: &str, row: &MachineRow) -> String {
    let published = published(row);
    match row.answer {
        MachineAnswer::Baseline => format!("It is {name}'s baseline ({published})."),
        MachineAnswer::Burst => format!("It is what {name} has while its credits last ({published})."),
        MachineAnswer::Below => format!("It is below {name}'s baseline ({published})."),
        MachineAnswer::Between => format!("It lies between {name}'s baseline and its burst ({published})."),
        MachineAnswer::Above => {
            format!("{} is more than is published for {name} ({published}).", rate(row.counted, &row.level))
        }
        MachineAnswer::NotReached => {
            format!(
                "{name}'s limit ({published}) was not reached: {} at most.",
                rate(row.counted, &row.level)
            )
        }
        MachineAnswer::Open => format!("Whether it is {name}'s limit ({published}) is not told."),
    }
}

/// Formats a published limit: `3,600 IOPS, 18,750 while credits last`.
fn published(row: &MachineRow) -> String {
    let one = |value: f64| match row.counted {
        LevelUnit::Operations => numbers::iops(value),
        LevelUnit::Bytes => numbers::bandwidth(value, Prefix::Decimal),
    };
    let most = row.most.map_or(String::new(), |most| format!(", {} while credits last", one(most)));
    format!("{}{most}", one(row.baseline))
}

/// Returns the sentences on division and starving.
fn sentences(answer: &TogetherAnswer) -> Vec<String> {
    let mut said: Vec<String> = answer
        .fairness
        .iter()
        .map(|fairness| {
            let how = if fairness.index >= EVEN { "evenly" } else { "unevenly" };
            format!(
                "Loaded alike they share {how}: Jain's index {} (1: each has what is fair).",
                numbers::fixed(fairness.index, 2)
            )
        })
        .collect();
    said.extend(worst_of_each(answer).into_iter().map(|beside| starves(answer, beside)));
    if !answer.beside.is_empty() && !answer.beside.iter().any(Beside::starves) {
        said.push(
            "A volume that is filled leaves a modest user of another at least half of what it has alone."
                .to_owned(),
        );
    }
    said.extend(answer.parts.iter().map(|some| {
        format!(
            "{} alone at once: {} of what each has ({}).",
            labels(answer, &some.volumes),
            numbers::share(some.total / some.alone),
            load_words(&some.load)
        )
    }));
    said
}

/// Returns for each starved volume the case in which it kept the smallest share.
fn worst_of_each(answer: &TogetherAnswer) -> Vec<&Beside> {
    let of = |modest: usize| {
        let starved = answer.beside.iter().filter(|beside| beside.modest == modest && beside.starves());
        starved.min_by(|a, b| a.kept().total_cmp(&b.kept()))
    };
    (0..answer.volumes.len()).filter_map(of).collect()
}

fn starves(answer: &TogetherAnswer, beside: &Beside) -> String {
    let latency = beside.latency_ns.map_or(String::new(), |(alone, then)| {
        format!(", {} instead of {} an I/O", numbers::time(then), numbers::time(alone))
    });
    format!(
        "{} starves {}: a modest user of {} has {} of {} beside it ({}{latency}).",
        labels(answer, &[beside.greedy]),
        labels(answer, &[beside.modest]),
        labels(answer, &[beside.modest]),
        numbers::count(beside.beside),
        numbers::iops(beside.alone),
        numbers::share(beside.kept())
    )
}

/// Returns a table of the rate that each volume delivers alone and beside the others.
fn kept_table(answer: &TogetherAnswer, load: &LoadTogether) -> Table {
    let head = load_words(&load.load);
    let mut table = Table::headed(&[&head, "alone, IOPS", "together, IOPS", "kept"]);
    let cell =
        |level: &Option<Estimate>| level.map_or("-".to_owned(), |level| numbers::estimate(&level, IOPS));
    let share = |share: Option<f64>| share.map_or("-".to_owned(), numbers::share);
    for (volume, row) in load.rows.iter().enumerate() {
        let VolumeTogether { alone, together, kept } = row;
        table.rows.push(vec![labels(answer, &[volume]), cell(alone), cell(together), share(*kept)]);
    }
    let kept = load.alone.zip(load.total).map(|(alone, total)| total.value / alone.value);
    table.rows.push(vec!["all".to_owned(), cell(&load.alone), cell(&load.total), share(kept)]);
    table
}

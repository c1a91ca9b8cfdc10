//! Which volume a recorded load needs, in words.

pub(crate) mod charts;
pub(crate) mod glance;
pub(crate) mod machine;

use analysis::Resource;
use analysis::size::{AddedWait, Carries, MachineSizing, SizedLoads, SizedSetting, Sizing, WaitingProgram};
use schemars::JsonSchema;
use serde::Serialize;
use workload::PolicyName;

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::document::document_json;
use crate::words::found::Extent;
use crate::words::numbers;
use crate::words::table::Columns;
use crate::words::watch_words::held_by;
use crate::words::wrap::{clean, wrap};

/// Most settings that a terminal shows unless all are asked for.
const ROWS: usize = 10;
const MIB: f64 = 1048576.0;

/// The sizing of all devices as one document.
#[derive(Serialize, JsonSchema)]
pub struct SizeDocument<'s> {
    /// Version that answered.
    plimsoll_version: &'static str,
    /// The answer of each device, the busiest first.
    devices: Vec<DeviceRow<'s>>,
    /// The answer of each machine, if one was asked about.
    machines: Vec<MachineRow<'s>>,
    /// The exit code.
    exit_code: u8,
}

/// The answer of a device, with its sentences.
#[derive(Serialize, JsonSchema)]
struct DeviceRow<'s> {
    #[serde(flatten)]
    sizing: &'s Sizing,
    /// The answer in a sentence or two.
    verdict: String,
    /// What the recording cannot show.
    cannot_show: Vec<String>,
}

/// The answer of a machine, with its sentence.
#[derive(Serialize, JsonSchema)]
struct MachineRow<'s> {
    #[serde(flatten)]
    sizing: &'s MachineSizing,
    /// The answer in a sentence.
    verdict: String,
}

/// Returns the exit code of an answer: 0 if a setting carries the load, and the present one and the machine do, if they are
/// known.
pub fn size_exit_code(loads: &SizedLoads) -> u8 {
    let of_machine = |machine: &MachineSizing| match machine.machine.meets {
        Carries::No => 3,
        Carries::Yes => 0,
        _ => 4,
    };
    let code = |sizing: &Sizing| match (&sizing.present, sizing.cheapest) {
        (Some(present), _) if present.meets == Carries::No => 3,
        (Some(present), _) if present.meets != Carries::Yes => 4,
        (None, None) => 4,
        _ => 0,
    };
    let machines = loads.machines.iter().map(of_machine);
    let codes: Vec<u8> = loads.volumes.iter().map(code).chain(machines).collect();
    [3, 4].into_iter().find(|code| codes.contains(code)).unwrap_or(0)
}

/// Returns the answers as one JSON document.
pub fn size_json(loads: &SizedLoads) -> String {
    let row =
        |sizing| DeviceRow { sizing, verdict: verdict(sizing).sentence(), cannot_show: cannot_show(sizing) };
    let document = SizeDocument {
        plimsoll_version: env!("CARGO_PKG_VERSION"),
        devices: loads.volumes.iter().map(row).collect(),
        machines: loads
            .machines
            .iter()
            .map(|sizing| MachineRow { sizing, verdict: machine::verdict(sizing).sentence() })
            .collect(),
        exit_code: size_exit_code(loads),
    };
    document_json("size", &document)
}

/// Returns the answers for a terminal, each verdict last: of several devices a table, and the whole answer of each if all is
/// asked for.
pub fn size_text(loads: &SizedLoads, extent: Extent) -> String {
    let sizings = &loads.volumes;
    let several = sizings.len() > 1;
    let whole = |sizing: &Sizing| {
        let sheet = sheet(sizing, extent);
        let verdict = sheet.verdict.as_ref().map(|words| format!("{} {}", words.sentence(), words.stops));
        let verdict = verdict.map_or_else(String::new, |words| wrap("", words.trim_end()));
        format!("{}\n{verdict}", sheet.text())
    };
    let mut parts = Vec::new();
    if several {
        parts.push(fleet_table(sizings).text(Columns::Left));
    }
    if !several || extent == Extent::All {
        parts.extend(sizings.iter().map(whole));
    }
    parts.extend(loads.machines.iter().map(machine::text));
    if several {
        let more = match extent {
            Extent::Screen => " --device NAME shows one of them, --all the whole answer of each.",
            Extent::All => "",
        };
        parts.push(wrap("", &(fleet(sizings) + more)));
    }
    parts.join("\n")
}

/// Returns the sum of several devices in a sentence.
pub(crate) fn fleet<'s>(sizings: &'s [Sizing]) -> String {
    let saves = |sizing: &'s Sizing| {
        saved(sizing.present.as_ref()?, sizing.cheapest.and_then(|at| sizing.settings.get(at)))
    };
    let saved: Vec<(f64, &str)> = sizings.iter().filter_map(saves).collect();
    let open = sizings.iter().filter(|sizing| sizing.cheapest.is_none()).count();
    let mut said = format!("{} volumes", sizings.len());
    if !saved.is_empty() {
        let mut currencies: Vec<&str> = saved.iter().map(|(_, currency)| *currency).collect();
        currencies.sort_unstable();
        currencies.dedup();
        let sum = |currency: &&str| saved.iter().filter(|one| one.1 == *currency).map(|one| one.0).sum();
        let sums = currencies.iter().map(|currency| format!("{} {}", amount(sum(currency)), clean(currency)));
        let sums = sums.collect::<Vec<_>>().join(" and ");
        said += &format!(": {} paid for more than they can use, {sums} a month in all", saved.len());
    }
    if open > 0 {
        said += &format!("; {open} of which no setting is sure to carry all that is wanted");
    }
    said + "."
}

/// Returns a table of several devices: what each needs, and what it has.
pub(crate) fn fleet_table(sizings: &[Sizing]) -> Table {
    let mut table = Table::headed(&["volume", "IOPS at peak", "needs", "a month", "now"]);
    for sizing in sizings {
        let best = sizing.cheapest.and_then(|at| sizing.settings.get(at));
        let least = sizing.settings.iter().find(|setting| setting.meets == Carries::AtLeastRecorded);
        let needs = match (best, least) {
            (Some(best), _) => short(&best.policy),
            (None, Some(least)) => format!("at least {}", short(&least.policy)),
            (None, None) => verdict(sizing).word.to_owned(),
        };
        table.rows.push(vec![
            device(sizing),
            numbers::count(sizing.load.iops_peak),
            needs,
            best.or(least).map_or_else(String::new, price_words),
            sizing.present.as_ref().map_or_else(String::new, price_words),
        ]);
    }
    table.without_empty()
}

/// Writes the price of a month.
fn price_words(setting: &SizedSetting) -> String {
    let words =
        setting.price.as_ref().map(|price| format!("{} {}", amount(price.amount), clean(&price.currency)));
    words.unwrap_or_else(|| "-".to_owned())
}

fn amount(value: f64) -> String {
    numbers::fixed(value, 2)
}

/// Returns the answer of a device as a sheet.
pub(crate) fn sheet(sizing: &Sizing, extent: Extent) -> Sheet {
    let lines = vec![seen(sizing), demand(sizing)];
    let mut blocks = vec![Block::Paragraphs("  ", lines)];
    let cannot = cannot_show(sizing);
    blocks.push(Block::Items("  but     ", cannot));
    let table = table(sizing, extent);
    Sheet {
        command: "size",
        verdict: Some(verdict(sizing)),
        tiles: glance::tiles(sizing),
        sections: vec![
            Section::of("The load", blocks),
            Section::of("Settings", vec![Block::Captioned("Settings".to_owned(), table, Columns::Left)]),
        ],
    }
}

/// Names a device as users know it.
pub(crate) fn device(sizing: &Sizing) -> String {
    let (name, alias) = (clean(&sizing.load.device), clean(&sizing.load.alias));
    // The file behind a loop device is no name of a volume.
    let is_name = !alias.is_empty() && alias != name && !alias.contains('/');
    let named = if is_name { format!("{name} ({alias})") } else { name };
    if sizing.recording.is_empty() { named } else { format!("{named} of {}", clean(&sizing.recording)) }
}

/// Returns the answer in a sentence, and what comes after it.
fn verdict(sizing: &Sizing) -> VerdictWords {
    let load = format!("the load of {}", device(sizing));
    let allowed = sizing
        .allowed
        .as_ref()
        .map_or_else(|| "without a wait".to_owned(), |allowed| format!("within {}", clean(&allowed.words)));
    if let Some(best) = sizing.cheapest.and_then(|at| sizing.settings.get(at)) {
        let word = if best.price.is_some() { "CHEAPEST" } else { "FITS" };
        let waited = sizing.load.waited.as_ref();
        let also = waited.map(|waited| format!(", also if {} never waited for it", clean(&waited.program)));
        let rest = format!(
            ": {} carries {load} {allowed}{}{}.",
            offer(sizing, best),
            also.unwrap_or_default(),
            spare(best)
        );
        return VerdictWords { word, rest, stops: beside(sizing) };
    }
    if let Some(once) = sizing.settings.iter().find(|setting| setting.meets == Carries::Once) {
        let rest = format!(
            ": {} carries {load} once, from full credits, which it spends faster than they return.",
            offer(sizing, once)
        );
        return VerdictWords { word: "FOR NOW", rest, stops: beside(sizing) };
    }
    let recorded = sizing.settings.iter().find(|setting| setting.meets == Carries::AtLeastRecorded);
    if let Some(least) = recorded {
        let load = &sizing.load;
        let held = format!("which a limit held for {} of the time", numbers::share(load.held_share));
        let (of, remedy) = match (&load.limit, &load.waited) {
            (Some(limit), _) => (
                format!("which a limit of the recorded machine held back ({})", held_by(limit)),
                "record it without that limit",
            ),
            (None, Some(waited)) if load.held_share <= 0.0 => {
                (waited_words(waited), "a faster volume shows it")
            }
            _ => (held, "record it on a volume that does not hold it"),
        };
        let rest = format!(
            " {}: it carries what was recorded of the load of {}, {of}. How much was wanted then is not known: {remedy}.",
            offer(sizing, least),
            device(sizing)
        );
        return VerdictWords { word: "AT LEAST", rest, stops: beside(sizing) };
    }
    let near = sizing.settings.iter().find(|setting| setting.meets == Carries::TooClose);
    if let Some(near) = near {
        let rest = format!(
            " whether {} carries {load} {allowed}: it comes too close to a limit.",
            offer(sizing, near)
        );
        return VerdictWords { word: "CANNOT TELL", rest, stops: beside(sizing) };
    }
    let tried = sizing.settings.len();
    let rest = match sizing.settings.first() {
        Some(first) => {
            format!(" of {tried} settings carries {load} {allowed}; {} comes nearest.", offer(sizing, first))
        }
        None => format!(": no policy was tried for {load}."),
    };
    VerdictWords { word: "NONE", rest, stops: beside(sizing) }
}

/// Describes how long a program waited for the device.
fn waited_words(waited: &WaitingProgram) -> String {
    format!("for which {} waited {} of its time", clean(&waited.program), numbers::share(waited.share))
}

/// Names a setting with its price.
fn offer(sizing: &Sizing, setting: &SizedSetting) -> String {
    let of_no_size = setting.policy.parameters.is_empty();
    let size = sizing.capacity.filter(|_| of_no_size);
    let size = size.map_or_else(String::new, |size| format!(" of {}", numbers::size(size.0)));
    let policy = format!("{}{size}", setting.policy);
    match &setting.price {
        Some(price) => {
            let region =
                if price.is_everywhere() { String::new() } else { format!(" in {}", clean(&price.region)) };
            let (paid, currency, date) = (amount(price.amount), clean(&price.currency), clean(&price.as_of));
            format!("{policy} ({paid} {currency} a month{region}, price of {date})")
        }
        None => policy,
    }
}

/// Says how far the load may grow.
fn spare(setting: &SizedSetting) -> String {
    let Some(factor) = setting.headroom else { return String::new() };
    let what = match setting.counts {
        Some(Resource::Iops) => "IOPS",
        Some(Resource::Bytes) => "bytes",
        None => return String::new(),
    };
    let when = numbers::span(setting.closest_s);
    let room = if factor > 10.0 {
        format!("the load never needs a tenth of its {what}")
    } else {
        format!("the load may grow by {} before its {what} run out", numbers::share(factor - 1.0))
    };
    format!("; {room} (closest {when} after the start)")
}

/// Says what the next cheaper setting would cost in waiting, and what the present one wastes or lacks.
fn beside(sizing: &Sizing) -> String {
    let mut said = Vec::new();
    if let Some(cheaper) = sizing.cheaper.and_then(|at| sizing.settings.get(at)) {
        said.push(format!(
            "The next cheaper, {}, {}.",
            offer(sizing, cheaper),
            costs(cheaper, sizing.load.seconds)
        ));
    }
    let best = sizing.cheapest.and_then(|at| sizing.settings.get(at));
    if let Some(present) = &sizing.present {
        said.push(match (present.meets, saved(present, best)) {
            (Carries::Yes, Some((saved, currency))) => format!(
                "What it has now, {}, is more than it needs: {} {} a month less would do.",
                offer(sizing, present),
                amount(saved),
                clean(currency)
            ),
            (Carries::Yes, None) => format!("What it has now, {}, does.", offer(sizing, present)),
            _ => format!(
                "What it has now, {}, {}.",
                offer(sizing, present),
                costs(present, sizing.load.seconds)
            ),
        });
    }
    said.join(" ")
}

/// Returns what the best setting saves against the present one, and in which currency.
fn saved<'s>(present: &'s SizedSetting, best: Option<&SizedSetting>) -> Option<(f64, &'s str)> {
    let (pays, needs) = (present.price.as_ref()?, best?.price.as_ref()?);
    let saved = (pays.amount - needs.amount, pays.currency.as_str());
    (pays.currency == needs.currency && saved.0 > 0.0).then_some(saved)
}

/// Says what a setting costs in waiting.
fn costs(setting: &SizedSetting, seconds: f64) -> String {
    if setting.carries == Carries::Once {
        return "carries it once, from full credits, but not again and again".to_owned();
    }
    let waits = setting.carries != Carries::AtLeastRecorded;
    let held = setting.added.filter(|added| waits && added.longest_s[1] > 0.0);
    let Some(AddedWait { throttled_s, p99_s, longest_s, .. }) = held else {
        return match setting.carries {
            Carries::TooClose => "comes within 3 % of a limit".to_owned(),
            Carries::AtLeastRecorded => "carries what was recorded, and more may have been wanted".to_owned(),
            Carries::No => "does not carry it".to_owned(),
            Carries::Yes | Carries::Once => "carries it".to_owned(),
        };
    };
    format!(
        "would delay its I/O for {} ({} of the time): p99 +{}, at worst +{}",
        range(throttled_s, numbers::span),
        range(throttled_s.map(|held| (held / seconds).min(1.0)), numbers::share),
        range(p99_s, wait),
        range(longest_s, wait)
    )
}

fn wait(seconds: f64) -> String {
    if seconds <= 0.0 {
        "0".to_owned()
    } else if seconds < 10.0 {
        numbers::time(seconds * 1e9)
    } else {
        numbers::span(seconds)
    }
}

/// Writes a range, or one figure if both ends read the same.
fn range([least, most]: [f64; 2], words: impl Fn(f64) -> String) -> String {
    let (least, most) = (words(least), words(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Says what was seen.
fn seen(sizing: &Sizing) -> String {
    let load = &sizing.load;
    let missing = if load.missing_s > 0.0 {
        format!(", of which {} are missing", numbers::span(load.missing_s))
    } else {
        String::new()
    };
    format!(
        "Seen: {}, {} in readings of {}{missing}.",
        device(sizing),
        numbers::span(load.seconds),
        numbers::span(load.reading_s)
    )
}

fn demand(sizing: &Sizing) -> String {
    let load = &sizing.load;
    // What a limit in front of the device lets through comes at its rate, however fast the device answers.
    let busy = if load.limit.is_none() && load.iops_busy_peak > 1.05 * load.iops_peak {
        format!(" (within a reading up to {})", numbers::iops(load.iops_busy_peak))
    } else {
        String::new()
    };
    format!(
        "Demand: {} in the mean, {} at the peak{busy}, {} reads; {} MiB/s in the mean, {} MiB/s at the peak.",
        numbers::iops(load.iops_mean),
        numbers::iops(load.iops_peak),
        numbers::share(load.read_share),
        numbers::figure(load.bytes_mean / MIB),
        numbers::figure(load.bytes_peak / MIB)
    )
}

/// Returns what the recording cannot show.
fn cannot_show(sizing: &Sizing) -> Vec<String> {
    let load = &sizing.load;
    let best = sizing.cheapest.and_then(|at| sizing.settings.get(at));
    let mut said = Vec::new();
    if load.held_share > 0.0 {
        let at = load.held_iops.map_or_else(String::new, |iops| format!(" at up to {}", numbers::iops(iops)));
        said.push(format!(
            "For {} of the time a limit of the recorded volume held the load{at}: it wanted more than was recorded.",
            numbers::share(load.held_share)
        ));
    }
    if let Some(limit) = &load.limit {
        said.push(format!(
            "Tasks waited in front of this device for a limit of the recorded machine, which let through no more than was recorded: {}.",
            held_by(limit)
        ));
    }
    if let (Some([waited, busy]), None, None) = (load.waiting, &load.waited, &load.limit) {
        said.push(format!(
            "Tasks of this machine waited for I/O {} of the time, and this device was busy {} of it: if they waited for it, in front of \
             the device, more was wanted than was recorded.",
            numbers::share(waited),
            numbers::share(busy)
        ));
    }
    if let Some(waited) = &load.waited {
        let most = match waited.most() {
            Some(factor) => format!("{} times as much at most", numbers::figure(factor)),
            None => "and nothing in the record bounds how much".to_owned(),
        };
        said.push(format!(
            "{} waited {} of its time for this volume: of one that never lets it wait, it would ask for more, {most}.",
            clean(&waited.program),
            numbers::share(waited.share)
        ));
    }
    if let Some(note) = best.and_then(|best| best.price.as_ref()).and_then(|price| price.note.as_ref()) {
        let mut rest = note.chars();
        let first = rest.next().map(char::to_lowercase);
        let note: String = first.into_iter().flatten().chain(rest).collect();
        said.push(format!("As priced here: {}", clean(&note)));
    }
    if best.is_some_and(|best| best.shared) {
        said.push("Its limits count all volumes of this type on the machine together.".to_owned());
    }
    if sizing.capacity.is_none() {
        said.push(
            "How large the volume must be is not recorded, so that the smallest ones are named: say it with --capacity SIZE."
                .to_owned(),
        );
    }
    if load.undivided {
        said.push(
            "The recording has reads and writes as one sum: each is taken to have as much of it as of the bytes."
                .to_owned(),
        );
    }
    if load.flushes_mean > 0.0 {
        said.push(format!(
            "It flushed {} times a second. The kernel counts a flush without data as a write too, and no provider says whether it \
             charges flushes: the answer holds if none of them is an I/O, and if each is one more than was counted.",
            numbers::figure(load.flushes_mean)
        ));
    }
    if load.own_load {
        said.push("plimsoll itself made this load: it is no application's.".to_owned());
    }
    if let Some(wait_s) =
        best.and_then(|best| best.added).map(|added| added.longest_s[1]).filter(|wait_s| *wait_s > 0.0)
    {
        said.push(format!(
            "Within a reading of {} the record does not say when I/O came: if it came bunched, some of it may wait for up to {}. \
             A recording with --every 50ms would show.",
            numbers::span(load.reading_s),
            wait(wait_s)
        ));
    }
    said.push(format!(
        "Only {} were seen: a peak of the week or of the month may be missing.",
        numbers::span(load.seconds)
    ));
    said.push(
        "What an I/O takes on another type of volume is not simulated, only what its limits add.".to_owned(),
    );
    said
}

/// Returns the table of settings.
fn table(sizing: &Sizing, extent: Extent) -> Table {
    let most = if extent == Extent::All { usize::MAX } else { ROWS };
    let mut table = Table::headed(&["setting", "a month", "carries it", "to spare", "at worst"]);
    for setting in sizing.settings.iter().take(most) {
        table.rows.push(vec![
            short(&setting.policy),
            price_words(setting),
            carries_words(setting.meets).to_owned(),
            // Too close is: by the greatest charge too much, by the least not.
            match setting.headroom.filter(|_| setting.meets != Carries::TooClose) {
                Some(factor) => numbers::share(factor - 1.0),
                None => String::new(),
            },
            match setting.added.map(|added| added.longest_s) {
                Some([_, longest]) if longest > 0.0 && setting.meets != Carries::Yes => {
                    format!("+{}", wait(longest))
                }
                _ => String::new(),
            },
        ]);
    }
    table.without_empty()
}

/// Writes a setting by its values alone.
fn short(policy: &PolicyName) -> String {
    let values: Vec<&str> = policy.parameters.iter().map(|(_, value)| value.as_str()).collect();
    clean(&format!("{} {}", policy.id, values.join(" ")))
}

fn carries_words(carries: Carries) -> &'static str {
    match carries {
        Carries::Yes => "yes",
        Carries::Once => "once",
        Carries::AtLeastRecorded => "as recorded",
        Carries::TooClose => "too close",
        Carries::No => "no",
    }
}

//! Whether a machine carries the volumes that hang on it, in words.

use analysis::Resource;
use analysis::size::{Carries, MachineSizing};

use super::{MIB, clean, costs, short, spare};
use crate::answers::sheet::VerdictWords;
use crate::words::Table;
use crate::words::numbers;
use crate::words::table::Columns;
use crate::words::wrap::wrap;

/// Returns the answer in a sentence, and what was summed up after it.
pub(crate) fn verdict(of: &MachineSizing) -> VerdictWords {
    let machine = clean(&of.machine.title);
    let load = volumes(of);
    let (word, rest) = match of.machine.meets {
        Carries::Yes => ("CARRIES", format!(": {machine} carries {load}{}.", spare(&of.machine))),
        Carries::Once => (
            "FOR NOW",
            format!(": {machine} carries {load} once, from full credits, but not again and again."),
        ),
        Carries::AtLeastRecorded => (
            "AT LEAST",
            format!(" what was recorded: {machine} carries that of {load}, and more was wanted."),
        ),
        Carries::TooClose => {
            ("CANNOT TELL", format!(" whether {machine} carries {load}: it comes within 3 % of a limit."))
        }
        Carries::No => {
            let costs = costs(&of.machine, of.seconds);
            ("TOO SMALL", format!(": the load of {load} is too much for {machine}, which {costs}."))
        }
    };
    let stops = format!(
        "Together: {} in the mean, {} at the peak; {} MiB/s in the mean, {} MiB/s at the peak.",
        numbers::iops(of.iops_mean),
        numbers::iops(of.iops_peak),
        numbers::figure(of.bytes_mean / MIB),
        numbers::figure(of.bytes_peak / MIB)
    );
    VerdictWords { word, rest, stops }
}

/// Names the volumes of a machine.
fn volumes(of: &MachineSizing) -> String {
    let names: Vec<String> = of.devices.iter().map(|name| clean(name)).collect();
    let of_run =
        if of.recording.is_empty() { String::new() } else { format!(" of {}", clean(&of.recording)) };
    match names.as_slice() {
        [one] => format!("{one}{of_run}"),
        [one, other] => format!("{one} and {other}{of_run} together"),
        several => format!("the {} volumes{of_run} together", several.len()),
    }
}

/// Returns the answer for a terminal.
pub(super) fn text(of: &MachineSizing) -> String {
    let words = verdict(of);
    format!(
        "{}\n{}",
        table(of).text(Columns::Left),
        wrap("", &format!("{} {}", words.sentence(), words.stops))
    )
}

/// Returns the limits of the machine, with the credits that are left at the least.
pub(crate) fn table(of: &MachineSizing) -> Table {
    let mut table = Table::headed(&["limit of the machine", "lasting", "at most", "credits at least"]);
    for level in &of.machine.levels {
        let rate = |rate: f64| match level.counts {
            Resource::Iops => numbers::iops(rate),
            Resource::Bytes => format!("{} MiB/s", numbers::figure(rate / MIB)),
        };
        let low = of.machine.credits.iter().find(|low| low.rule == level.rule);
        table.rows.push(vec![
            clean(&level.rule),
            rate(level.baseline),
            level.burst.map_or_else(String::new, rate),
            low.map_or_else(String::new, |low| {
                format!("{} after {}", numbers::share(low.share), numbers::span(low.at_s))
            }),
        ]);
    }
    table.without_empty()
}

/// Names the machine for a heading.
pub(crate) fn heading(of: &MachineSizing) -> String {
    let name = short(&of.machine.policy);
    if of.recording.is_empty() { name } else { format!("{name} of {}", clean(&of.recording)) }
}

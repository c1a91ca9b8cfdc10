//! What a load needs: each device and setting, and each machine.

use analysis::size::{SizedLoads, SizedSetting};

use crate::table::{Table, figure, text};
use crate::tables::word;

/// A setting with the recording and the devices that it is judged for, and what it is among the others.
struct Row<'s> {
    recording: &'s str,
    devices: String,
    what: &'static str,
    setting: &'s SizedSetting,
}

fn rows(loads: &SizedLoads) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for sizing in &loads.volumes {
        let row = |what, setting| Row {
            recording: &sizing.recording,
            devices: sizing.load.device.clone(),
            what,
            setting,
        };
        let what = |at| if Some(at) == sizing.cheapest { "cheapest" } else { "setting" };
        rows.extend(sizing.settings.iter().enumerate().map(|(at, setting)| row(what(at), setting)));
        rows.extend(sizing.present.iter().map(|setting| row("present", setting)));
    }
    rows.extend(loads.machines.iter().map(|sizing| Row {
        recording: &sizing.recording,
        devices: sizing.devices.join(" "),
        what: "machine",
        setting: &sizing.machine,
    }));
    rows
}

/// Returns a row for each device and setting, and for each machine; waits are unknown where they were not computed.
pub fn settings(loads: &SizedLoads) -> Table {
    let rows = rows(loads);
    let words = |name, of: fn(&SizedSetting) -> Option<String>| text(name, &rows, |row| of(row.setting));
    let number = |name, unit, of: fn(&SizedSetting) -> Option<f64>| {
        figure((name, unit), &rows, move |row| of(row.setting))
    };
    let mut columns = vec![
        text("recording", &rows, |row| Some(row.recording.to_owned())),
        text("devices", &rows, |row| Some(row.devices.clone())),
        text("what", &rows, |row| Some(row.what.to_owned())),
        words("setting", |one| Some(one.policy.to_string())),
        words("provider", |one| Some(one.provider.clone())),
        words("carries", |one| word(&one.carries)),
        words("meets", |one| word(&one.meets)),
        number("price_a_month", "", |one| Some(one.price.as_ref()?.amount)),
        words("currency", |one| Some(one.price.as_ref()?.currency.clone())),
        words("region", |one| Some(one.price.as_ref()?.region.clone())),
        words("price_as_of", |one| Some(one.price.as_ref()?.as_of.clone())),
        number("headroom", "", |one| one.headroom),
        words("rule", |one| one.rule.clone()),
        number("closest_s", "s", |one| Some(one.closest_s)),
    ];
    let names = ["throttled_s", "p50_s", "p99_s", "longest_s", "longer_s"];
    let waits = |row: &Row<'_>| {
        let added = row.setting.added?;
        Some([added.throttled_s, added.p50_s, added.p99_s, added.longest_s, added.longer_s])
    };
    columns.extend((0..2 * names.len()).map(|at| {
        let name = format!("{}_{}", names[at / 2], ["least", "most"][at % 2]);
        figure((&name, "s"), &rows, |row| Some(waits(row)?[at / 2][at % 2]))
    }));
    Table { name: "settings", about: "a row a device and setting, or a machine", columns }
}

//! A row for each device and setting, and for each machine, for other programs.

use analysis::size::{Carries, SizedLoads, SizedSetting};

use crate::words::data::Csv;

/// The columns, with their units.
const HEAD: [&str; 24] = [
    "recording",
    "devices",
    "what",
    "setting",
    "provider",
    "carries",
    "meets",
    "price [a month]",
    "currency",
    "region",
    "price as of",
    "headroom [factor]",
    "rule",
    "closest [s]",
    "throttled least [s]",
    "throttled most [s]",
    "p50 least [s]",
    "p50 most [s]",
    "p99 least [s]",
    "p99 most [s]",
    "longest least [s]",
    "longest most [s]",
    "longer least [s]",
    "longer most [s]",
];

/// Returns all settings of all devices as comma-separated values; waits are empty where they were not computed.
pub fn size_csv(loads: &SizedLoads) -> String {
    let mut csv = Csv::headed(HEAD);
    for sizing in &loads.volumes {
        let place = [&*sizing.recording, &*sizing.load.device];
        for (at, setting) in sizing.settings.iter().enumerate() {
            row(&mut csv, (place, if Some(at) == sizing.cheapest { "cheapest" } else { "setting" }), setting);
        }
        sizing.present.iter().for_each(|setting| row(&mut csv, (place, "present"), setting));
    }
    for sizing in &loads.machines {
        let devices = sizing.devices.join(" ");
        row(&mut csv, ([&sizing.recording, &devices], "machine"), &sizing.machine);
    }
    csv.text()
}

fn row(csv: &mut Csv, (place, what): ([&str; 2], &str), setting: &SizedSetting) {
    place.into_iter().chain([what]).for_each(|words| csv.words(words));
    csv.words(&setting.policy.to_string());
    csv.words(&setting.provider);
    csv.words(word(setting.carries));
    csv.words(word(setting.meets));
    let price = setting.price.as_ref();
    csv.maybe(price.map(|price| price.amount));
    csv.words(price.map_or("", |price| price.currency.as_str()));
    csv.words(price.map_or("", |price| price.region.as_str()));
    csv.words(price.map_or("", |price| price.as_of.as_str()));
    csv.maybe(setting.headroom);
    csv.words(setting.rule.as_deref().unwrap_or_default());
    csv.number(setting.closest_s);
    let added = setting.added;
    let each =
        added.map(|added| [added.throttled_s, added.p50_s, added.p99_s, added.longest_s, added.longer_s]);
    for at in 0..10 {
        csv.maybe(each.map(|each| each[at / 2][at % 2]));
    }
    csv.end();
}

fn word(carries: Carries) -> &'static str {
    match carries {
        Carries::Yes => "yes",
        Carries::Once => "once",
        Carries::AtLeastRecorded => "at_least_recorded",
        Carries::TooClose => "too_close",
        Carries::No => "no",
    }
}

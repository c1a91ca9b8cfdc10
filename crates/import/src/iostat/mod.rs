//! Conversion of iostat's reports, of every generation, to the series of a run.
//!
//! Sources: manual pages and change log of sysstat, and outputs that users posted. The keys reveal the generation.

mod clock;
mod diskstats;
mod json;
mod keys;
mod observed;
mod perfmon;
mod sadf;
mod sar;
mod sectors;
mod sheet;
mod spans;
mod text;
pub(crate) mod tokens;

pub(crate) use self::text::headless;
pub(crate) use diskstats::read as counters;

use self::sheet::Sheet;
use super::found::ImportedResult;
use super::text::Text;
use super::trouble::{Trouble, Troubles};

/// The results of an iostat input.
pub(crate) struct Reports {
    /// One result for each host and document.
    pub found: Vec<ImportedResult>,
    pub troubles: Vec<Trouble>,
    pub notes: Vec<String>,
}

/// Whether a text is JSON with iostat's keys, sound or damaged.
pub(crate) fn is_json(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    text.contains('{') && (has("\"disk_device\"") || has("\"avg-cpu\"") || has("\"sysstat\""))
}

/// Reads every document in `text`; `name` is the name of the input.
pub(crate) fn json(text: &str, name: &str) -> Reports {
    let reader = json::Reader::read(text);
    let mut notes = Vec::new();
    if reader.unnamed > 0 {
        notes.push(format!("{} more places could not be read", reader.unnamed));
    }
    if reader.stray_comma {
        notes.push(
            "the comma before the first report (iostat -y of 11.6.0 and 12.1.4) is passed over".to_owned(),
        );
    }
    if reader.cut_off {
        let reports: usize = reader.sheets.iter().map(|sheet| sheet.reports.len()).sum();
        notes.push(format!(
            "it ends before its closing brackets, as when iostat is stopped; {reports} report{} read up to there",
            if reports == 1 { "" } else { "s" }
        ));
    }
    let found = reader.sheets.iter().map(|sheet| observed::found(sheet, name)).collect();
    Reports { found, troubles: reader.troubles, notes }
}

/// Reads the output of every call of iostat, sar, sadf, esxtop or typeperf in `text`, as text, XML or CSV; `name` is
/// the name of the input.
pub(crate) fn text(text: &Text, name: &str, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut sheets = text::read(text, troubles);
    sheets.extend(sar::read(text, troubles));
    sheets.extend(sadf::read(text, troubles));
    sheets.extend(perfmon::read(text, troubles));
    sheets.iter_mut().for_each(Sheet::even_out);
    let filled = sheets.iter().filter(|sheet| sheet.says_something());
    filled.map(|sheet| observed::found(sheet, name)).collect()
}

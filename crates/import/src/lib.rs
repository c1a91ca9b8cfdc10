//! Conversion of other tools' output to runs: fio, ioping, DiskSpd, sysstat, monitoring systems and other benchmarks in
//! every form and generation, recognised by content.
//!
//! Figures are taken as printed; none is guessed, and none is computed but DiskSpd's total from its two directions and the
//! rates of what monitoring systems count. Unreadable text is reported with its place, and the text around it is still read.

mod bounds;
mod clocks;
mod crystal;
mod cuts;
mod dd;
mod diskspd;
mod documents;
mod escapes;
mod fields;
mod fio;
mod found;
mod gather;
mod hdparm;
mod ioping;
mod iostat;
mod kinds;
mod kubestr;
mod lacks;
mod layers;
mod mail;
mod monitoring;
mod numbers;
mod pieces;
mod prefixes;
mod quantity;
mod scan;
mod stamps;
mod sysbench;
mod text;
mod trouble;
mod yabs;

use record::{Event, EventKind, Origin, Run};
use workload::Nanos;

use bounds::RESULTS_MOST;
use found::ImportedResult;
use layers::Page;
use text::Text;
use trouble::Troubles;

pub use gather::together;
pub use trouble::{ImportError, Trouble};

/// An input: its name, which shows the contents of a log of fio, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// File name, or `-`.
    pub name: &'a str,
    /// The whole content.
    pub bytes: &'a [u8],
}

/// The result of reading one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// A run for each result, in the order of the input; at least one.
    pub runs: Vec<Run>,
    /// Unreadable places.
    pub troubles: Vec<Trouble>,
    /// Notes for the reader besides the runs.
    pub notes: Vec<String>,
}

/// Reads every result in `input`. The runs carry `words`, the command line of the import.
///
/// # Errors
/// [`ImportError`] if there is no result at all, naming the nearest kinds.
pub fn read(input: Input<'_>, words: &[String]) -> Result<Import, ImportError> {
    kinds::is_text(input.bytes)?;
    layers::best(Page::of(input.bytes), |page| read_page(page, input.name, words))
}

/// Reads every result in a page; moves the text out of the page.
fn read_page(page: &mut Page, name: &str, words: &[String]) -> Result<Import, ImportError> {
    if let Some(import) = watched(page, name, words)? {
        return Ok(import);
    }
    let text = Text::of(std::mem::take(&mut page.text), page.notes.clone());
    if text.plain.trim().is_empty() {
        return Err(ImportError::Empty);
    }
    let mut troubles = Troubles::default();
    let (mut results, mut notes) = (results(&text, name, &mut troubles), text.notes.clone());
    results.retain(ImportedResult::says_something);
    if results.is_empty() {
        iostat::headless(&text).into_iter().for_each(|trouble| troubles.push(trouble));
        return Err(kinds::nothing(&text, troubles.told().0));
    }
    let mut results = gather::distinct(results, text.bounds.prints_replaced(), &mut notes);
    notes.extend(text.bounds.notes(results.len()));
    results.truncate(RESULTS_MOST);
    let (troubles, more) = troubles.told();
    notes.extend(more);
    let runs = results.into_iter().map(|found| run(found, words)).collect();
    Ok(Import { runs, troubles, notes })
}

/// Reads the JSON of iostat or what a monitoring system recorded, which may be large, without making a plain copy; `None`
/// if the page is something else.
fn watched(page: &Page, name: &str, words: &[String]) -> Result<Option<Import>, ImportError> {
    let monitoring = monitoring::reader(&page.text);
    let of_iostat =
        || iostat::is_json(&page.text).then_some(iostat::json as fn(&str, &str) -> iostat::Reports);
    let Some(read) = monitoring.or_else(of_iostat) else { return Ok(None) };
    let mut notes = page.notes.clone();
    let mut reports = read(&page.text, name);
    let had = reports.found.len();
    reports.found.retain(ImportedResult::says_something);
    if reports.found.is_empty() {
        return Err(match monitoring {
            Some(_) => kinds::no_series(reports.troubles),
            None => kinds::no_interval(had, reports.troubles),
        });
    }
    notes.append(&mut reports.notes);
    if reports.found.len() > RESULTS_MOST {
        notes.push(format!(
            "reports of {RESULTS_MOST} hosts are read at once, and there are {}",
            reports.found.len()
        ));
        reports.found.truncate(RESULTS_MOST);
    }
    let runs = reports.found.into_iter().map(|found| run(found, words)).collect();
    Ok(Some(Import { runs, troubles: reports.troubles, notes }))
}

/// Returns the results of every kind, in the order of the input.
fn results(text: &Text, name: &str, troubles: &mut Troubles) -> Vec<ImportedResult> {
    if ioping::is_raw(text) {
        return vec![ioping::raw(text, troubles)];
    }
    if fio::is_log(text) {
        return fio::log(text, name, troubles).into_iter().collect();
    }
    let mut found = Vec::new();
    let mut own = Troubles::default();
    let is_result = |document: &documents::Document| fio::is_fio(document) || ioping::is_ioping(document);
    for document in documents::documents(text, &mut own, is_result) {
        if fio::is_fio(&document) {
            found.extend(fio::json(&document, text, &mut own));
        } else if ioping::is_ioping(&document) {
            found.push(ioping::json(&document, text, &mut own));
        }
    }
    // Broken brackets in prose are not reported; those in a result are.
    if !found.is_empty() {
        troubles.append(own);
    }
    if diskspd::is_xml(text) {
        found.extend(diskspd::xml(text, troubles));
    } else {
        found.extend(diskspd::human(text, troubles));
    }
    found.extend(fio::terse(text, troubles));
    match kubestr::is_report(text) {
        true => found.extend(kubestr::human(text, troubles)),
        false => found.extend(fio::human(text, troubles)),
    }
    let others: [fn(&Text, &mut Troubles) -> Vec<ImportedResult>; 5] =
        [crystal::human, dd::human, yabs::human, hdparm::human, sysbench::human];
    others.iter().for_each(|read| found.extend(read(text, troubles)));
    found.extend(ioping::human(text, troubles));
    found.extend(iostat::text(text, name, troubles));
    found.extend(iostat::counters(text, name, troubles));
    found.sort_by_key(|found| found.at);
    found
}

fn run(found: ImportedResult, words: &[String]) -> Run {
    let note = |text: String| Event { at: Nanos::ZERO, kind: EventKind::Note, text };
    Run {
        origin: Origin::Imported { lacks: lacks::lacks(&found), tool: found.tool },
        reported: found.parts,
        host: found.host,
        observed: found.observed,
        exceeded: found.exceeded,
        samples: found.samples,
        events: found.notes.into_iter().map(note).collect(),
        complete: true,
        ..Run::started(words.to_vec(), found.started_unix_ms)
    }
}

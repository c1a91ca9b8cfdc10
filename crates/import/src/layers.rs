//! Layers around a result: the encoding of a mail, times and quotation marks before its lines, numbers in the notation
//! of other locales. A layer is removed if more can be read without it.

use std::cmp::Reverse;

use record::Run;

use super::cuts::Cuts;
use super::trouble::ImportError;
use super::{Import, clocks, escapes, mail, numbers, prefixes, stamps, text};

/// A text with some layers removed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub text: String,
    /// Notes for the reader on how the text was obtained.
    pub notes: Vec<String>,
    /// Removed pieces, first layer first.
    cuts: Vec<Cuts>,
    /// Whether numbers were changed on a guess that may be wrong.
    guessed: bool,
}

/// Most layers removed; no text has more.
const LAYERS_MOST: usize = 6;
/// Length in bytes above which an input is not read once for each layer; its head alone decides which layers to
/// remove.
const WHOLE_MOST: usize = 4 << 20;
/// Length of that head, in bytes.
const HEAD: usize = 1 << 20;

impl Page {
    /// Returns the text of an input, without escape sequences.
    pub fn of(bytes: &[u8]) -> Page {
        let mut notes = Vec::new();
        let text = text::decoded(bytes, &mut notes);
        let text = clocks::plain(&text).unwrap_or(text);
        let text = bare(&text).unwrap_or(text);
        match escapes::without(&text) {
            Some((text, cuts)) => Page { text, notes, cuts: vec![cuts], ..Page::default() },
            None => Page { text, notes, ..Page::default() },
        }
    }

    /// Returns the page with one more layer removed; `None` if there is no layer.
    fn within(&self) -> Option<Page> {
        let (notes, cuts) = (self.notes.clone(), self.cuts.clone());
        let mut page = Page { notes, cuts, guessed: self.guessed, ..Page::default() };
        if let Some(text) = mail::decoded(&self.text) {
            page.notes.push(MAIL.to_owned());
            return Some(Page { text, cuts: Vec::new(), ..page });
        }
        let prefixes = || prefixes::without(&self.text).map(|(text, cuts)| (text, cuts, PREFIXES));
        if let Some((text, cuts, note)) = stamps::without(&self.text).or_else(prefixes) {
            page.cuts.push(cuts);
            if !page.notes.iter().any(|known| known == note) {
                page.notes.push(note.to_owned());
            }
            return Some(Page { text, ..page });
        }
        let text = numbers::pointed(&self.text)?;
        page.notes.push(POINTED.to_owned());
        Some(Page { text, cuts: Vec::new(), guessed: true, ..page })
    }

    /// Returns the first lines of the page.
    fn head(&self) -> Page {
        let head = super::pieces::near(&self.text, 0, HEAD);
        let end = head.rfind('\n').map_or(head.len(), |end| end + 1);
        Page { text: head[..end].to_owned(), ..Page::default() }
    }
}

/// Returns `text` with blanks for the rest of fio's live line, over which a terminal has written the bracket that begins
/// JSON; `None` if there is none.
fn bare(text: &str) -> Option<String> {
    const COVERED: &str = "{obs: ";
    text.contains(COVERED).then_some(())?;
    let line = |line: &str| match line.trim_start().starts_with(COVERED) {
        true => line.replace(|c: char| !matches!(c, '{' | '\r' | '\n'), " "),
        false => line.to_owned(),
    };
    Some(text.split_inclusive('\n').map(line).collect())
}

const POINTED: &str =
    "decimal commas and signs between thousands were read as such; columns are counted in what that gave";
const PREFIXES: &str = "what stands before each line, as in a log or a comment, was taken off";
const MAIL: &str =
    "an encoded mail (quoted-printable) was decoded; lines and columns are counted in what that gave";

/// Reads `page` with `read`, removing the layers without which the reading is best.
pub(crate) fn best(
    page: Page,
    read: impl Fn(&mut Page) -> Result<Import, ImportError>,
) -> Result<Import, ImportError> {
    if page.text.len() <= WHOLE_MOST {
        return deepest(page, &read).0;
    }
    let depth = deepest(page.head(), &read).1;
    let mut page = page;
    for _ in 0..depth {
        page = page.within().unwrap_or(page);
    }
    placed(&mut page, &read)
}

/// Returns the best reading and the number of layers removed for it; the smallest number if readings are equal.
fn deepest(
    page: Page,
    read: &impl Fn(&mut Page) -> Result<Import, ImportError>,
) -> (Result<Import, ImportError>, usize) {
    let mut layer = Some(page);
    let mut best: Option<(Result<Import, ImportError>, usize)> = None;
    for depth in 0..LAYERS_MOST {
        let Some(mut page) = layer else { break };
        layer = page.within();
        let found = placed(&mut page, read);
        let better = |(before, _): &(_, usize)| {
            if page.guessed { mends(&found, before) } else { worth(&found) > worth(before) }
        };
        if best.as_ref().is_none_or(better) {
            best = Some((found, depth));
        }
    }
    best.unwrap_or((Err(ImportError::Empty), 0))
}

/// Reads a page, and converts the columns of its troubles to those of the input.
fn placed(
    page: &mut Page,
    read: &impl Fn(&mut Page) -> Result<Import, ImportError>,
) -> Result<Import, ImportError> {
    let mut found = read(page);
    let troubles = match &mut found {
        Ok(import) => import.troubles.as_mut_slice(),
        Err(ImportError::Unreadable { first, .. }) => std::slice::from_mut(first),
        Err(_) => &mut [],
    };
    for trouble in troubles {
        for cuts in page.cuts.iter().rev() {
            trouble.column = cuts.column(trouble.line, trouble.column);
        }
    }
    found
}

/// Ranks a reading: by figures, then by few troubles, then by short names, which contain nothing of a log.
fn worth(found: &Result<Import, ImportError>) -> (usize, Reverse<usize>, Reverse<usize>) {
    let Ok(import) = found else { return (0, Reverse(usize::MAX), Reverse(0)) };
    let figures = import.runs.iter().map(figures).sum();
    let parts = import.runs.iter().flat_map(|run| &run.reported);
    let devices = import.runs.iter().filter_map(|run| run.observed.as_ref()).flat_map(|seen| &seen.devices);
    let names = parts.map(|part| part.job.len()).sum::<usize>()
        + devices.map(|device| device.name.len()).sum::<usize>();
    (figures, Reverse(import.troubles.len()), Reverse(names))
}

/// Whether a guess is right: nothing could be read before it, or there are fewer troubles with it and nothing is
/// lost. More figures alone prove nothing.
fn mends(found: &Result<Import, ImportError>, before: &Result<Import, ImportError>) -> bool {
    match (found, before) {
        (Ok(now), Ok(then)) => now.troubles.len() < then.troubles.len() && worth(found) > worth(before),
        (now, then) => now.is_ok() && then.is_err(),
    }
}

/// Returns the number of figures in a run.
fn figures(run: &Run) -> usize {
    let observed =
        run.observed.iter().flat_map(|observed| &observed.devices).flat_map(|device| &device.metrics);
    let observed: usize =
        observed.map(|(_, values)| values.iter().filter(|value| !value.is_nan()).count()).sum();
    let cpu: usize =
        run.observed.iter().flat_map(|observed| &observed.cpu).map(|(_, values)| values.len()).sum();
    let reported: usize = run.reported.iter().map(of_part).sum();
    let counted: usize = run.samples.iter().map(|sample| sample.disks.len()).sum();
    observed + cpu + reported + counted
}

fn of_part(part: &record::ReportedPart) -> usize {
    let series: usize = part.series.iter().map(|series| series.points.len() + series.histograms.len()).sum();
    part.figures.len() + series + part.directions.iter().map(of_way).sum::<usize>()
}

fn of_way(way: &record::ReportedDirection) -> usize {
    let own = [&way.bytes, &way.ops, &way.iops, &way.bytes_per_second, &way.runtime];
    let latencies = way.latencies.iter().map(|latency| {
        let moments = [&latency.count, &latency.min, &latency.max, &latency.mean, &latency.stddev];
        moments.iter().filter(|figure| figure.is_some()).count()
            + latency.percentiles.len()
            + latency.bins.len()
    });
    own.iter().filter(|figure| figure.is_some()).count() + way.figures.len() + latencies.sum::<usize>()
}

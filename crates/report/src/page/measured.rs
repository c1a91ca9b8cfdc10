//! The sections of a run that measured a target: claims, charts, jobs, findings.

use analysis::{Analysis, Doubt, ProcedureAnswer, Verdict};
use record::Run;

use super::findings::findings;
use super::parts::{above, figure, note, prose, scrolled_as, section, titled};
use super::shown::Figures;
use crate::answers::sheet::{Block, Section};
use crate::answers::sheets;
use crate::charts::{DrawnChart, Part, Picture, PictureOptions, Source, drawn, pictures};
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::cells::cell_table;
use crate::words::claims::{claim_words, p99_head, reading};
use crate::words::doubt::{doubt, remedy};
use crate::words::sentence::capital;
use crate::words::terminal::claimed_by;
use crate::words::verdict::{is_of_burst, reasons};

/// Headings of the sections with charts, and the part of the table of charts that each section shows.
const HEADINGS: [(&str, Part); 6] = [
    ("The answer in pictures", Part::Answer),
    ("Against time", Part::Time),
    ("Queue depth", Part::Depth),
    ("Block size", Part::Block),
    ("Latency", Part::Latency),
    ("The machine meanwhile", Part::Machine),
];

/// Returns the sections between the verdict and the method: the decisive chart, the claims, the findings, then
/// everything else.
pub(super) fn sections(run: &Run, analysis: &Analysis) -> Markup {
    let source = Source { run, analysis, view: None };
    let charts = drawn(&source, &HEADINGS.map(|(_, part)| part));
    // If jobs ran side by side, the table is the answer, unless a level changed.
    let table_decides = !climbed(analysis) && analysis.regimes.changes.is_empty();
    let decisive = decisive(analysis, &charts).filter(|_| !table_decides);
    let below = |(heading, part): &(&str, Part)| section(heading, figures(&charts, *part, decisive));
    let named = |drawn: &DrawnChart| (drawn.row.id.to_owned(), drawn.chart.title.clone());
    let shown = Figures::of(run, charts.iter().map(named).collect());
    let claims = claims(run, &analysis.verdict);
    let top = match &analysis.answered {
        Some(answered @ ProcedureAnswer::Check(_)) => markup![claims, answers(answered)],
        // The answer to the user's question comes first.
        Some(answered) => markup![answers(answered), claims],
        None => claims,
    };
    markup![
        section("The chart that decides", decisive.map(figure).into()),
        top,
        steps_without_ladder(run, analysis),
        findings(analysis, &shown),
        HEADINGS.iter().map(below).collect::<Markup>(),
    ]
}

/// Returns the sections of a procedure's answers, which follow the verdict.
fn answers(answered: &ProcedureAnswer) -> Markup {
    sheets(answered).iter().flat_map(|sheet| &sheet.sections).map(part).collect()
}

pub(super) fn part(part: &Section) -> Markup {
    let content: Markup = part.blocks.iter().map(block).collect();
    if part.heading.is_empty() { content } else { section(&part.heading, content) }
}

/// Returns a part of an answer as a page shows it.
pub(super) fn block(part: &Block) -> Markup {
    match part {
        Block::Items(_, items) => {
            let items: Markup = items.iter().map(|item| element("li").holding(prose(item))).collect();
            element("ul").line(items)
        }
        Block::Paragraphs(_, paragraphs) => {
            paragraphs.iter().map(|paragraph| element("p").line(prose(paragraph))).collect()
        }
        Block::Note(words) => note(words.as_str()),
        Block::Titled(title, table, _) => titled(title, table),
        Block::Captioned(caption, table, _) => scrolled_as(table, caption),
        Block::Page(part) => block(part),
        Block::Verbatim(_) | Block::Terminal(_) => Markup::default(),
    }
}

/// Returns the charts of the load that plimsoll itself made during a watch.
pub(super) fn own_load(run: &Run, analysis: &Analysis) -> Markup {
    let charts = drawn(&Source { run, analysis, view: None }, &[Part::Time]);
    section("Our own load", charts.iter().map(figure).collect())
}

/// Returns the charts of a part; the decisive chart, which is shown further up, becomes a link.
fn figures(charts: &[DrawnChart], part: Part, decisive: Option<&DrawnChart>) -> Markup {
    let shown = |drawn: &DrawnChart| match decisive.is_some_and(|decisive| decisive.row.id == drawn.row.id) {
        true => above(&drawn.chart.title, drawn.row.id),
        false => figure(drawn),
    };
    charts.iter().filter(|drawn| drawn.row.part == part).map(shown).collect()
}

/// Returns the chart that the verdict rests on: the chart of the answer; or the rate against time, if a change or a
/// burst decides; or both caps against block size, if they are compared with claims; or else the chart with the
/// lowest `decides`.
fn decisive<'c>(analysis: &Analysis, charts: &'c [DrawnChart]) -> Option<&'c DrawnChart> {
    let asked = charts.iter().find(|drawn| drawn.row.part == Part::Answer);
    let claims = matches!(&analysis.answered, Some(ProcedureAnswer::Check(_))) && !analysis.blocks.is_empty();
    // The rate shows the end of a burst; the chart of the bucket only explains it.
    let burst = matches!(&analysis.answered, Some(ProcedureAnswer::Burst(_)));
    if asked.is_some() && !claims && !burst {
        return asked;
    }
    let named = wanted(analysis).and_then(|id| charts.iter().find(|drawn| drawn.row.id == id));
    let able = charts.iter().filter(|drawn| drawn.row.decides.is_some());
    named.or_else(|| able.min_by_key(|drawn| drawn.row.decides))
}

/// Returns the picture of the chart that the verdict rests on; `None` if nothing can be drawn.
pub fn decisive_picture(run: &Run, analysis: &Analysis) -> Option<Picture> {
    let mut all = pictures(run, analysis, &PictureOptions::default());
    let charts = drawn(&Source { run, analysis, view: None }, &HEADINGS.map(|(_, part)| part));
    let wanted = decisive(analysis, &charts).map(|drawn| format!("-{}", drawn.row.id));
    let shown = |picture: &Picture| wanted.as_ref().is_some_and(|id| picture.name.ends_with(id.as_str()));
    // The first picture of a watch shows all devices.
    let at = all.iter().position(shown).filter(|_| analysis.watched.is_none()).unwrap_or(0);
    (at < all.len()).then(|| all.swap_remove(at))
}

/// Returns the id of the chart that the verdict needs: the rate against time if a level changed, the caps if
/// anything was claimed.
fn wanted(analysis: &Analysis) -> Option<&'static str> {
    let burst = matches!(&analysis.answered, Some(ProcedureAnswer::Burst(_)));
    let claimed = analysis.verdict.rows.iter().any(|row| row.claimed.value > 0.0);
    match (analysis.regimes.changes.is_empty() && !burst, claimed) {
        (false, _) => Some("rate"),
        (true, true) => Some("blocks"),
        (true, false) => None,
    }
}

/// Whether the figures come from a ladder or a procedure rather than from jobs side by side.
fn climbed(analysis: &Analysis) -> bool {
    analysis.answered.is_some() || !analysis.depths.is_empty() || !analysis.blocks.is_empty()
}

/// Returns every job of a run that climbed no ladder: a profile, a quick look, a job file.
fn steps_without_ladder(run: &Run, analysis: &Analysis) -> Markup {
    match climbed(analysis) {
        true => Markup::default(),
        false => section("Jobs", scrolled_as(&cell_table(&analysis::cells(run)), "Jobs")),
    }
}

fn claims(run: &Run, verdict: &Verdict) -> Markup {
    if verdict.rows.is_empty() {
        return Markup::default();
    }
    let claimed = verdict.rows.iter().any(|row| !row.claimed.words.is_empty());
    let mut table =
        Table::headed(&["claim", "answer", "measured", claimed_by(run), p99_head(verdict), "source"]);
    for (row, words) in verdict.rows.iter().zip(claim_words(verdict)) {
        let answer = words.answer.to_owned();
        table.rows.push(vec![
            words.what,
            answer,
            words.measured,
            words.claimed,
            words.p99,
            row.claimed.source.clone(),
        ]);
    }
    if !claimed {
        table = without_claims(table);
    }
    let notes: Markup = notes(verdict).iter().map(|note| element("li").holding(prose(note))).collect();
    let list = (!notes.is_empty()).then(|| element("ul").line(notes));
    let heading = if claimed { "Claims" } else { "Measured" };
    section(heading, markup![scrolled_as(&table, heading), list])
}

/// Reduces the table of a run without claims to the measured figures and their latency.
fn without_claims(table: Table) -> Table {
    let kept = |row: &Vec<String>| vec![row[0].clone(), row[2].clone(), row[4].clone()];
    Table {
        head: vec!["figure".into(), "measured".into(), "p99".into()],
        rows: table.rows.iter().map(kept).collect(),
    }
}

/// Returns how ambiguous units were read, and every doubt with its remedy. A doubt given below the verdict already
/// is not repeated, only its remedy; a claim's doubts about bursts are left out, because a tile and a finding
/// report them.
fn notes(verdict: &Verdict) -> Vec<String> {
    let above = reasons(verdict);
    let told = |why: &Doubt| match above.iter().any(|other| doubt(other) == doubt(why)) {
        true => remedy(why),
        false => format!("{}. {}", capital(&doubt(why)), remedy(why)),
    };
    let of_run = verdict.doubts.iter().map(|why| ("", told(why)));
    let of_rows = verdict.rows.iter().flat_map(|row| {
        let doubts =
            row.doubts.iter().filter(|why| !is_of_burst(why)).map(|why| (row.what.as_str(), told(why)));
        doubts.chain(reading(row).map(|words| ("", words)))
    });
    let mut notes: Vec<(Vec<&str>, String)> = Vec::new();
    for (row, words) in of_run.chain(of_rows) {
        match notes.iter_mut().find(|(_, known)| *known == words) {
            Some((rows, _)) => rows.push(row),
            None => notes.push((vec![row], words)),
        }
    }
    let line = |(rows, words): (Vec<&str>, String)| match rows.contains(&"") {
        true => words,
        false => format!("{}: {words}", rows.join(", ")),
    };
    notes.into_iter().map(line).collect()
}

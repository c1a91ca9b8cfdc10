//! The sections of a run that measured a target: claims, charts, jobs, findings.

use analysis::{Analysis, Answered, Verdict};
use record::Run;

use super::answered;
use super::findings::findings;
use super::parts::{above, figure, prose, scrolled, section};
use crate::charts::{DrawnChart, Part, Picture, PictureOptions, Source, drawn, pictures};
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::cells::cell_table;
use crate::words::claims::{claim_words, p99_head, reading};
use crate::words::doubt::{doubt, remedy};
use crate::words::findings::{Shown, told};
use crate::words::sentence::capital;
use crate::words::terminal::claimed_by;

/// The headings over charts, and which parts of the table of charts stand below each.
const HEADINGS: [(&str, Part); 6] = [
    ("The answer in pictures", Part::Answer),
    ("Against time", Part::Time),
    ("Queue depth", Part::Depth),
    ("Block size", Part::Block),
    ("Latency", Part::Latency),
    ("The machine meanwhile", Part::Machine),
];

/// The sections between the verdict and the method.
pub(super) fn sections(run: &Run, analysis: &Analysis) -> Markup {
    let source = Source { run, analysis, view: None };
    let charts = drawn(&source, &HEADINGS.map(|(_, part)| part));
    let decisive = decisive(analysis, &charts);
    let below = |(heading, part): &(&str, Part)| section(heading, figures(&charts, *part, decisive));
    let chart = section("The chart that decides", decisive.map(figure).into());
    let claims = claims(run, &analysis.verdict);
    let top = match &analysis.answered {
        Some(answered @ Answered::Check(_)) => markup![claims, chart, answered::sections(answered)],
        // What was asked is answered by a picture first.
        Some(answered) => markup![chart, answered::sections(answered), claims],
        None => markup![claims, chart],
    };
    markup![
        top,
        steps_without_ladder(run, analysis),
        HEADINGS.iter().map(below).collect::<Markup>(),
        findings(analysis),
    ]
}

/// What the load of a watch did, by its own account.
pub(super) fn own_load(run: &Run, analysis: &Analysis) -> Markup {
    let charts = drawn(&Source { run, analysis, view: None }, &[Part::Time]);
    section("Our own load", charts.iter().map(figure).collect())
}

/// The charts of a part; one that stands above already is pointed to.
fn figures(charts: &[DrawnChart], part: Part, decisive: Option<&DrawnChart>) -> Markup {
    let shown = |drawn: &DrawnChart| match decisive.is_some_and(|decisive| decisive.row.id == drawn.row.id) {
        true => above(&drawn.chart.title, drawn.row.id),
        false => figure(drawn),
    };
    charts.iter().filter(|drawn| drawn.row.part == part).map(shown).collect()
}

/// The chart that shows what the verdict rests on: that of what was asked, else that of the findings which weigh most for it, else the first that decides.
fn decisive<'c>(analysis: &Analysis, charts: &'c [DrawnChart]) -> Option<&'c DrawnChart> {
    let asked = charts.iter().find(|drawn| drawn.row.part == Part::Answer);
    let claims = matches!(&analysis.answered, Some(Answered::Check(_))) && !analysis.blocks.is_empty();
    if asked.is_some() && !claims {
        return asked;
    }
    let named = wanted(analysis).and_then(|id| charts.iter().find(|drawn| drawn.row.id == id));
    let able = charts.iter().filter(|drawn| drawn.row.decides.is_some());
    named.or_else(|| able.min_by_key(|drawn| drawn.row.decides))
}

/// The picture of the chart that shows what the verdict rests on; `None` where nothing can be drawn.
pub fn decisive_picture(run: &Run, analysis: &Analysis) -> Option<Picture> {
    let mut all = pictures(run, analysis, &PictureOptions::default());
    let charts = drawn(&Source { run, analysis, view: None }, &HEADINGS.map(|(_, part)| part));
    let wanted = decisive(analysis, &charts).map(|drawn| format!("-{}", drawn.row.id));
    let shown = |picture: &Picture| wanted.as_ref().is_some_and(|id| picture.name.ends_with(id.as_str()));
    // Of a watch the first shows all devices.
    let at = all.iter().position(shown).filter(|_| analysis.watched.is_none()).unwrap_or(0);
    (at < all.len()).then(|| all.swap_remove(at))
}

/// Charts that findings point to, the first that any does wins: what happened in time puts every other figure in doubt,
/// and so does what others did.
const POINTED_TO: [&str; 3] = ["rate", "devices", "blocks"];

/// The chart that findings point to.
fn wanted(analysis: &Analysis) -> Option<&'static str> {
    let shown: Vec<Shown<'_>> = analysis.findings.iter().map(|finding| told(finding).shown).collect();
    POINTED_TO.into_iter().find(|id| shown.contains(&Shown::OfRun(id)))
}

/// Every job of a run that climbed no ladder: those of a profile, a quick look, a job file.
fn steps_without_ladder(run: &Run, analysis: &Analysis) -> Markup {
    let climbed = analysis.answered.is_some() || !analysis.depths.is_empty() || !analysis.blocks.is_empty();
    match climbed {
        true => Markup::default(),
        false => section("Jobs", scrolled(&cell_table(&analysis::cells(run)))),
    }
}

fn claims(run: &Run, verdict: &Verdict) -> Markup {
    if verdict.rows.is_empty() {
        return Markup::default();
    }
    let claimed = verdict.rows.iter().any(|row| !row.claimed.words.is_empty());
    let mut table =
        Table::headed(&["claim", claimed_by(run), "measured", p99_head(verdict), "answer", "source"]);
    for (row, words) in verdict.rows.iter().zip(claim_words(verdict)) {
        let answer = words.answer.to_owned();
        table.rows.push(vec![
            words.what,
            words.claimed,
            words.measured,
            words.p99,
            answer,
            row.claimed.source.clone(),
        ]);
    }
    if !claimed {
        table = without_claims(table);
    }
    let notes: Markup = notes(verdict).iter().map(|note| element("li").holding(prose(note))).collect();
    let list = (!notes.is_empty()).then(|| element("ul").line(notes));
    section(if claimed { "Claims" } else { "Measured" }, markup![scrolled(&table), list])
}

/// The table of a run without claims: what was measured, and its latency.
fn without_claims(table: Table) -> Table {
    let kept = |row: &Vec<String>| vec![row[0].clone(), row[2].clone(), row[3].clone()];
    Table {
        head: vec!["cap".into(), "measured".into(), "p99".into()],
        rows: table.rows.iter().map(kept).collect(),
    }
}

/// How open units were read, and every doubt with what would remove it.
fn notes(verdict: &Verdict) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for why in &verdict.doubts {
        add(format!("{}. {}", capital(&doubt(why)), remedy(why)));
    }
    for row in &verdict.rows {
        for why in &row.doubts {
            add(format!("{}: {}. {}", row.what, doubt(why), remedy(why)));
        }
        if let Some(read) = reading(row) {
            add(read);
        }
    }
    notes
}

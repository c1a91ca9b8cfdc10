//! A trend as one HTML file: the verdict, a chart over the dates of the runs for each figure, and what it rests on.

use analysis::trend::Trend;

use super::document::{Document, document};
use super::measured::part;
use super::parts::{prose, scrolled, section};
use crate::answers::trend::{charts, date, sheet, trend_question};
use crate::markup::{Markup, element, markup};
use crate::words::Table;

/// Most charts; the table has every figure.
const CHARTS: usize = 8;

/// Returns the trend as one HTML document.
pub fn trend_html(trend: &Trend) -> String {
    let title = format!("plimsoll trend: {}", trend.question.volume);
    let sheet = sheet(trend);
    let verdict = sheet.verdict.iter().map(|words| {
        // Prose drops the blank that leads the rest of a sentence.
        let gap = if words.rest.trim_start().len() < words.rest.len() { " " } else { "" };
        let rest = prose(&format!("{} {}", words.rest.trim_start(), words.stops));
        let text = markup![element("strong").holding(words.word), gap, rest];
        element("p").with("class", "verdict").line(text)
    });
    let charts = trend.figures.iter().take(CHARTS).enumerate().map(|(at, figure)| {
        let chart = charts::over_time(trend, figure);
        let caption = element("figcaption").line(&chart.title);
        let fold = element("details")
            .line(markup![element("summary").holding("The figures as a table"), scrolled(&chart.table)]);
        element("figure").line(markup!["\n", caption, chart.drawing.on_page(&format!("figure-{at}")), fold])
    });
    let (verdict, charts) = (verdict.collect::<Markup>(), charts.collect::<Markup>());
    let question = element("p").line(prose(&trend_question(trend)));
    document(Document {
        title: &title,
        version: env!("CARGO_PKG_VERSION"),
        body: markup![
            element("header").line(markup!["\n", element("h1").line(&title), verdict, question]),
            if trend.figures.is_empty() { Markup::default() } else { section("Over the runs", charts) },
            sheet.sections.iter().map(part).collect::<Markup>(),
            left_out(trend),
        ],
        ..Document::default()
    })
}

/// Returns the table of the runs that are not compared.
fn left_out(trend: &Trend) -> Markup {
    let runs = &trend.left_out;
    if runs.is_empty() {
        return Markup::default();
    }
    let mut table = Table::headed(&["run", "date", "differs in", "value", "newest run"]);
    for left in runs {
        for of in &left.because {
            let [its, ours] = [&of.values[0], &of.values[1]];
            let row = [&left.run.name, &date(trend, &left.run), &of.what, its, ours];
            table.rows.push(row.map(String::clone).to_vec());
        }
    }
    section("Not compared", scrolled(&table))
}

//! Which volume a recorded load needs, as one HTML file: the answer, the charts, then what it rests on.

use analysis::size::{Carries, MachineSizing, SizedLoads, Sizing};

use super::document::{Document, document};
use super::measured::block;
use super::parts::{prose, scrolled_as, section, section_as, still};
use super::tiles::tiles;
use crate::answers::sheet::Sheet;
use crate::answers::size::charts::{
    bytes_by_time, credits_by_time, hour_by_time, iops_by_time, price_by_wait,
};
use crate::answers::size::{device, fleet, fleet_table, machine, sheet};
use crate::charts::Chart;
use crate::markup::{Markup, element, markup};
use crate::words::found::Extent;

/// A chart by the start of its id.
type Row = (&'static str, fn(&Sizing) -> Option<Chart>);

/// The charts of a device, in order.
const CHARTS: [Row; 5] = [
    ("price", price_by_wait),
    ("iops", iops_by_time),
    ("bytes", bytes_by_time),
    ("credits", credits_by_time),
    ("hour", hour_by_time),
];

/// Heading of the charts.
const PICTURES: &str = "In pictures";

/// Returns the answers as one HTML document: light and dark, printable, readable without its charts.
pub fn size_html(loads: &SizedLoads) -> String {
    let sizings = &*loads.volumes;
    let title = match sizings {
        [one] => format!("plimsoll: which volume {} needs", device(one)),
        several => format!("plimsoll: which volumes {} devices need", several.len()),
    };
    let answers = match sizings {
        [one] => alone(one),
        several => markup![
            element("p").with("class", "verdict long").line(prose(&fleet(several))),
            section("All devices", scrolled_as(&fleet_table(several), "All devices")),
            several.iter().enumerate().map(one_of_several).collect::<Markup>(),
        ],
    };
    let machines: Markup = loads.machines.iter().enumerate().map(of_machine).collect();
    document(Document {
        title: &title,
        version: env!("CARGO_PKG_VERSION"),
        body: markup![element("header").line(markup!["\n", element("h1").line(&title)]), answers, machines],
        ..Document::default()
    })
}

/// Returns the section of a machine.
fn of_machine((number, of): (usize, &MachineSizing)) -> Markup {
    let words = machine::verdict(of);
    let class = match of.machine.meets {
        Carries::Yes => "good",
        Carries::No => "bad",
        _ => "unsure",
    };
    let verdict = verdict((class, words.word), &words.rest, &words.stops);
    let heading = machine::heading(of);
    let table = scrolled_as(&machine::table(of), &heading);
    section_as(&format!("machine-{}", number + 1), &heading, markup![verdict, table])
}

/// Returns a verdict, its word in the colour of its class.
fn verdict((class, word): (&'static str, &'static str), rest: &str, stops: &str) -> Markup {
    let answer = element("strong").with("class", class).holding(word);
    // Prose begins without the blank that stands before words that go on.
    let (blank, rest) = rest.strip_prefix(' ').map_or(("", rest), |rest| (" ", rest));
    markup![
        element("p").with("class", "verdict long").line(markup![answer, blank, prose(rest)]),
        element("p").with("class", "stops").line(prose(stops)),
    ]
}

/// Returns the answer of a single device, with a section for each part.
fn alone(sizing: &Sizing) -> Markup {
    let sheet = sheet(sizing, Extent::All);
    let parts = parts(&sheet).into_iter().map(|(heading, content)| section(heading, content));
    let charts = section(PICTURES, charts(sizing, 0));
    markup![top(sizing, &sheet), charts, parts.collect::<Markup>()]
}

/// Returns the section of one of several devices.
fn one_of_several((number, sizing): (usize, &Sizing)) -> Markup {
    let sheet = sheet(sizing, Extent::All);
    let parts =
        parts(&sheet).into_iter().map(|(heading, content)| markup![element("h3").line(heading), content]);
    let charts = charts(sizing, number);
    let pictures = (!charts.is_empty()).then(|| markup![element("h3").line(PICTURES), charts]);
    let content = markup![top(sizing, &sheet), pictures, parts.collect::<Markup>()];
    // Devices of two machines may have the same name.
    section_as(&format!("device-{}", number + 1), &device(sizing), content)
}

fn parts(sheet: &Sheet) -> Vec<(&str, Markup)> {
    let part = |blocks: &[_]| blocks.iter().map(block).collect();
    sheet.sections.iter().map(|section| (section.heading.as_str(), part(&section.blocks))).collect()
}

/// Returns the verdict and the tiles.
fn top(sizing: &Sizing, sheet: &Sheet) -> Markup {
    let class = match (sizing.cheapest, sizing.settings.first().map(|first| first.meets)) {
        (Some(_), _) => "good",
        (None, Some(Carries::No)) => "bad",
        (None, _) => "unsure",
    };
    let words = sheet.verdict.as_ref();
    let verdict = words.map(|words| verdict((class, words.word), &words.rest, &words.stops));
    markup![verdict, tiles(&sheet.tiles)]
}

fn charts(sizing: &Sizing, number: usize) -> Markup {
    let chart = |(name, draw): &Row| Some(still(&draw(sizing)?, &format!("{name}-{}", number + 1)));
    CHARTS.iter().filter_map(chart).collect()
}

//! The figures that a page draws, as targets of links, and spans in the words of the axes.

use jiff::Timestamp;
use record::Run;
use workload::Nanos;

use crate::markup::{Element, Markup, element, markup};

/// The figures of a page and its clock.
#[derive(Default)]
pub(super) struct Figures {
    /// Id of the element and title of each figure.
    drawn: Vec<(String, String)>,
    /// Wall clock at the run's start in milliseconds since 1970, if the axes show the time of day.
    wall_ms: Option<i64>,
    /// Whether the run is longer than a day.
    of_days: bool,
}

/// Length in seconds from which the axes of a page show the time of day (`charts`, timeline).
const CLOCK_FROM_S: f64 = 600.0;
const DAY_S: f64 = 86_400.0;

impl Figures {
    /// Returns the given figures of `run`, as ids and titles, with its clock.
    pub fn of(run: &Run, drawn: Vec<(String, String)>) -> Figures {
        let ends = run.steps.iter().map(|step| step.ended).chain(run.samples.iter().map(|sample| sample.at));
        let length = ends.max().unwrap_or_default().as_secs_f64();
        let wall_ms = i64::try_from(run.started_unix_ms).ok().filter(|ms| *ms > 0 && length >= CLOCK_FROM_S);
        Figures { drawn, wall_ms, of_days: length > DAY_S }
    }

    /// Returns the title of a figure; `None` if the page does not draw it.
    pub fn title(&self, id: &str) -> Option<&str> {
        self.drawn.iter().find(|(name, _)| name == id).map(|(_, title)| title.as_str())
    }

    /// Returns ` (14:57:00 to 15:02:30 UTC)` if axes show the time of day; empty otherwise.
    pub fn of_day(&self, from: Nanos, to: Nanos) -> String {
        let Some(wall) = self.wall_ms else { return String::new() };
        let form = if self.of_days { "%b %-d %H:%M:%S" } else { "%H:%M:%S" };
        let at = |time: Nanos| {
            let ms = wall.saturating_add(i64::try_from(time.0 / 1_000_000).unwrap_or(i64::MAX));
            Timestamp::from_millisecond(ms).map(|at| at.strftime(form).to_string())
        };
        match (at(from), at(to)) {
            (Ok(from), Ok(to)) => format!(" ({from} to {to} UTC)"),
            _ => String::new(),
        }
    }
}

/// Returns a link to a figure, which the page's script zooms to the span; without the script, the link only jumps
/// there.
pub(super) fn jump(id: &str, span: Option<(Nanos, Nanos)>, words: impl Into<Markup>) -> Markup {
    let link = element("a").with("class", "jump").with("href", format_args!("#{id}"));
    let spanned = |link: Element, (from, to): (Nanos, Nanos)| {
        link.with("data-from", from.as_secs_f64()).with("data-to", to.as_secs_f64())
    };
    match span {
        Some(span) => spanned(link, span).holding(words),
        None => link.holding(words),
    }
}

/// Joins parts with `; `.
pub(super) fn joined(parts: Vec<Markup>) -> Markup {
    let mut all = Markup::default();
    for (place, part) in parts.into_iter().enumerate() {
        all = if place == 0 { part } else { markup![all, "; ", part] };
    }
    all
}

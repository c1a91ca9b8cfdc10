//! Prices of settings against the waits that they add, and the load over time against the limits of a setting.

use analysis::Resource;
use analysis::size::{Carries, CourseColumn, CourseRates, CreditCourse, RuleLevel, SizedSetting, Sizing};
use workload::Direction;

use super::{amount, carries_words, short, wait};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::ink::Ink;
use crate::charts::over_time::{Clock, range, time_axis};
use crate::charts::panel::{Dots, Level, Line, Marker, Panel, PointName, Shape, Side};
use crate::words::Table;
use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::sentence::plural;
use crate::words::wrap::clean;

/// Ratio of the greatest to the least price from which the axis of prices is logarithmic: on a linear one, the least
/// settings would lie on top of each other (chosen by us).
const WIDE: f64 = 20.0;
/// Room between the least wait and the row of settings that add none, as a share of the axis in decades.
const NONE_BELOW: f64 = 0.15;

/// A setting with its place: price of a month, and longest wait in nanoseconds, 0 if it adds none.
#[derive(Clone, Copy)]
struct Place<'s> {
    setting: &'s SizedSetting,
    price: f64,
    wait_ns: f64,
}

impl<'s> Place<'s> {
    /// Returns the place of a setting that has a price in `currency`, and whose waits are known.
    fn of(setting: &'s SizedSetting, currency: &str) -> Option<Place<'s>> {
        let price = setting.price.as_ref().filter(|price| price.currency == currency)?;
        let wait_s = match (setting.carries, &setting.added) {
            (Carries::Yes | Carries::Once, _) => 0.0,
            (_, added) => added.as_ref()?.longest_s[1],
        };
        Some(Place { setting, price: price.amount, wait_ns: wait_s * 1e9 })
    }
}

/// Returns the setting whose limits are drawn: the cheapest that carries the load, or else the nearest.
fn drawn(sizing: &Sizing) -> Option<&SizedSetting> {
    sizing.cheapest.and_then(|at| sizing.settings.get(at)).or(sizing.settings.first())
}

/// Returns prices against the longest wait; `None` with fewer than two settings, or if none adds a wait.
pub(crate) fn price_by_wait(sizing: &Sizing) -> Option<Chart> {
    let priced = || sizing.settings.iter().chain(&sizing.present).filter(|setting| setting.price.is_some());
    let cheapest = drawn(sizing).filter(|setting| setting.price.is_some()).or(priced().next())?;
    let currency = cheapest.price.as_ref()?.currency.as_str();
    let mut places: Vec<Place> = sizing.settings.iter().filter_map(|one| Place::of(one, currency)).collect();
    places.sort_by(|a, b| {
        (a.price, a.wait_ns).partial_cmp(&(b.price, b.wait_ns)).unwrap_or(a.price.total_cmp(&b.price))
    });
    let present = sizing.present.as_ref().and_then(|one| Place::of(one, currency));
    let all: Vec<Place> = places.iter().copied().chain(present).collect();
    let (low, high) = range(all.iter().map(|place| place.wait_ns)).filter(|_| all.len() > 1)?;
    let rows = Rows::of(low, high);
    let at = |place: &Place| (place.price, if place.wait_ns > 0.0 { place.wait_ns } else { rows.none });
    let dots = |name: &str, (ink, shape): (Ink, Shape), of: &dyn Fn(Carries) -> bool| {
        let points = places.iter().filter(|place| of(place.setting.meets)).map(|place| vec![at(place)]);
        Line { dots: Dots::Each(shape), ..Line::of(name, ink, points) }
    };
    let best = efficient(&places);
    let joined = Some(&best).filter(|best| best.len() > 1);
    let unsure = |meets| !matches!(meets, Carries::Yes | Carries::No);
    let mut lines = vec![
        // A line of one point would be a dot.
        Line::of(
            "no cheaper one waits less",
            Ink::Idle,
            joined.map(|best| best.iter().map(at).collect::<Vec<_>>()),
        ),
        dots("does not carry it", (Ink::Write, Shape::Square), &|meets| meets == Carries::No),
        dots("once, or too close", (Ink::WriteMerged, Shape::Ring), &unsure),
        dots("carries it", (Ink::Read, Shape::Circle), &|meets| meets == Carries::Yes),
    ];
    lines.extend(present.iter().map(|place| Line {
        dots: Dots::Each(Shape::Triangle),
        ..Line::of("what it has now", Ink::Discard, [vec![at(place)]])
    }));
    lines.retain(|line| !line.is_empty());
    let currency_words = clean(currency);
    let panel = Panel {
        names: names(present.as_ref(), &best, at),
        ..Panel::of(
            Side::new(format!("{currency_words} a month"), prices(&all)),
            Side::new("longest wait that limits add", rows.axis),
            lines,
        )
    };
    let elsewhere = priced().filter(|one| one.price.as_ref().is_some_and(|price| price.currency != currency));
    let title = match elsewhere.count() {
        0 => "Price against waiting".to_owned(),
        1 => {
            format!("Price against waiting, in {currency_words}; a setting with another currency is left out")
        }
        left => format!(
            "Price against waiting, in {currency_words}; {left} settings with other currencies are left out"
        ),
    };
    Some(Chart::drawn(&title, 380, &[panel], place_table(&all, &currency_words)))
}

/// Returns the settings that carry the load or delay it, without those that wait no less than a cheaper one. One that
/// carries it only once is not among them.
fn efficient<'s>(by_price: &[Place<'s>]) -> Vec<Place<'s>> {
    let mut best: Vec<Place> = Vec::new();
    for place in by_price.iter().filter(|place| place.setting.carries != Carries::Once) {
        if best.last().is_none_or(|last| place.wait_ns < last.wait_ns) {
            best.push(*place);
        }
    }
    best
}

/// Returns the names of the present setting and of the efficient ones, the one that carries the load first.
fn names(present: Option<&Place>, best: &[Place], at: impl Fn(&Place) -> (f64, f64)) -> Vec<PointName> {
    let words = |place: &Place| short(&place.setting.policy);
    let now = present.map(|now| PointName { at: at(now), words: format!("now: {}", words(now)) });
    let is_other = |place: &&Place| present.is_none_or(|now| now.setting.policy != place.setting.policy);
    let others = best.iter().rev().filter(is_other);
    now.into_iter().chain(others.map(|place| PointName { at: at(place), words: words(place) })).collect()
}

/// The axis of waits, with a row for none.
struct Rows {
    axis: Axis,
    none: f64,
}

impl Rows {
    fn of(low: f64, high: f64) -> Rows {
        let none = low / (high / low).powf(NONE_BELOW).max(2.5);
        let times = time_axis(low, high);
        let least = none / (low / none).powf(0.25);
        let ticks = std::iter::once((none, "none".to_owned())).chain(times.marks().iter().cloned());
        Rows { axis: Axis::logarithmic(least, times.ends().1, ticks.collect()), none }
    }
}

/// Returns the axis of prices, logarithmic if they lie far apart.
fn prices(places: &[Place]) -> Axis {
    let (low, high) = range(places.iter().map(|place| place.price)).unwrap_or((1.0, 1.0));
    if high <= WIDE * low {
        return Axis::linear(0.0, 1.06 * high, 8, numbers::trimmed);
    }
    let tick = |power: i32| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(power));
    let ticks = (-3..9).flat_map(tick).map(|price| (price, numbers::trimmed(price)));
    Axis::logarithmic(low / 1.2, high * 1.2, ticks.collect())
}

fn place_table(places: &[Place], currency: &str) -> Table {
    let mut table = Table::headed(&["setting", &format!("{currency} a month"), "carries it", "at worst"]);
    let row = |place: &Place| {
        let waits =
            if place.wait_ns > 0.0 { format!("+{}", wait(place.wait_ns / 1e9)) } else { "none".to_owned() };
        let carries = carries_words(place.setting.meets).to_owned();
        vec![short(&place.setting.policy), amount(place.price), carries, waits]
    };
    table.rows = places.iter().map(row).collect();
    table
}

/// What a chart over time draws of a load.
#[derive(Clone)]
struct Drawn {
    counts: Resource,
    title: &'static str,
    axis: String,
    unit: Unit,
    mean: fn(&CourseRates) -> f64,
    peak: fn(&CourseRates) -> f64,
}

/// Returns the operations of the load over time against the limit of a setting; `None` without a load.
pub(crate) fn iops_by_time(sizing: &Sizing) -> Option<Chart> {
    by_time(sizing, (&of_iops(), Part::whole(sizing)?))
}

fn of_iops() -> Drawn {
    Drawn {
        counts: Resource::Iops,
        title: "Operations a second",
        axis: "operations a second".to_owned(),
        unit: IOPS,
        mean: |rates| rates.iops_mean,
        peak: |rates| rates.iops_peak,
    }
}

/// Returns the bytes of the load over time, if the setting runs out of them first.
pub(crate) fn bytes_by_time(sizing: &Sizing) -> Option<Chart> {
    by_time(sizing, (&of_bytes(sizing)?, Part::whole(sizing)?))
}

/// Returns what is drawn of bytes, if the setting runs out of them first.
fn of_bytes(sizing: &Sizing) -> Option<Drawn> {
    let setting = drawn(sizing).filter(|setting| setting.counts == Some(Resource::Bytes))?;
    let rates =
        setting.levels.iter().filter(|level| level.counts == Resource::Bytes).map(|level| level.baseline);
    let unit = Unit::of_bandwidth(rates.fold(sizing.load.bytes_peak, f64::max), Prefix::Binary);
    Some(Drawn {
        counts: Resource::Bytes,
        title: "Bytes a second",
        axis: unit.name.to_owned(),
        unit,
        mean: |rates| rates.bytes_mean,
        peak: |rates| rates.bytes_peak,
    })
}

/// Returns the hour around the closest call enlarged: what the setting runs out of first, and its credits; `None` if the
/// recording is hardly longer.
pub(crate) fn hour_by_time(sizing: &Sizing) -> Option<Chart> {
    let closeup = sizing.closeup.as_ref()?;
    let (first, last) = (closeup.hour.first()?, closeup.hour.last()?);
    let part = Part {
        course: &closeup.hour,
        credits: &closeup.hour_credits,
        clock: Clock::until(sizing.course.last()?.ends_s),
        ends: (first.begins_s, last.ends_s),
        is_enlarged: true,
    };
    let counted = of_bytes(sizing).unwrap_or_else(of_iops);
    by_time(sizing, (&Drawn { title: "The hour of the closest call", ..counted }, part))
}

/// Returns the credits of the setting over time; `None` if it has none.
pub(crate) fn credits_by_time(sizing: &Sizing) -> Option<Chart> {
    let part = Part::whole(sizing)?;
    let mut table = Table::headed(&["credits of", "at the least"]);
    for course in part.credits {
        let least = course.points.iter().map(|point| point.lowest).fold(1.0, f64::min);
        table.rows.push(vec![clean(&course.rule), numbers::share(least)]);
    }
    let title = format!("Credits of {}, as the load spends them", short(&drawn(sizing)?.policy));
    Some(Chart::drawn(&title, 160, &[part.panel_of_credits()?], table))
}

/// A part of a recording.
struct Part<'s> {
    course: &'s [CourseColumn],
    credits: &'s [CreditCourse],
    clock: Clock,
    /// Begin and end, in seconds.
    ends: (f64, f64),
    /// Whether it is the hour, whose credits are drawn below the load.
    is_enlarged: bool,
}

impl<'s> Part<'s> {
    fn whole(sizing: &'s Sizing) -> Option<Part<'s>> {
        let end_s = sizing.course.last()?.ends_s;
        let credits = sizing.closeup.as_ref().map_or(&[][..], |closeup| &closeup.credits);
        let clock = Clock::until(end_s);
        Some(Part { course: &sizing.course, credits, clock, ends: (0.0, end_s), is_enlarged: false })
    }

    fn axis(&self) -> Side {
        let (from, to) = (self.clock.place(self.ends.0), self.clock.place(self.ends.1));
        Side::new(self.clock.title(), Axis::linear(from, to, 10, numbers::figure))
    }

    fn has(&self, seconds: f64) -> bool {
        (self.ends.0..=self.ends.1).contains(&seconds)
    }

    /// Returns the credits in percent; `None` without any.
    fn panel_of_credits(&self) -> Option<Panel> {
        let inks = [Ink::Write, Ink::Flush, Ink::Discard];
        let line = |(course, ink): (&CreditCourse, Ink)| {
            let points =
                course.points.iter().map(|point| (self.clock.place(point.at_s), 100.0 * point.lowest));
            Line::of(&clean(&course.rule), ink, [points.collect::<Vec<_>>()])
        };
        let lines: Vec<Line> = self.credits.iter().zip(inks.into_iter().cycle()).map(line).collect();
        let side = Side::new("credits left (%)", Axis::linear(0.0, 106.0, 5, numbers::figure));
        (!lines.is_empty()).then(|| Panel::of(self.axis(), side, lines))
    }
}

fn by_time(sizing: &Sizing, (of, part): (&Drawn, Part<'_>)) -> Option<Chart> {
    let clock = &part.clock;
    let setting = drawn(sizing);
    let rule = setting.and_then(|setting| rule(setting, of.counts));
    let levels = rule.map_or_else(Vec::new, |rule| levels(rule, of.unit));
    let direction = rule.and_then(|rule| rule.direction);
    let course: Vec<CourseColumn> =
        part.course.iter().map(|column| in_direction(column, direction)).collect();
    let lines = lines(&course, clock, of);
    let highest = levels.iter().map(|level| level.value).fold(Panel::top(&lines), f64::max);
    let is_nearest =
        setting.filter(|setting| setting.counts == Some(of.counts) && setting.headroom.is_some());
    let closest = is_nearest.filter(|setting| part.has(setting.closest_s)).map(|setting| Marker {
        at: clock.place(setting.closest_s),
        label: "closest to the limit".to_owned(),
    });
    let gaps = apart(part.course).map(|(from, to)| (clock.place(from), clock.place(to)));
    let panel = Panel {
        levels,
        markers: closest.into_iter().collect(),
        gaps: gaps.collect(),
        ..Panel::of(
            part.axis(),
            Side::new(of.axis.clone(), Axis::linear(0.0, 1.06 * highest, 5, numbers::figure)),
            lines,
        )
    };
    let limits = setting.filter(|_| rule.is_some());
    let limits = limits
        .map_or_else(String::new, |setting| format!(" against the limit of {}", short(&setting.policy)));
    let counted = direction.map_or_else(String::new, |direction| format!(" of {}", plural(direction)));
    let title = format!("{}{counted}{limits}", of.title);
    let credits = part.panel_of_credits().filter(|_| part.is_enlarged);
    let peak = course.iter().map(|column| (of.peak)(&column.all)).fold(0.0, f64::max);
    let panels: Vec<Panel> = std::iter::once(panel).chain(credits).collect();
    Some(Chart::drawn(&title, 260, &panels, course_table(peak, rule, of)))
}

/// Returns a column with only what a rule counts.
fn in_direction(column: &CourseColumn, direction: Option<Direction>) -> CourseColumn {
    let all = match direction {
        None => column.all,
        Some(Direction::Read) => column.reads,
        Some(_) => column.writes,
    };
    CourseColumn { all, ..*column }
}

/// Returns the rule that the load reaches first, or else the least of those that count the same.
fn rule(setting: &SizedSetting, counts: Resource) -> Option<&RuleLevel> {
    let of_kind = || setting.levels.iter().filter(|level| level.counts == counts);
    let nearest = of_kind().find(|level| Some(&level.rule) == setting.rule.as_ref());
    nearest.or_else(|| of_kind().min_by(|a, b| a.baseline.total_cmp(&b.baseline)))
}

fn levels(rule: &RuleLevel, unit: Unit) -> Vec<Level> {
    let level = |name: &str, rate: f64| Level {
        value: rate / unit.factor,
        label: format!("{name} {}", numbers::figure(rate / unit.factor)),
        ink: Ink::Claim,
    };
    match rule.burst {
        Some(burst) if burst > rule.baseline => vec![level("burst", burst), level("baseline", rule.baseline)],
        _ => vec![level("limit", rule.baseline)],
    }
}

/// Returns the load as lines that end where nothing was recorded: the mean, and the busiest reading if columns have
/// several.
fn lines(course: &[CourseColumn], clock: &Clock, of: &Drawn) -> Vec<Line> {
    let touches = |a: &CourseColumn, b: &CourseColumn| b.begins_s <= a.ends_s;
    let line = |name: &str, ink: Ink, value: fn(&CourseRates) -> f64| {
        let point = |column: &CourseColumn| {
            let middle = f64::midpoint(column.begins_s, column.ends_s);
            (clock.place(middle), value(&column.all) / of.unit.factor)
        };
        let segments = course.chunk_by(touches).map(|part| part.iter().map(point).collect::<Vec<_>>());
        Line::of(name, ink, segments)
    };
    let differs = course.iter().any(|column| (of.peak)(&column.all) > (of.mean)(&column.all) * (1.0 + 1e-9));
    if !differs {
        return vec![line("the load", Ink::Read, of.mean)];
    }
    vec![line("busiest reading", Ink::ReadMerged, of.peak), line("mean", Ink::Read, of.mean)]
}

/// Returns the spans between columns that do not touch, in seconds.
fn apart(course: &[CourseColumn]) -> impl Iterator<Item = (f64, f64)> {
    let span = |pair: &[CourseColumn]| (pair[0].ends_s, pair[1].begins_s);
    course.windows(2).map(span).filter(|(from, to)| to > from)
}

fn course_table(peak: f64, rule: Option<&RuleLevel>, of: &Drawn) -> Table {
    let mut table = Table::headed(&["", &of.axis]);
    let limits = rule.map_or_else(Vec::new, |rule| levels(rule, of.unit));
    let limits = limits.into_iter().map(|level| (level.label, level.value));
    let busiest = std::iter::once(("the busiest reading".to_owned(), peak / of.unit.factor));
    let row = |(name, rate)| vec![name, numbers::figure(rate)];
    table.rows = busiest.chain(limits).map(row).collect();
    table
}

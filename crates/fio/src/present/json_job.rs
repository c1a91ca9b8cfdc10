//! One entry of `jobs` in the JSON document.

use super::FioReport;
use super::bins::{bins, percents};
use super::group::{Group, GroupDirection};
use super::human::share_of_time;
use super::pressed;
use super::tree::Tree;
use super::unit::{Figures, Latency, MIXED, NAMES, Unit};
use crate::asked::Format;
use crate::options::{JobOptions, UnifiedReport};
use crate::steady::{Sample, Steadiness, SteadyBound};

/// `eta` of a job that has ended, as fio prints it.
const ETA_OVER: u64 = i32::MAX as u64;
const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];
const SMALL_EDGES: [&str; 10] = ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"];
const LARGE_EDGES: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// What determines which parts of a latency are shown.
struct Shape<'s> {
    options: &'s JobOptions,
    with_bins: bool,
}

/// Returns the entry of `unit`.
pub fn job(unit: &Unit, groups: &[Group], presented: &FioReport) -> Tree {
    let options = &unit.first.options;
    let with_bins = presented.asked.presentation.formats.contains(&Format::JsonPlus);
    let shape = Shape { options, with_bins };
    let mut members = head(unit, presented);
    for (place, figures) in unit.reported() {
        // fio prints the flushes after the directions, and the mix after those; without separate directions, no flushes.
        if place == MIXED && unit.first.options.unified == UnifiedReport::Both {
            members.push(("sync".to_owned(), shape.flushes(&unit.flush)));
        }
        let group = Group::of(groups, unit, place);
        members.push((NAMES[place].to_owned(), shape.direction(figures, group)));
    }
    if unit.first.options.unified == UnifiedReport::Apart {
        members.push(("sync".to_owned(), shape.flushes(&unit.flush)));
    }
    members.extend(machine(unit));
    if let Some(description) = &options.description {
        members.push(("desc".to_owned(), Tree::text(description)));
    }
    if let Some(steadiness) = &unit.steadiness {
        members.push(("steadystate".to_owned(), steady(steadiness)));
    }
    Tree::Object(members)
}

fn steady(steadiness: &Steadiness) -> Tree {
    let (iops, bytes) = steadiness.means();
    // Always as many samples as the rule considers, padded with zeros: programs that read them divide by that number.
    let rates = |rate: fn(&Sample) -> f64| {
        let came = steadiness.samples.iter().map(|sample| Tree::Int(rate(sample) as u64));
        let none = std::iter::repeat(()).map(|()| Tree::Int(0));
        Tree::Array(came.chain(none).take(steadiness.options.count()).collect())
    };
    let data = Tree::object([
        ("bw_mean", Tree::Int(bytes as u64)),
        ("iops_mean", Tree::Int(iops as u64)),
        ("iops", rates(|sample| sample.iops)),
        ("bw", rates(|sample| sample.bytes)),
    ]);
    let criterion = format!("{:.6}{}", steadiness.signed_criterion(), steadiness.rule.unit());
    let slope = if steadiness.rule.spread == SteadyBound::Slope { steadiness.slope() } else { 0.0 };
    Tree::object([
        ("ss", Tree::Text(steadiness.rule.words())),
        ("duration", Tree::Int(steadiness.options.duration.0 / 1_000_000_000)),
        ("attained", Tree::Int(u64::from(steadiness.attained))),
        ("criterion", Tree::Text(criterion)),
        ("max_deviation", Tree::Float(steadiness.deviation())),
        ("slope", Tree::Float(slope)),
        ("data", data),
    ])
}

fn head(unit: &Unit, presented: &FioReport) -> Vec<(String, Tree)> {
    let elapsed_s = presented.elapsed.0.div_ceil(1_000_000_000);
    Tree::members([
        ("jobname", Tree::text(&*unit.first.name)),
        ("groupid", Tree::Int(u64::from(unit.first.group))),
        ("job_start", Tree::Int(unit.started_unix_ms)),
        ("error", Tree::Int(u64::from(unit.errno.unsigned_abs()))),
        ("eta", Tree::Int(ETA_OVER)),
        ("elapsed", Tree::Int(elapsed_s)),
        ("job options", Tree::texts(&unit.last.echo)),
    ])
}

fn machine(unit: &Unit) -> Vec<(String, Tree)> {
    let totals = &unit.totals;
    let ios = unit.ios();
    let spread =
        |counts: [u64; 7], names: [&str; 7]| shares(&names, &percents(counts, counts.iter().sum(), 0.1));
    let coarse = &unit.coarse;
    let mut members = Tree::members([
        ("job_runtime", Tree::Int(unit.runtime_ms_sum)),
        ("usr_cpu", Tree::Float(share_of_time(totals.user_cpu_ns, unit.runtime_ms_sum))),
        ("sys_cpu", Tree::Float(share_of_time(totals.system_cpu_ns, unit.runtime_ms_sum))),
        ("ctx", Tree::Int(totals.context_switches)),
        ("majf", Tree::Int(totals.major_faults)),
        ("minf", Tree::Int(totals.minor_faults)),
        ("iodepth_level", spread(totals.depth_counts, DEPTHS)),
        ("iodepth_submit", spread(totals.submit_counts, BATCHES)),
        ("iodepth_complete", spread(totals.complete_counts, BATCHES)),
        ("latency_ns", shares(&SMALL_EDGES, &percents(coarse.nanoseconds, ios, 0.01))),
        ("latency_us", shares(&SMALL_EDGES, &percents(coarse.microseconds, ios, 0.01))),
        ("latency_ms", shares(&LARGE_EDGES, &percents(coarse.milliseconds, ios, 0.01))),
    ]);
    if let Some((errors, first)) = unit.passed_over() {
        let first = u64::from(first.unsigned_abs());
        members.extend(Tree::members([("total_err", Tree::Int(errors)), ("first_error", Tree::Int(first))]));
    }
    members.extend(pressed::members(unit));
    members
}

fn shares(names: &[&str], values: &[f64]) -> Tree {
    let members = names.iter().zip(values);
    Tree::Object(members.map(|(name, share)| ((*name).to_owned(), Tree::Float(*share))).collect())
}

impl Shape<'_> {
    fn direction(&self, figures: &Figures, group: GroupDirection) -> Tree {
        let options = self.options;
        let rate = figures.bytes_per_second();
        let (bandwidth, iops) = (figures.bandwidth.clone(), figures.iops.clone());
        let percent = if bandwidth.count > 0 { group.percent(bandwidth.mean) } else { 0.0 };
        let mut members = Tree::members([
            ("io_bytes", Tree::Int(figures.bytes)),
            ("io_kbytes", Tree::Int(figures.bytes >> 10)),
            ("bw_bytes", Tree::Int(rate)),
            ("bw", Tree::Int(rate >> 10)),
            ("iops", Tree::Float(figures.iops_mean())),
            ("runtime", Tree::Int(figures.runtime_ms)),
            ("total_ios", Tree::Int(figures.ios)),
            ("short_ios", Tree::Int(figures.short)),
            ("drop_ios", Tree::Int(0)),
            ("slat_ns", self.latency(&figures.slat, [options.slat, options.slat_percentiles])),
            ("clat_ns", self.latency(&figures.clat, [options.clat, options.clat_percentiles])),
            ("lat_ns", self.latency(&figures.lat, [options.lat, options.lat_percentiles])),
        ]);
        members.extend(self.priorities(figures));
        members.extend(Tree::members([
            ("bw_min", Tree::Int(bandwidth.min)),
            ("bw_max", Tree::Int(bandwidth.max)),
            ("bw_agg", Tree::Float(percent)),
            ("bw_mean", Tree::Float(bandwidth.mean)),
            ("bw_dev", Tree::Float(bandwidth.dev)),
            ("bw_samples", Tree::Int(bandwidth.count)),
            ("iops_min", Tree::Int(iops.min)),
            ("iops_max", Tree::Int(iops.max)),
            ("iops_mean", Tree::Float(iops.mean)),
            ("iops_stddev", Tree::Float(iops.dev)),
            ("iops_samples", Tree::Int(iops.count)),
        ]));
        Tree::Object(members)
    }

    /// The latency of each priority, if I/Os had more than one.
    fn priorities(&self, figures: &Figures) -> Option<(String, Tree)> {
        let ranked = self.options.lat_percentiles || self.options.clat_percentiles;
        let of = |((class, level), figures): &((u8, u8), Figures)| {
            let (name, latency) = figures.prioritised(self.options)?;
            let mut members = Tree::members([
                ("prioclass", Tree::Int(u64::from(*class))),
                ("prio", Tree::Int(u64::from(*level))),
                ("priohint", Tree::Int(0)),
            ]);
            members.push((format!("{name}_ns"), self.latency(latency, [true, ranked])));
            Some(Tree::Object(members))
        };
        let each: Vec<Tree> = figures.priorities.iter().filter_map(of).collect();
        (!each.is_empty()).then(|| ("prios".to_owned(), Tree::Array(each)))
    }

    fn flushes(&self, flush: &Latency) -> Tree {
        let latency = self.latency(flush, [true, true]);
        Tree::object([("total_ios", Tree::Int(flush.count)), ("lat_ns", latency)])
    }

    /// Returns a latency; `shown` says whether it is measured at all, and whether its percentiles are.
    fn latency(&self, latency: &Latency, shown: [bool; 2]) -> Tree {
        let nothing = Latency::default();
        let latency = if shown[0] { latency } else { &nothing };
        let mut members = Tree::members([
            ("min", Tree::Int(latency.min)),
            ("max", Tree::Int(latency.max)),
            ("mean", Tree::Float(latency.mean)),
            ("stddev", Tree::Float(latency.dev)),
            ("N", Tree::Int(latency.count)),
        ]);
        if shown[1] && latency.count > 0 {
            let list = &self.options.percentile_list.values;
            let ranks =
                list.iter().map(|&percent| (format!("{percent:.6}"), Tree::Int(latency.percentile(percent))));
            members.push(("percentile".to_owned(), Tree::Object(ranks.collect())));
            if self.with_bins {
                let filled = bins(&latency.distribution);
                let filled = filled.into_iter().map(|(middle, count)| (middle.to_string(), Tree::Int(count)));
                members.push(("bins".to_owned(), Tree::Object(filled.collect())));
            }
        }
        Tree::Object(members)
    }
}

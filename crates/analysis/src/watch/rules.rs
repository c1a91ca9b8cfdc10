//! The rules as rows: each looks at the windows of a device, or at the whole scene, and says what it sees.

use super::device::Device;
use super::scene::Scene;
use super::{above, foreign, slow, used};
use crate::{Confidence, Evidence, Finding, Meaning};

/// A rule about one device: what it sees in the device's windows.
pub(crate) type DeviceRule = fn(&Scene<'_>, &Device<'_>) -> Vec<Finding>;

/// Every rule about one device, but those of held rates, which also teach the device's cap. Named after the methodology.
pub(crate) const DEVICE_RULES: [DeviceRule; 8] = [
    used::serial,               // R2
    above::waiting_application, // R10
    above::own_load,            // R10, where the application is a load of ours
    slow::backend,              // R11, R16
    foreign::on_load_device,
    used::flushes,    // R15
    used::full_queue, // R20
    used::untimed,
];

/// Spans that a finding names; the longest and the worst.
const SPANS: usize = 8;

/// A window in which a rule fires, with how bad it is there.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub span: usize,
    pub evidence: Evidence,
    pub weight: f64,
}

impl Firing {
    /// The window at `look` of `device`.
    pub fn of(device: &Device<'_>, look: usize, weight: f64) -> Firing {
        let look = &device.looks[look];
        Firing {
            span: look.span,
            evidence: Evidence {
                step: String::new(),
                series: format!("diskstats {}", device.place.name),
                from: look.from,
                to: look.to,
            },
            weight,
        }
    }
}

/// One finding over the windows in which a rule fires: neighbours are merged, the longest and worst spans named, in the order
/// of time; `None` where it does not fire.
pub(crate) fn findings_of(
    scene: &Scene<'_>,
    meaning: Meaning,
    firings: &[Firing],
    confidence: Confidence,
) -> Option<Finding> {
    let mut merged: Vec<Firing> = Vec::new();
    for firing in firings {
        match merged.last_mut() {
            Some(last) if last.span == firing.span && last.evidence.to == firing.evidence.from => {
                last.evidence.to = firing.evidence.to;
                last.weight = last.weight.max(firing.weight);
            }
            _ => merged.push(firing.clone()),
        }
    }
    let seconds = |firing: &Firing| firing.evidence.to.since(firing.evidence.from).as_secs_f64();
    merged.sort_by(|a, b| (seconds(b) * b.weight).total_cmp(&(seconds(a) * a.weight)));
    merged.truncate(SPANS);
    merged.sort_by_key(|firing| firing.evidence.from);
    let named = |firing: Firing| {
        let span = &scene.spans[firing.span];
        let step = if span.kind.is_some() { span.name.to_owned() } else { String::new() };
        Evidence { step, ..firing.evidence }
    };
    let evidence: Vec<Evidence> = merged.into_iter().map(named).collect();
    (!evidence.is_empty()).then_some(Finding { meaning, evidence, confidence })
}

/// Totals of the windows in which a rule fires.
pub(crate) fn total(device: &Device<'_>, looks: &[usize]) -> super::ticks::Sum {
    let mut sum = super::ticks::Sum::default();
    for &look in looks {
        device.within(&device.looks[look]).iter().for_each(|tick| sum.add(tick, 1.0));
    }
    sum
}

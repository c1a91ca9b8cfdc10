//! The rules as rows: each looks at the windows of a device, or at the whole scene, and says what it sees.

use super::device::Device;
use super::scene::Scene;
use super::{above, foreign, slow, used};
use crate::{Confidence, Evidence, Finding, Meaning};

/// A rule about one device.
pub(crate) struct DeviceRule {
    /// As the methodology numbers it.
    #[cfg_attr(not(test), allow(dead_code))]
    pub id: &'static str,
    /// What it sees of the device.
    pub sees: fn(&Scene<'_>, &Device<'_>) -> Vec<Finding>,
}

/// Every rule about one device but those of held rates, which also teach the device's cap.
pub(crate) const DEVICE_RULES: [DeviceRule; 8] = [
    DeviceRule { id: "R2", sees: used::serial },
    DeviceRule { id: "R10", sees: above::waiting_application },
    DeviceRule { id: "R10 own", sees: above::own_load },
    DeviceRule { id: "R11", sees: slow::backend },
    DeviceRule { id: "foreign", sees: foreign::on_load_device },
    DeviceRule { id: "R15", sees: used::flushes },
    DeviceRule { id: "R20", sees: used::full_queue },
    DeviceRule { id: "untimed", sees: used::untimed },
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

//! From a policy to what this kernel's throttle can be told, and to what it cannot.

use kernel::lab::Limits as InForce;
use policy::{Covers, Level, Limit, Limits, Resource, Rounding};
use workload::{Bytes, Direction, PolicyName};

use super::LabError;

/// The least unit in which a device splits I/O: a page.
const UNIT_MIN: Bytes = Bytes::kib(4);
/// The largest unit: direct I/O reaches a device in pieces of 256 pages (`BIO_MAX_VECS`) at most.
const UNIT_MAX: Bytes = Bytes::mib(1);

/// How a policy is throttled here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThrottlePlan {
    /// As typed.
    pub(crate) name: PolicyName,
    /// What the policy says.
    pub(crate) limits: Limits,
    /// Whether the baseline or the burst rate is throttled to.
    pub(crate) level: Level,
    /// What the kernel is told.
    pub(crate) in_force: InForce,
    /// The unit in which operations are charged; `None`: whole ones.
    pub(crate) unit: Option<Bytes>,
    /// What is approximate.
    pub(crate) notes: Vec<String>,
}

impl ThrottlePlan {
    /// The plan for a policy with its parameters, and the lab's own among them.
    ///
    /// # Errors
    /// [`LabError`]: a wrong parameter, or a policy that the kernel has no words for.
    pub(crate) fn new(name: &PolicyName) -> Result<ThrottlePlan, LabError> {
        let (limits, rest) = policy::evaluate_with_rest(name)?;
        let level = level_of(name, &rest)?;
        let unit = unit_of(&limits, level)?;
        let in_force = InForce {
            read_iops: operations(&limits, Direction::Read, level)?,
            write_iops: operations(&limits, Direction::Write, level)?,
            read_bps: bytes(&limits, Direction::Read, level)?,
            write_bps: bytes(&limits, Direction::Write, level)?,
        };
        let notes = notes(&limits, level, unit);
        Ok(ThrottlePlan { name: name.clone(), limits, level, in_force, unit, notes })
    }
}

fn level_of(name: &PolicyName, rest: &[(String, String)]) -> Result<Level, LabError> {
    let mut level = Level::Baseline;
    for (key, value) in rest {
        level = match (key.as_str(), value.as_str()) {
            ("rate", "baseline") => Level::Baseline,
            ("rate", "burst") => Level::Burst,
            ("rate", _) => return Err(LabError::Rate { value: value.clone() }),
            ("latency", _) => {
                return Err(LabError::Inexpressible {
                    policy: name.to_string(),
                    problem: "a throttle adds no latency of its own".to_owned(),
                    remedy: "leave latency= out, or simulate the volume (sim:)",
                });
            }
            _ => return Err(LabError::Unknown { name: key.clone(), policy: name.id.clone() }),
        };
    }
    Ok(level)
}

/// A rule's rate in charged operations. Bytes that are charged by the unit are operations of that unit.
fn charged_operations(limit: &Limit, level: Level) -> Option<f64> {
    match (limit.resource, &limit.accounting) {
        (Resource::Iops, _) => Some(limit.rate(level)),
        (Resource::Bytes, Some(accounting)) => Some(limit.rate(level) / accounting.unit.0 as f64),
        (Resource::Bytes, None) => None,
    }
}

fn covering(limits: &Limits, direction: Direction) -> impl Iterator<Item = &Limit> {
    limits.limits.iter().filter(move |limit| limit.direction.covers(direction))
}

fn operations(limits: &Limits, direction: Direction, level: Level) -> Result<Option<u64>, LabError> {
    let rates = covering(limits, direction).filter_map(|limit| charged_operations(limit, level));
    whole(limits, rates.reduce(f64::min))
}

fn bytes(limits: &Limits, direction: Direction, level: Level) -> Result<Option<u64>, LabError> {
    let plain = |limit: &&Limit| limit.resource == Resource::Bytes && limit.accounting.is_none();
    let rates = covering(limits, direction).filter(plain).map(|limit| limit.rate(level));
    whole(limits, rates.reduce(f64::min))
}

/// The kernel counts whole operations and bytes, and takes zero for no limit.
fn whole(limits: &Limits, rate: Option<f64>) -> Result<Option<u64>, LabError> {
    match rate.map(|rate| rate.round() as u64) {
        Some(0) => Err(LabError::Inexpressible {
            policy: limits.policy.to_string(),
            problem: "a rate below one a second means no limit to it".to_owned(),
            remedy: "raise the figure, or simulate the volume (sim:)",
        }),
        rate => Ok(rate),
    }
}

/// The unit of the tightest rule of operations: the device has one for all rules.
fn unit_of(limits: &Limits, level: Level) -> Result<Option<Bytes>, LabError> {
    let rated = limits.limits.iter().filter_map(|limit| Some((limit, charged_operations(limit, level)?)));
    let tightest = rated.min_by(|a, b| a.1.total_cmp(&b.1));
    let unit = tightest.and_then(|(limit, _)| limit.accounting).map(|accounting| accounting.unit);
    match unit {
        Some(unit) if unit < UNIT_MIN || unit > UNIT_MAX || unit.0 % UNIT_MIN.0 != 0 => {
            Err(LabError::Inexpressible {
                policy: limits.policy.to_string(),
                problem: format!(
                    "I/O is charged in units of {unit}, and a loop device splits it at {UNIT_MIN} to {UNIT_MAX}"
                ),
                remedy: "choose a unit between these, or simulate the volume (sim:)",
            })
        }
        unit => Ok(unit),
    }
}

fn notes(limits: &Limits, level: Level, unit: Option<Bytes>) -> Vec<String> {
    let any = |wanted: &dyn Fn(&Limit) -> bool| limits.limits.iter().any(wanted);
    let mut notes = Vec::new();
    let mut say = |applies: bool, text: String| {
        if applies {
            notes.push(text);
        }
    };
    say(
        any(&|limit| limit.direction == Covers::Total),
        "The policy limits reads and writes together; this kernel limits each for itself, so a mix of them may reach up to \
         twice the figure."
            .to_owned(),
    );
    let burst = any(&|limit| limit.burst.is_some());
    say(
        burst && level == Level::Baseline,
        "The policy has a burst; this volume stays at the baseline (rate=burst throttles to the burst rate)."
            .to_owned(),
    );
    say(
        burst && level == Level::Burst,
        "This volume stays at the burst rate; its credits never end.".to_owned(),
    );
    say(
        any(&|limit| limit.accounting.is_some_and(|accounting| accounting.merge_sequential)),
        "The provider may merge small sequential I/O before charging it; here each request of the device is charged."
            .to_owned(),
    );
    say(
        any(&|limit| {
            limit.accounting.is_some_and(|accounting| accounting.rounding == Rounding::Proportional)
        }),
        "The policy charges a part of a unit in proportion; here it counts as a whole one.".to_owned(),
    );
    say(
        any(&|limit| limit.resource == Resource::Iops && limit.accounting.map(|a| a.unit) != unit),
        "Rules of the policy charge I/O in different units; here the unit of the lowest one holds for all."
            .to_owned(),
    );
    notes.push(
        "The throttle lets I/O through in slices of 100 ms: rates and mean latencies are those of a limited volume, \
         percentiles, knee and depth are those of the slices."
            .to_owned(),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(words: &str) -> Result<ThrottlePlan, LabError> {
        ThrottlePlan::new(&PolicyName::parse(words).unwrap())
    }

    fn says(plan: &ThrottlePlan, words: &str) -> bool {
        plan.notes.iter().any(|note| note.contains(words))
    }

    #[test]
    fn a_common_limit_becomes_one_for_each_direction() {
        let plan = plan("do-volumes-pre-burst").unwrap();
        let iops = Some(5000);
        let bps = Some(200 << 20);
        let expected = InForce { read_iops: iops, write_iops: iops, read_bps: bps, write_bps: bps };
        assert_eq!(plan.in_force, expected);
        assert_eq!(plan.unit, None);
        assert!(says(&plan, "twice the figure"));
    }

    #[test]
    fn directions_with_figures_of_their_own_keep_them() {
        let plan = plan("custom,read_iops=700,write_iops=300,write_bandwidth=10MiB/s").unwrap();
        let expected = InForce {
            read_iops: Some(700),
            write_iops: Some(300),
            read_bps: None,
            write_bps: Some(10 << 20),
        };
        assert_eq!(plan.in_force, expected);
        assert!(!says(&plan, "twice the figure"));
    }

    #[test]
    fn the_burst_rate_is_taken_on_request_only() {
        assert_eq!(plan("aws-gp2,size=100GiB").unwrap().in_force.read_iops, Some(300));
        assert!(says(&plan("aws-gp2,size=100GiB").unwrap(), "stays at the baseline"));
        let burst = plan("aws-gp2,size=100GiB,rate=burst").unwrap();
        assert_eq!(burst.in_force.read_iops, Some(3000));
        assert!(says(&burst, "never end"));
    }

    #[test]
    fn the_unit_of_charging_is_kept() {
        assert_eq!(plan("aws-gp3").unwrap().unit, Some(Bytes::kib(256)));
        assert_eq!(plan("vmware-vmdk-limit,limit=1000").unwrap().unit, Some(Bytes::kib(32)));
    }

    /// A byte rule that charges whole units of 1 MiB lets 4 KiB reads through one a unit, not one a byte.
    #[test]
    fn bytes_charged_by_the_unit_become_operations() {
        let plan = plan("aws-st1,size=1TiB").unwrap();
        assert_eq!((plan.in_force.read_iops, plan.in_force.read_bps), (Some(40), None));
        assert_eq!(plan.unit, Some(Bytes::mib(1)));
    }

    #[test]
    fn a_machine_in_front_of_the_volume_counts_too() {
        let alone = plan("aws-io2-block-express,size=1TiB,iops=64000").unwrap();
        let behind = plan("aws-io2-block-express,size=1TiB,iops=64000,instance=m5.large").unwrap();
        assert_eq!(alone.in_force.read_iops, Some(64_000));
        assert_eq!(behind.in_force.read_iops, Some(3600));
    }

    #[test]
    fn what_the_kernel_cannot_do_is_refused_with_a_remedy() {
        for (words, part) in [
            ("custom,iops=1000,latency=1ms", "sim:"),
            ("custom,iops=1000,unit=2MiB", "4 KiB to 1 MiB"),
            ("custom,iops=0.2", "no limit"),
            ("aws-gp3,rate=fast", "rate=burst"),
            ("aws-gp3,jitter=1", "jitter"),
            ("aws-gp9", "aws-gp"),
        ] {
            let text = plan(words).unwrap_err().to_string();
            assert!(text.contains(part), "{words}: {text}");
        }
    }

    #[test]
    fn every_policy_of_the_catalogue_can_be_throttled_to() {
        for policy in policy::Catalogue::builtin().list() {
            let parameters = policy.parameters.iter().map(|parameter| match parameter.name.as_str() {
                "size" => "size=1TiB".to_owned(),
                name => format!("{name}={}", parameter.example()),
            });
            let required = policy.required_parameters();
            let typed = parameters.filter(|typed| required.iter().any(|name| typed.starts_with(name)));
            let words = typed.fold(policy.id.clone(), |words, typed| format!("{words},{typed}"));
            let plan = plan(&words);
            assert!(plan.is_ok(), "{words}: {}", plan.unwrap_err());
        }
    }
}

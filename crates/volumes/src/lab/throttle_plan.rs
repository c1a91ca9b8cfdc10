//! Translates a policy into limits that this kernel's throttle can enforce, and notes those that it cannot.

use kernel::lab::Limits as InForce;
use policy::{BucketStart, Covers, Governor, Level, Limit, Limits, Resource, Rounding, nearest};
use workload::{Bytes, Direction, PolicyName};

use super::LabError;

/// Smallest unit in which a device splits I/O: a page.
const UNIT_MIN: Bytes = Bytes::kib(4);
/// Largest unit: direct I/O reaches a device in pieces of at most 256 pages (`BIO_MAX_VECS`).
const UNIT_MAX: Bytes = Bytes::mib(1);

/// Parameters of the lab in addition to the policy's own.
const PARAMETERS: [&str; 3] = ["rate", "speed", "credits"];
/// Values of `rate=`.
const RATES: &str = "baseline or burst";
/// Greatest speed: half an hour of burst then lasts 0.18 s, less than four looks at the account.
const SPEED_MAX: f64 = 10_000.0;

/// A policy's limits as this kernel is to enforce them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThrottlePlan {
    /// The policy as typed.
    pub(crate) name: PolicyName,
    /// The limits of the policy.
    pub(crate) limits: Limits,
    /// Whether the volume is throttled to the baseline or the burst rate, if credits do not change that.
    pub(crate) level: Level,
    /// The credits, if they drain and refill.
    pub(crate) credits: Option<Credits>,
    /// The limits set in the kernel at first.
    pub(crate) in_force: InForce,
    /// The unit in which operations are charged; `None` if they are charged whole.
    pub(crate) unit: Option<Bytes>,
    /// Notes on limits that are only approximated.
    pub(crate) notes: Vec<String>,
}

/// Credits that drain and refill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Credits {
    /// Speed of the credits relative to the policy.
    pub(crate) speed: f64,
    /// The credit account at the beginning.
    pub(crate) governor: Governor,
}

/// The lab's parameters in addition to the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LabParameters {
    level: Option<Level>,
    speed: Option<f64>,
    start: Option<BucketStart>,
}

impl ThrottlePlan {
    /// Returns the plan for a policy with its parameters, which may include the lab's own.
    ///
    /// # Errors
    /// [`LabError`] for a wrong parameter, or a policy that the kernel cannot express.
    pub(crate) fn new(name: &PolicyName) -> Result<ThrottlePlan, LabError> {
        let (limits, rest) = policy::evaluate_with_rest(name)?;
        let told = LabParameters::read(name, &rest)?;
        let level = told.level.unwrap_or(Level::Baseline);
        let unit = unit_of(&limits, level)?;
        let credits = told.credits(&limits, &rest)?;
        let in_force = match &credits {
            Some(credits) => in_force(&credits.governor.now(), Level::Baseline)?,
            None => in_force(&limits, level)?,
        };
        let notes = notes(&limits, (level, credits.as_ref()), unit);
        Ok(ThrottlePlan { name: name.clone(), limits, level, credits, in_force, unit, notes })
    }
}

impl LabParameters {
    fn read(name: &PolicyName, rest: &[(String, String)]) -> Result<LabParameters, LabError> {
        let mut told = LabParameters::default();
        for (key, value) in rest {
            let wrong = |wanted: String| LabError::Value { name: key.clone(), value: value.clone(), wanted };
            match key.as_str() {
                "rate" => told.level = Some(rate(value).ok_or_else(|| wrong(RATES.to_owned()))?),
                "speed" => told.speed = Some(speed(value).ok_or_else(|| wrong(speeds()))?),
                "credits" => {
                    let start = BucketStart::parse(value);
                    told.start = Some(start.ok_or_else(|| wrong(BucketStart::WORDS.to_owned()))?);
                }
                "latency" => {
                    return Err(inexpressible(
                        name,
                        "a throttle adds no latency of its own".to_owned(),
                        "leave latency= out, or simulate the volume (sim:)",
                    ));
                }
                _ => {
                    let near = nearest(key, PARAMETERS.into_iter()).map(str::to_owned);
                    return Err(LabError::Unknown { name: key.clone(), policy: name.id.clone(), near });
                }
            }
        }
        Ok(told)
    }

    /// Returns the credit account, if the credits are to drain.
    fn credits(&self, limits: &Limits, rest: &[(String, String)]) -> Result<Option<Credits>, LabError> {
        let refused = |problem: &str, remedy| Err(inexpressible(&limits.policy, problem.to_owned(), remedy));
        let Some(speed) = self.speed else {
            return match self.start {
                Some(_) => {
                    refused("credits= tells nothing of a volume whose credits stand still", "add speed=1")
                }
                None => Ok(None),
            };
        };
        if self.level.is_some() {
            return refused("rate= holds one rate and speed= lets credits drain", "leave one of them out");
        }
        let faster = limits.at_speed(speed);
        if !limits.limits.iter().any(|limit| limit.drains()) {
            return refused("nothing of the policy drains", "leave speed= out");
        }
        let start = self.start.unwrap_or_default();
        faster.hold(start).map_err(|wanted| LabError::Value {
            name: "credits".to_owned(),
            value: typed_credits(rest),
            wanted,
        })?;
        Ok(Some(Credits { speed, governor: Governor::new(&faster, start) }))
    }
}

/// Returns the value of `credits=` as typed.
fn typed_credits(rest: &[(String, String)]) -> String {
    let found = rest.iter().find(|(key, _)| key == "credits");
    found.map_or_else(String::new, |(_, value)| value.clone())
}

fn inexpressible(policy: &PolicyName, problem: String, remedy: &'static str) -> LabError {
    LabError::Inexpressible { policy: policy.to_string(), problem, remedy }
}

fn rate(typed: &str) -> Option<Level> {
    match typed {
        "baseline" => Some(Level::Baseline),
        "burst" => Some(Level::Burst),
        _ => None,
    }
}

fn speed(typed: &str) -> Option<f64> {
    typed.parse().ok().filter(|speed| (1.0..=SPEED_MAX).contains(speed))
}

fn speeds() -> String {
    format!("a number from 1 to {SPEED_MAX}")
}

/// Returns the limits that the kernel is to enforce for these limits at this level.
///
/// # Errors
/// [`LabError::Inexpressible`] if the kernel cannot express a rate.
pub(crate) fn in_force(limits: &Limits, level: Level) -> Result<InForce, LabError> {
    Ok(InForce {
        read_iops: operations(limits, Direction::Read, level)?,
        write_iops: operations(limits, Direction::Write, level)?,
        read_bps: bytes(limits, Direction::Read, level)?,
        write_bps: bytes(limits, Direction::Write, level)?,
    })
}

/// Returns a rule's rate in charged operations. Bytes that are charged in units are operations of one unit.
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

/// Rounds a rate: the kernel counts whole operations and bytes, and takes zero as no limit.
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

/// Returns the unit of the tightest rule of operations: the device has one unit for all rules.
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

fn notes(limits: &Limits, (level, credits): (Level, Option<&Credits>), unit: Option<Bytes>) -> Vec<String> {
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
    if let Some(credits) = credits {
        say(true, credits.note());
        say(
            true,
            "Credits are counted twenty times a second, and given out again when a tenth of a second of the burst has \
             gathered: shorter bursts do not show."
                .to_owned(),
        );
    }
    let burst = credits.is_none() && any(&|limit| limit.burst.is_some());
    say(
        burst && level == Level::Baseline,
        "The policy has a burst; this volume stays at the baseline (speed=1 lets its credits drain, speed=100 so many \
         times faster; rate=burst throttles to the burst rate)."
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
    say(
        any(&|limit| charged_operations(limit, level).is_some()) && unit.is_none(),
        format!("An I/O of more than {UNIT_MAX} reaches the device in pieces, and each of them is charged."),
    );
    say(
        true,
        "Below the limits the latency is that of this machine's loop devices, whatever the provider's is."
            .to_owned(),
    );
    notes.push(
        "The throttle lets I/O through in slices of 100 ms: rates and mean latencies are those of a limited volume, \
         percentiles, knee and depth are those of the slices."
            .to_owned(),
    );
    notes
}

impl Credits {
    /// Returns the note on the speed of the credits.
    fn note(&self) -> String {
        let rates = "the rates are the policy's";
        match self.speed {
            speed if speed > 1.0 => format!(
                "Its credits drain and refill {speed} times faster than the policy says: its buckets hold, and its bursts \
                 last, so much less; {rates}."
            ),
            _ => format!("Its credits drain and refill as the policy says; {rates}."),
        }
    }
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
    fn credits_that_drain_begin_with_what_is_there() {
        let read =
            |words: &str| plan(&format!("aws-gp2,size=100GiB,speed=100{words}")).unwrap().in_force.read_iops;
        assert_eq!(
            (read(""), read(",credits=empty"), read(",credits=10%")),
            (Some(3000), Some(300), Some(3000))
        );
        let full = plan("aws-gp2,size=100GiB,speed=100").unwrap();
        assert!(says(&full, "100 times faster") && !says(&full, "stays at"));
        let timed = plan("azure-premium-ssd-credit,tier=P20,speed=100").unwrap();
        assert_eq!(timed.in_force.read_iops, Some(3500));
    }

    #[test]
    fn the_unit_of_charging_is_kept() {
        assert_eq!(plan("aws-gp3").unwrap().unit, Some(Bytes::kib(256)));
        assert_eq!(plan("vmware-vmdk-limit,limit=1000").unwrap().unit, Some(Bytes::kib(32)));
    }

    /// A byte rule that charges whole units of 1 MiB admits one 4 KiB read for each unit, not for each 4 KiB.
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
            ("aws-gp3,rate=fast", "baseline or burst"),
            ("aws-gp3,jitter=1", "jitter"),
            ("aws-gp2,size=100GiB,sped=100", "did you mean speed"),
            ("aws-gp2,size=100GiB,speed=0", "from 1 to"),
            ("aws-gp2,size=100GiB,speed=9,rate=burst", "leave one of them out"),
            ("aws-gp2,size=100GiB,credits=50%", "speed=1"),
            ("aws-gp2,size=100GiB,speed=100,credits=60000", "at most the 54000 operations"),
            ("aws-gp3,speed=10", "leave speed= out"),
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

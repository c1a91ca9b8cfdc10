//! `plimsoll burst`: drains a volume on purpose, and says how long its burst lasts and when it may be expected again.

use std::io::{BufRead, IsTerminal};
use std::path::Path;

use analysis::{Analysis, Answered};
use experiments::{BurstForecast, Layout, Writes, burst_forecast, burst_left, next_burst_step};
use policy::{BurstLength, Limits};
use record::StepRecord;
use report::{Credits, Extent, Forecast};
use session::failure::Failure;
use session::output;
use session::place::{Place, pasted, pasted_note};
use session::run::{self, Against, Course, Earlier, Session};
use session::signals::StopFlag;
use session::{Setup, Wish};
use workload::{Asked, BurstAsked, BurstOf, Bytes, Mix, Nanos, PolicyName, Target};

use super::check::{Shape, limits, present};
use crate::arguments::Format;
use crate::arguments::burst::BurstArguments;
use crate::commands::{outline, own};

/// The most time of a drain where no policy tells: it holds the half hour that most providers publish, from a full bucket.
const MOST: Nanos = Nanos::from_secs(45 * 60);
/// The same in virtual time, which costs nothing but the I/Os.
const MOST_VIRTUAL: Nanos = Nanos::from_secs(6 * 3600);
/// By how much a drain may take longer than the policy's burst: what is left must be seen, and rates are a little off.
const LONGER: f64 = 1.2;
const LONGER_BY: Nanos = Nanos::from_secs(60);
/// Anything longer is asked for.
const UNASKED_S: f64 = 15.0 * 60.0;

/// Drains the target and says what its burst is.
pub fn run(arguments: &BurstArguments) -> Result<u8, Failure> {
    let asked = Wanted::read(arguments)?;
    let stop = StopFlag::on_signals(arguments.give_up);
    let mut setup = run::set_up_target(&asked.target, &asked.target_words, &asked.wish, &stop)?;
    let burst = asked.burst(arguments, &setup)?;
    let forecast = burst_forecast(&burst, asked.against.limits.as_ref());
    announce(&asked, &setup, &forecast);
    if arguments.dry_run {
        return dry_run(arguments.format, &setup, &burst);
    }
    leave_for(forecast.seconds, &setup, arguments.yes)?;
    if !arguments.busy {
        run::idle_gate(&mut setup, "a drain", &stop)?;
    }
    let place = Place::new(arguments.out.as_deref(), (&asked.target_words, "burst"), &setup.facts.devices)?;
    let place = arguments.onlookers.at(place)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let (layout, seconds) = (setup.layout, forecast.seconds);
    let next = |done: &[StepRecord]| next_burst_step(&burst, layout, done);
    let limits = asked.against.limits.as_ref();
    let course = Course { left: &|done| burst_left(&burst, limits, done), remarks: &|_| Vec::new() };
    let session = Session {
        setup,
        place: &place,
        stop: &stop,
        seconds,
        course: Some(course),
        against: &asked.against,
        asked: Some(Asked::Burst(burst.clone())),
    };
    let code = session.go_on(&asked.earlier, &next, &|run, analysis| {
        let shape = Shape { format: arguments.format, extent: Extent::Screen };
        present(&shape, run, analysis, &place)?;
        if let (Target::Path(_), true) = (&asked.target, was_cut_short(analysis)) {
            let run = place.run();
            let note = pasted_note(&run);
            output::people(&format!("Go on with it{note}: plimsoll burst --resume {}", pasted(&run)));
        }
        Ok(exit_code(analysis))
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// The command line as it is understood, and the run that it goes on with.
struct Wanted {
    target: Target,
    target_words: String,
    against: Against,
    wish: Wish,
    /// What the earlier sitting was asked and had recorded.
    before: Option<BurstAsked>,
    earlier: Earlier,
}

impl Wanted {
    fn read(arguments: &BurstArguments) -> Result<Wanted, Failure> {
        if let Some(path) = &arguments.resume {
            return Wanted::resumed(arguments, path);
        }
        let target = own::target(&arguments.target)?;
        let words = run::absolute(&target, &arguments.target);
        let named = arguments.policy.as_deref().map(own::policy).transpose()?;
        let against = against(&target, named)?;
        let wish = wish(arguments)?;
        Ok(Wanted { target, target_words: words, against, wish, before: None, earlier: Earlier::default() })
    }

    /// The run at `path`, as it was asked.
    fn resumed(arguments: &BurstArguments, path: &Path) -> Result<Wanted, Failure> {
        let read = session::inputs::stopped_run(path)?;
        let (Some(Asked::Burst(asked)), Some(facts)) = (&read.asked, &read.target) else {
            return Err(Failure::refused(format!(
                "{} is not a run of plimsoll burst, so it cannot be resumed; plimsoll report shows what it is",
                path.display()
            )));
        };
        let target = Target::parse(&facts.words).map_err(Failure::refused)?;
        let named = read.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
        let named = named.filter(|_| !matches!(target, Target::Lab(_) | Target::Sim(_)));
        let (against, target_words) = (against(&target, named)?, facts.words.clone());
        let played_again = matches!(target, Target::Lab(_) | Target::Sim(_));
        if played_again {
            output::people(
                "A simulated or lab volume does not outlive its run: it is drained from the beginning.",
            );
        }
        let steps = if played_again { Vec::new() } else { read.steps };
        let before = BurstAsked { resumed: steps.len(), ..asked.clone() };
        let earlier = Earlier { steps, started_unix_ms: read.started_unix_ms };
        Ok(Wanted { target, target_words, against, wish: wish(arguments)?, before: Some(before), earlier })
    }

    fn burst(&self, arguments: &BurstArguments, setup: &Setup) -> Result<BurstAsked, Failure> {
        if let Some(before) = &self.before {
            return Ok(before.clone());
        }
        let time = arguments.time.as_deref().map(workload::duration).transpose().map_err(Failure::refused)?;
        let asked = usual(setup, self.against.limits.as_ref(), arguments.seed);
        let most = time.unwrap_or(asked.most);
        let (mix, both_ways) = (mix(arguments, setup)?, both_ways(arguments, setup)?);
        Ok(BurstAsked { of: arguments.of.into(), most, mix, both_ways, ..asked })
    }
}

/// A drain of all there is by reads, for as long as the policy says that it takes, else for as long as most take.
pub(super) fn usual(setup: &Setup, limits: Option<&Limits>, seed: u64) -> BurstAsked {
    let usual = if setup.is_virtual() { MOST_VIRTUAL } else { MOST };
    BurstAsked {
        of: BurstOf::Both,
        most: limits.and_then(drain_of).unwrap_or(usual),
        small: BurstAsked::SMALL.max(setup.facts.direct_alignment),
        large: BurstAsked::LARGE,
        mix: Mix::READ,
        both_ways: false,
        seed,
        resumed: 0,
    }
}

/// Why a target is not written.
const ONLY_READ: &str =
    "this target is only read: name a directory, or a device with --allow-destroy, or leave out what writes";

/// Reads and writes among the I/Os that drain, as far as the target may be written.
fn mix(arguments: &BurstArguments, setup: &Setup) -> Result<Mix, Failure> {
    let mix = arguments.mix.as_deref().map_or(Ok(Mix::READ), super::headroom::mix)?;
    if setup.writes == Writes::LeftOut && !mix.reads_only() {
        return Err(Failure::refused(ONLY_READ));
    }
    Ok(mix)
}

/// Whether reads and writes are looked at together: of one resource, as the bucket of the other would be earned meanwhile.
fn both_ways(arguments: &BurstArguments, setup: &Setup) -> Result<bool, Failure> {
    if arguments.both_ways && BurstOf::from(arguments.of) == BurstOf::Both {
        return Err(Failure::refused(
            "--both-ways looks at one bucket: say --of operations or --of bytes too",
        ));
    }
    if arguments.both_ways && setup.writes == Writes::LeftOut {
        return Err(Failure::refused(ONLY_READ));
    }
    Ok(arguments.both_ways)
}

fn wish(arguments: &BurstArguments) -> Result<Wish, Failure> {
    let size = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    Ok(Wish { size, allow_destroy: arguments.allow_destroy.clone(), ..Wish::default() })
}

/// The policy that was named, or that of a simulated or lab volume.
fn against(target: &Target, named: Option<PolicyName>) -> Result<Against, Failure> {
    let policy = match (&named, target) {
        (Some(name), _) | (None, Target::Lab(name) | Target::Sim(name)) => Some(name.clone()),
        (None, _) => None,
    };
    let limits = policy.as_ref().map(|name| limits(name, named.is_some())).transpose()?;
    Ok(Against { policy, limits, expectation: None })
}

/// What a drain may take where the policy says how long its bursts last.
fn drain_of(limits: &Limits) -> Option<Nanos> {
    match limits.longest_burst() {
        BurstLength::Ends(length) => Some(Nanos::from_secs_f64(LONGER * length.as_secs_f64()) + LONGER_BY),
        BurstLength::None | BurstLength::Unknown => None,
    }
}

/// Says what is drained, how long that takes, and what it spends.
fn announce(asked: &Wanted, setup: &Setup, forecast: &BurstForecast) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    let limits = asked.against.limits.as_ref();
    let written = if let Layout::Write(size) = setup.layout { size } else { Bytes(0) };
    let said = Forecast {
        seconds: forecast.seconds,
        seconds_most: forecast.seconds_most,
        bytes_written: written.0,
        credits: limits.map_or(Credits::Unknown, credits),
        billing: limits.map(Limits::billing_notes).unwrap_or_default(),
    };
    let virtual_time = if setup.is_virtual() { "In virtual time, which passes at once:\n" } else { "" };
    output::people(&format!("{virtual_time}{}", report::forecast(&said).trim_end()));
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
}

/// A drain spends all there is.
pub(super) fn credits(limits: &Limits) -> Credits {
    match limits.longest_burst() {
        BurstLength::None => Credits::NoBurst,
        BurstLength::Unknown => Credits::Unpublished,
        BurstLength::Ends(_) => Credits::Share(1.0),
    }
}

/// Asks before anything that takes long; in virtual time nothing does.
pub(super) fn leave_for(seconds: f64, setup: &Setup, yes: bool) -> Result<(), Failure> {
    if yes || setup.is_virtual() || seconds <= UNASKED_S {
        return Ok(());
    }
    let refused = || {
        Failure::refused(
            "a drain of more than 15 minutes needs your leave: say --yes, or less time with --time TIME",
        )
    };
    if !std::io::stdin().is_terminal() {
        return Err(refused());
    }
    output::beside("Drain the volume for that long? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(Failure::failed)?;
    if answer.trim().eq_ignore_ascii_case("y") || answer.trim().eq_ignore_ascii_case("yes") {
        return Ok(());
    }
    Err(refused())
}

fn was_cut_short(analysis: &Analysis) -> bool {
    matches!(&analysis.answered, Some(Answered::Burst(answer)) if answer.cut_short)
}

/// 0 where a burst was seen to end, 4 where none was.
fn exit_code(analysis: &Analysis) -> u8 {
    match &analysis.answered {
        Some(Answered::Burst(answer)) if answer.parts.iter().any(analysis::BurstPart::fell) => 0,
        _ => 4,
    }
}

fn dry_run(format: Format, setup: &Setup, burst: &BurstAsked) -> Result<u8, Failure> {
    let mut text = String::from("This would run first; what follows depends on what it shows:\n");
    let first = next_burst_step(burst, setup.layout, &[]).map(|step| setup.runner.plan(&step));
    let first = first.transpose().map_err(Failure::refused)?;
    text.extend(first.iter().map(run::plan_words));
    text.push_str(&report::wrap(
        "  ",
        &format!(
            "Then: overload until the rate has fallen, at most {}; a rest; overload again; the same rest; half the excess.",
            report::numbers::span(burst.most.as_secs_f64())
        ),
    ));
    outline::tell(format, &setup.facts.words, (&text, first.as_ref()))
}

//! Drains of a volume's burst: the usual one, what it spends, and the consent that a long one needs.

use std::io::{BufRead, IsTerminal};

use policy::{BurstLength, Limits};
use report::Credits;
use session::failure::Failure;
use session::{Setup, output};
use workload::{BurstOf, BurstRequest, Mix, Nanos};

/// Longest drain when no policy gives its length: it covers the half hour from a full bucket that most providers publish.
const MOST: Nanos = Nanos::from_secs(45 * 60);
/// Longest drain in virtual time, which costs nothing but the I/Os.
const MOST_VIRTUAL: Nanos = Nanos::from_secs(6 * 3600);
/// Factor and margin by which a drain may outlast the policy's burst: the rate after it must be seen, and rates are
/// slightly off.
const LONGER: f64 = 1.2;
const LONGER_BY: Nanos = Nanos::from_secs(60);
/// Seconds beyond which a drain starts only with consent.
const UNASKED_S: f64 = 15.0 * 60.0;

/// Returns a drain of all credits by reads, for as long as the policy says that it takes, else as long as most take.
pub fn usual(setup: &Setup, limits: Option<&Limits>, seed: u64) -> BurstRequest {
    let usual = if setup.is_virtual() { MOST_VIRTUAL } else { MOST };
    BurstRequest {
        of: BurstOf::Both,
        most: limits.and_then(drain_of).unwrap_or(usual),
        small: BurstRequest::SMALL.max(setup.facts.direct_alignment),
        large: BurstRequest::LARGE,
        mix: Mix::READ,
        both_ways: false,
        seed,
        resumed: 0,
    }
}

/// Returns how long a drain may take, if the policy says how long its bursts last.
fn drain_of(limits: &Limits) -> Option<Nanos> {
    match limits.longest_burst() {
        BurstLength::Ends(length) => Some(Nanos::from_secs_f64(LONGER * length.as_secs_f64()) + LONGER_BY),
        BurstLength::None | BurstLength::Unknown => None,
    }
}

/// Returns the credits that a drain spends: all of them, if the burst ends.
pub fn credits(limits: Option<&Limits>) -> Credits {
    match limits.map(Limits::longest_burst) {
        None => Credits::Unknown,
        Some(BurstLength::None) => Credits::NoBurst,
        Some(BurstLength::Unknown) => Credits::Unpublished,
        Some(BurstLength::Ends(_)) => Credits::Share(1.0),
    }
}

/// Asks before a drain of more than 15 minutes; virtual time needs no consent, because it passes at once.
///
/// # Errors
/// The user declines, or nobody is at a terminal to consent.
pub fn ask_leave(seconds: f64, setup: &Setup) -> Result<(), Failure> {
    if setup.is_virtual() || seconds <= UNASKED_S {
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
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(refused()),
    }
}

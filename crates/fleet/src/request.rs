//! What a fleet is to do, and what comes of it.

use workload::Nanos;

use crate::clock::ClockOffset;

/// What the fleet is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetRequest {
    /// Words of the measuring command, the same for all.
    pub words: Vec<String>,
    /// Targets by host, each appended to the words of a member of that host, in the order of the members.
    pub targets: Vec<(String, String)>,
    /// Whether each member measures by itself first, one after the other.
    pub is_alone_first: bool,
    /// Version of plimsoll, which all members must have.
    pub version: String,
}

/// Gives each member, of this host and with this name, its target: the one for its name, or else the next one for its host.
pub(crate) fn assigned(
    targets: &[(String, String)],
    members: &[(String, String)],
) -> Result<Vec<Option<String>>, Refusal> {
    let mut assigned = vec![None; members.len()];
    if targets.is_empty() {
        return Ok(assigned);
    }
    let mut left: Vec<&(String, String)> = targets.iter().collect();
    let take = |left: &mut Vec<&(String, String)>, wanted: &String| {
        let at = left.iter().position(|(of, _)| of == wanted)?;
        Some(left.remove(at).1.clone())
    };
    for (target, (_, name)) in assigned.iter_mut().zip(members) {
        *target = take(&mut left, name);
    }
    for (target, (host, _)) in assigned.iter_mut().zip(members).filter(|(target, _)| target.is_none()) {
        *target = take(&mut left, host);
    }
    let processes = |of: &String| members.iter().filter(|(host, name)| host == of || name == of).count();
    if let Some((of, _)) = left.iter().find(|(of, _)| processes(of) == 0) {
        let mut hosts: Vec<String> = members.iter().map(|(host, _)| host.clone()).collect();
        hosts.sort();
        hosts.dedup();
        return Err(Refusal::NoHost(of.clone(), hosts));
    }
    if let Some((of, _)) = left.first() {
        return Err(Refusal::TooManyTargets(of.clone(), processes(of)));
    }
    match assigned.iter().position(Option::is_none) {
        Some(member) => Err(Refusal::NoTarget(member)),
        None => Ok(assigned),
    }
}

/// A moment on two clocks of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// On a clock that never steps.
    pub steady: Nanos,
    /// On the wall clock: since 1970.
    pub wall: Nanos,
}

/// Why the fleet did not measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A member has another version of plimsoll: the member, its version.
    Version(usize, String),
    /// A target was given for a host that no member is on: host, and the hosts.
    NoHost(String, Vec<String>),
    /// More targets were given for this host than processes run on it: host, processes.
    TooManyTargets(String, usize),
    /// Targets were given, but not enough for this member.
    NoTarget(usize),
    /// A member would not begin; nothing was loaded.
    Unprepared(usize),
}

/// A run file that a member has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// The member.
    pub member: usize,
    /// Whether it measured by itself.
    pub is_alone: bool,
    /// Its clock.
    pub clock: ClockOffset,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

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

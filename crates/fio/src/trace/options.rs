//! The options that record I/O and replay it.

use options::near::nearest;

use super::Action;

/// Kinds of I/O that can be left out of a replay.
const SKIPPED: [&str; 4] = ["read", "write", "trim", "sync"];

/// Options of traces as typed; each field is the option named in its comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceOptions {
    /// `write_iolog`: file in which the I/O is recorded.
    pub write: Option<String>,
    /// `read_iolog`: trace to replay; several, separated by colons, are assigned to the clones in turn.
    pub read: Option<String>,
    /// `read_iolog_chunked`.
    pub chunked: bool,
    /// `replay_no_stall`.
    pub no_stall: bool,
    /// `replay_time_scale`: percent of the recorded speed.
    pub time_scale: u64,
    /// `replay_redirect`.
    pub redirect: Option<String>,
    /// `replay_align`; 0: no alignment.
    pub align: u64,
    /// `replay_scale`; 0 and 1: no scaling.
    pub scale: u64,
    /// `replay_skip`.
    pub skip: Option<String>,
}

impl TraceOptions {
    /// The first invalid option as typed, and a valid alternative.
    pub fn wrong(&self) -> Option<(String, String)> {
        if self.align > 0 && !self.align.is_power_of_two() {
            let below = 1 << self.align.ilog2();
            let remedy = format!("it must be a power of 2, such as {below} or {}", below * 2);
            return Some((format!("replay_align={}", self.align), remedy));
        }
        let unknown = self.skipped().find(|word| !SKIPPED.contains(word))?;
        let near = nearest(unknown, SKIPPED.into_iter());
        let meant = near.map_or_else(String::new, |near| format!(". Did you mean {near}?"));
        let remedy = format!("'{unknown}' is not one of {}{meant}", SKIPPED.join(", "));
        Some((format!("replay_skip={}", self.skip.as_deref().unwrap_or_default()), remedy))
    }

    /// Whether I/O of this kind is left out.
    pub fn skips(&self, action: Action) -> bool {
        let name = match action {
            Action::Read => "read",
            Action::Write => "write",
            Action::Trim => "trim",
            Action::Sync | Action::Datasync => "sync",
        };
        self.skipped().any(|word| word == name)
    }

    fn skipped(&self) -> impl Iterator<Item = &str> {
        self.skip.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|word| !word.is_empty())
    }
}

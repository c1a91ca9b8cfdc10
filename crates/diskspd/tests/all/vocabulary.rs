//! The vocabulary of these tests: lines and profiles in a few words.

use diskspd::{
    DiskSpdError, DiskSpdRequest, Profile, Request, Surroundings, Target, TimeSpan, parse, read_profile,
};

/// Value of a bare `-z` in these tests.
pub const TICK: u32 = 4711;

/// Parses a line of words separated by blanks.
pub fn line(words: &str) -> Result<Request, DiskSpdError> {
    line_with(words, "")
}

/// Parses a line; every path after `-X` leads to `profile`.
pub fn line_with(words: &str, profile: &str) -> Result<Request, DiskSpdError> {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let around = Surroundings { read: &|_| Ok(profile.to_owned()), tick: TICK };
    parse(&words, &around)
}

/// What a line asks for; panics if it is refused.
pub fn asked(words: &str) -> DiskSpdRequest {
    match line(words) {
        Ok(Request::Do(asked)) => *asked,
        other => panic!("{words}: {other:?}"),
    }
}

/// The message of a refused line.
pub fn refusal(words: &str) -> String {
    match line(words) {
        Err(error) => error.to_string(),
        Ok(request) => panic!("{words} is taken: {request:?}"),
    }
}

/// The profile of one timespan on one target, changed from the defaults.
pub fn expected(change: impl Fn(&mut TimeSpan, &mut Target)) -> Profile {
    let mut span = TimeSpan::untyped();
    let mut target = Target::named("t");
    change(&mut span, &mut target);
    span.targets = vec![target];
    Profile { time_spans: vec![span], ..Profile::default() }
}

/// A profile with this in its target, beside the path `t`.
pub fn with_target(inside: &str) -> String {
    with_targets(&format!("<Target><Path>t</Path>{inside}</Target>"), "")
}

/// A profile with these targets, and more in its timespan.
pub fn with_targets(targets: &str, inside: &str) -> String {
    format!(
        "<Profile><TimeSpans><TimeSpan><Targets>{targets}</Targets>{inside}</TimeSpan></TimeSpans></Profile>"
    )
}

/// The target of a profile with this in its target.
pub fn target_of(inside: &str) -> Target {
    match read_profile(&with_target(inside)) {
        Ok(profile) => profile.time_spans[0].targets[0].clone(),
        Err(error) => panic!("{inside}: {error:?}"),
    }
}

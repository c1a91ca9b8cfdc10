//! The lines of fio's debug log that scripts read, by topic.

use super::asked::FioJob;
use super::section::Section;
use super::steady::{Measure, SteadyRule};

/// The bounds of steady states in `sections`.
pub fn parsed(topics: &[String], sections: &[Section]) -> String {
    let settings = sections.iter().flat_map(|section| &section.settings);
    let typed = settings.filter(|setting| setting.row.name == "steadystate");
    let rules = typed.filter_map(|setting| SteadyRule::read(&setting.value).ok());
    let words = rules.map(|SteadyRule { measure, limit, percent, .. }| match (percent, measure) {
        (true, _) => format!("set steady state threshold to {limit:.6}%"),
        (false, Measure::Iops) => format!("set steady state IOPS threshold to {limit:.6}"),
        (false, Measure::Bandwidth) => format!("set steady state BW threshold to {limit:.0}"),
    });
    lines(topics, "parse", words)
}

/// The seed of each job, from which all of its random numbers follow.
pub fn seeded(topics: &[String], jobs: &[FioJob]) -> String {
    let seed = |job: &FioJob| ["FIO_RAND_NR_OFFS=1".to_owned(), format!("rand_seeds[0]={}", job.seed)];
    lines(topics, "random", jobs.iter().flat_map(seed))
}

fn lines(topics: &[String], topic: &str, words: impl Iterator<Item = String>) -> String {
    let (pid, is_typed) = (std::process::id(), topics.iter().any(|typed| typed == topic || typed == "all"));
    words.filter(|_| is_typed).map(|words| format!("{topic:<8} {pid:<5} {words}\n")).collect()
}

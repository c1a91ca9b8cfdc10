//! Sentences on what holds the I/Os of a job back: rates, its share in a flow, and pauses.

use super::figures::{bytes, count, rate, typed_seconds};
use super::files_fio::enumerated;
use super::load::{HeldRate, PlannedJob};

/// Rates, flow and pauses of a job.
pub fn paces(job: &PlannedJob) -> impl Iterator<Item = String> {
    rates(job).chain(flow(job)).chain(rests(job))
}

/// The share of a job in its flow.
fn flow(job: &PlannedJob) -> Option<String> {
    let (share, others) = job.flow.as_ref()?;
    Some(format!(
        "Of the I/Os that it and {} do at the same time {:.0} % are its own (flow): whoever is ahead waits, so that all together \
         can do far fewer than without flow.",
        enumerated(others),
        100.0 * share
    ))
}

/// Sentences on the rate limits, by direction.
fn rates(job: &PlannedJob) -> impl Iterator<Item = String> {
    let copies = u64::from(job.options().numjobs);
    let gaps = if job.options().poisson { " on average, at random intervals" } else { "" };
    let times = |held: &HeldRate, factor: u64| match held.bytes {
        Some(each) => format!("{} a second", bytes(each * factor)),
        None => rate(held.iops * factor as f64),
    };
    job.rates().into_iter().map(move |rate| match copies {
        1 => format!("Its {} are held to {}{gaps}.", rate.what, times(&rate, 1)),
        _ => {
            let (each, all) = (times(&rate, 1), times(&rate, copies));
            format!("Its {} are held to {each} in each copy, {all} in all{gaps}.", rate.what)
        }
    })
}

/// The pauses, and the highest rate that they allow each copy.
fn rests(job: &PlannedJob) -> Option<String> {
    let think = job.think()?;
    let pause = typed_seconds(think.pause.as_secs_f64());
    let by_clock = think.after.map(|after| format!("after {} of work", typed_seconds(after.as_secs_f64())));
    let by_count = job.between_rests().map(|(_, most)| match most {
        1 => "after each I/O".to_owned(),
        most => format!("after at most {} I/Os", count(u64::from(most))),
    });
    let when: Vec<String> = by_count.into_iter().chain(by_clock).collect();
    let most = job.between_rests().map_or(String::new(), |(each, _)| {
        let copies = if job.options().numjobs > 1 { " in each copy" } else { "" };
        format!(": at most {}{copies}", rate(each / think.pause.as_secs_f64()))
    });
    Some(format!("It rests for {pause} {}{most}.", when.join(" and ")))
}

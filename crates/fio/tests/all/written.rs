//! Job files made of jobs: fio's own words for them, which plimsoll and the real fio read.

use std::process::Command;

use fio::{Approximation, job_file};
use testbed::{Lack, skipped};
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Flush, Follow, Iops, Job, LengthShare, Lengths, Mix, Nanos, Pace,
    Runs, Spread, Think, Zone, ZoneLength,
};

use crate::vocabulary::asked_by_file;

/// Jobs of every kind that a recorded load becomes.
fn jobs() -> Vec<Job> {
    let zones: Vec<Zone> = [(60.0, 10.0), (30.0, 20.0), (10.0, 70.0)]
        .map(|(percent, length)| Zone { percent, length: ZoneLength::Percent(length) })
        .to_vec();
    let split =
        [(4u64, 700u32), (64, 300)].map(|(kib, weight)| LengthShare { length: Bytes::kib(kib), weight });
    let lengths = Lengths::Shares(split.to_vec());
    let mixed = Job { access: Access::random(Mix::reads(70)), depth: 16, ..Job::named("mixed") };
    vec![
        Job { flush: Flush::Every(4), pace: Pace::Poisson(Iops(500.0)), ..mixed.clone() },
        Job {
            access: Access {
                spread: Spread::Zoned(ByDirection { read: zones.clone(), write: zones.clone(), trim: zones }),
                ..Access::random(Mix::READ)
            },
            blocks: BlockSizes {
                lengths: ByDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths },
                ..BlockSizes::all(Bytes::kib(4))
            },
            ..Job::named("zones and sizes")
        },
        Job {
            access: Access {
                runs: Some(Runs { length: 8, follow: Follow::Next }),
                ..Access::random(Mix::WRITE)
            },
            ..Job::named("runs")
        },
        Job {
            think: Some(Think::each(32, Nanos::from_millis(5))),
            access: Access::sequential(Mix::READ),
            ..Job::named("rests")
        },
        Job {
            blocks: BlockSizes::each(Bytes::kib(4), Bytes::kib(64), Bytes::kib(4)),
            pace: Pace::Fixed(Iops(100.0)),
            ..mixed
        },
        Job {
            pace: Pace::Phases { rates: [Iops(900.0), Iops(10.0)], stays: [50.0, 5.0] },
            ..Job::named("bursts")
        },
    ]
}

#[test]
fn a_written_job_file_reads_as_the_jobs_that_it_was_made_of() {
    for job in jobs() {
        let (text, notes) = job_file(std::slice::from_ref(&job), Nanos::from_secs(10), Bytes::GIB);
        let asked = asked_by_file(&text);
        let options = &asked.jobs[0].options;
        assert_eq!(u64::from(options.iodepth), u64::from(job.depth), "{text}");
        let bursts = matches!(job.pace, Pace::Phases { .. });
        assert_eq!(notes.contains(&Approximation::Bursts), bursts, "{text}");
        assert!(!notes.contains(&Approximation::Shares), "whole percentages stay as they are: {text}");
    }
}

#[test]
fn shares_that_are_no_whole_percentages_are_rounded_and_said_to_be() {
    let shares =
        [333u32, 333, 334].map(|weight| LengthShare { length: Bytes::kib(u64::from(weight)), weight });
    let lengths = Lengths::Shares(shares.to_vec());
    let lengths = ByDirection { read: lengths.clone(), write: lengths.clone(), trim: lengths };
    let job =
        Job { blocks: BlockSizes { lengths, ..BlockSizes::all(Bytes::kib(4)) }, ..Job::named("thirds") };
    let (text, notes) = job_file(&[job], Nanos::from_secs(10), Bytes::GIB);
    assert!(text.contains("bssplit=340992/33:340992/33:342016/34"), "{text}");
    assert_eq!(notes, [Approximation::Shares]);
}

#[test]
fn the_real_fio_takes_the_written_job_file() {
    let (text, _) = job_file(&jobs(), Nanos::from_secs(10), Bytes::GIB);
    let path = std::env::temp_dir().join(format!("plimsoll-written-{}.fio", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let ended = Command::new("/usr/bin/fio").arg("--parse-only").arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    match ended {
        Ok(ended) => {
            let said =
                String::from_utf8_lossy(&ended.stderr).into_owned() + &String::from_utf8_lossy(&ended.stdout);
            assert!(ended.status.success() && said.trim().is_empty(), "{text}\n{said}");
        }
        Err(error) => skipped(Lack::Tool, format!("no fio that reads job files ({error})")),
    }
}

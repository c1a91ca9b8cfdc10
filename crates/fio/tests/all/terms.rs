//! When jobs start, rest and end, and what an error does, in fio's words.

use workload::{
    Bytes, Errnos, Exit, Job, Nanos, OnError, Priority, PriorityClass, Reach, Start, StopRule, SyncMode,
    Think, ThinkCount, ThinkPace,
};

use crate::vocabulary::planned;

fn jobs(words: &str) -> Vec<Job> {
    let words = format!("fio --ioengine=null --size=1m {words}");
    planned(&words, &[]).unwrap().remove(0).workload.jobs
}

fn only(words: &str) -> Job {
    jobs(&format!("--name=x {words}")).remove(0)
}

#[test]
fn jobs_side_by_side_may_differ_in_time_amount_and_ramp() {
    let words = "fio --ioengine=null --time_based --name=x --size=1m --runtime=2 --name=y --size=2m --runtime=3 \
                 --ramp_time=1 --name=z --size=4m --time_based=0";
    let workload = planned(words, &[]).unwrap().remove(0).workload;
    assert_eq!((workload.stop.len(), workload.ramp), (0, Nanos::ZERO));
    let seconds = |seconds| StopRule::Time(Nanos::from_secs(seconds));
    let own: Vec<_> = workload.jobs.iter().map(|job| (job.stop.clone(), job.ramp)).collect();
    assert_eq!(own[0], (vec![seconds(2)], Some(Nanos::ZERO)));
    assert_eq!(own[1], (vec![seconds(3)], Some(Nanos::SECOND)));
    assert_eq!(own[2], (vec![StopRule::BytesEach(Bytes::mib(4))], Some(Nanos::ZERO)));
}

#[test]
fn what_all_jobs_share_belongs_to_the_step() {
    let words =
        "fio --ioengine=null --time_based --size=1m --runtime=2 --ramp_time=1 --name=x --name=y --bs=8k";
    let step = planned(words, &[]).unwrap().remove(0);
    assert_eq!(step.workload.stop, [StopRule::Time(Nanos::from_secs(2))]);
    assert_eq!(step.workload.ramp, Nanos::SECOND);
    assert!(step.workload.jobs.iter().all(|job| job.stop.is_empty() && job.ramp.is_none()));
    assert_eq!(step.most(), Some(Nanos::from_secs(3)));
}

#[test]
fn a_start_is_counted_from_the_start_of_the_run() {
    assert_eq!(only("--startdelay=3").delay, Nanos::from_secs(3));
    assert_eq!(only("--startdelay=250ms").delay, Nanos::from_millis(250));
    let drawn: Vec<Nanos> =
        jobs("--name=x --numjobs=20 --startdelay=2:6").iter().map(|job| job.delay).collect();
    let bounds = Nanos::from_secs(2)..=Nanos::from_secs(6);
    assert!(drawn.iter().all(|delay| bounds.contains(delay)), "{drawn:?}");
    let spread = drawn.iter().max().unwrap().since(*drawn.iter().min().unwrap());
    assert!(spread > Nanos::from_secs(2), "{drawn:?}");
    assert_eq!(
        drawn,
        jobs("--name=x --numjobs=20 --startdelay=2:6").iter().map(|job| job.delay).collect::<Vec<_>>()
    );
    let words =
        "fio --ioengine=null --size=1m --startdelay=3 --runtime=9 --time_based --name=x --name=y --runtime=4";
    let step = planned(words, &[]).unwrap().remove(0);
    assert_eq!(step.most(), Some(Nanos::from_secs(12)));
    let later = step.workload_after(Nanos::from_secs(2));
    assert!(later.jobs.iter().all(|job| job.delay == Nanos::SECOND), "two of the three seconds are gone");
}

#[test]
fn a_job_waits_for_all_clones_of_the_one_it_names() {
    let jobs = jobs("--name=a --numjobs=2 --name=b --wait_for=a");
    assert_eq!(jobs[2].start, Start::After(vec![jobs[0].name.clone(), jobs[1].name.clone()]));
    let late = &self::jobs("--name=a --name=b --wait_for=a --startdelay=5")[1];
    assert_eq!((late.start.clone(), late.delay), (Start::After(vec!["a".into()]), Nanos::from_secs(5)));
    let words = "fio --ioengine=null --size=1m --name=a --name=b --stonewall --wait_for=a";
    let later = planned(words, &[]).unwrap().remove(1);
    assert_eq!(later.workload.jobs[0].start, Start::WithStep, "what ran before a stonewall is over");
}

#[test]
fn exitall_holds_for_every_job_and_reaches_as_far_as_exit_what_says() {
    let exits = |words: &str| jobs(words).iter().map(|job| job.exit).collect::<Vec<Exit>>();
    let exit = |group, done, failed| Exit { group, done, failed };
    use Reach::{Group, Itself, Step};
    assert_eq!(exits("--name=a --name=b"), [exit(0, Itself, Itself); 2]);
    assert_eq!(exits("--name=a --name=b --exitall"), [exit(0, Group, Group); 2]);
    assert_eq!(exits("--name=a --name=b --exitall_on_error"), [exit(0, Itself, Group); 2]);
    assert_eq!(
        exits("--name=a --exitall --exit_what=stonewall --name=b --new_group"),
        [exit(0, Step, Step), exit(1, Group, Group)]
    );
    let last = |words: &str| planned(&format!("fio --ioengine=null --size=1m {words}"), &[]).unwrap()[0].last;
    assert!(last("--name=a --exitall --exit_what=all --name=b --stonewall"));
    assert!(!last("--name=a --exitall --name=b --stonewall"));
}

#[test]
fn think_time_is_what_its_five_options_make_it() {
    let plain = Think::each(1, Nanos::from_micros(200));
    assert_eq!(only("").think, None);
    assert_eq!(only("--thinktime=200").think, Some(plain));
    assert_eq!(only("--thinktime=200us --thinktime_blocks=8").think, Some(Think { every: 8, ..plain }));
    let issued =
        "--thinktime=200 --thinktime_blocks_type=issue --thinktime_spin=50 --rate_ignore_thinktime=1";
    let expected =
        Think { counted: ThinkCount::Issued, spin: Nanos::from_micros(50), pace: ThinkPace::Moved, ..plain };
    assert_eq!(only(issued).think, Some(expected));
    let by_clock = Think { every: u32::MAX, after: Some(Nanos::from_millis(3)), ..plain };
    assert_eq!(only("--thinktime=200 --thinktime_iotime=3ms").think, Some(by_clock));
    let both = only("--thinktime=200 --thinktime_iotime=3ms --thinktime_blocks=5").think;
    assert_eq!(both, Some(Think { every: 5, ..by_clock }));
}

#[test]
fn errors_are_passed_over_as_listed_or_else_those_of_a_broken_disk() {
    let list = |errors: &[i32]| Errnos::These(errors.to_vec());
    let passed = |reads, writes| OnError::Continue { reads: list(reads), writes: list(writes) };
    for (words, expected) in [
        ("", OnError::Stop),
        ("--continue_on_error=none", OnError::Stop),
        ("--continue_on_error=verify", OnError::Stop),
        ("--continue_on_error=read", passed(&[5, 84], &[])),
        ("--continue_on_error=io", passed(&[5, 84], &[5, 84])),
        ("--continue_on_error=1", passed(&[5, 84], &[5, 84])),
        ("--ignore_error=EIO:28", passed(&[5, 28], &[])),
        ("--ignore_error=,ENOSPC", passed(&[], &[28])),
        ("--continue_on_error=all --ignore_error=,ENOSPC:EIO", passed(&[5, 84], &[28, 5])),
    ] {
        assert_eq!(only(words).on_error, expected, "{words}");
    }
}

#[test]
fn stable_writes_and_priorities_are_handed_on() {
    assert_eq!(
        ["", "--sync=0", "--sync=1", "--sync=dsync"].map(|words| only(words).sync),
        [SyncMode::None, SyncMode::None, SyncMode::Sync, SyncMode::Dsync]
    );
    let priority = |class, level| Some(Priority { class, level });
    assert_eq!(only("").priority, None);
    assert_eq!(only("--prio=3").priority, priority(PriorityClass::BestEffort, 3));
    assert_eq!(only("--prioclass=3").priority, priority(PriorityClass::Idle, 0));
    assert_eq!(only("--prioclass=1 --prio=7").priority, priority(PriorityClass::Realtime, 7));
}

//! Load cycles: simulated in virtual time, on a volume that the kernel throttles, on a job's own files, and cut short.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use record::{Metric, PhaseKind, Recording, Run};
use workload::{Direction, Nanos, StepKind};

/// The published job as printed: a trailing comma, and `name=` within the section.
const JOB: &str = "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\n\
                   time_based\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=runfio.sh.test\nsize=1GB\n\
                   ioengine=libaio\nrate_iops=700,300,\n";

/// Watches `job` with `words` in `folder`, to its end; returns the output and the run.
fn cycles(folder: &Folder, job: &str, words: &[&str]) -> (ProgramOutput, Run) {
    fs::write(folder.path("runfio.cfg"), job).unwrap();
    let fixed = ["watch", "--load", "runfio.cfg", "--out", "@/out"];
    let mut command = folder.plimsoll(&[&fixed[..], words].concat());
    let ended = ended(command.current_dir(folder.path(".")));
    let run = runfile::read(Path::new(&run_file(&folder.path("out")))).unwrap();
    (ended, run)
}

/// Returns the mean of a device's metric over the middle of the phase with this name.
fn level(run: &Run, phase: &str, device: &str, metric: Metric) -> f64 {
    let phase = run.phases.iter().find(|known| known.name == phase).unwrap();
    let recording = Recording::of(run);
    let values = recording.device(device, metric).unwrap();
    let within = recording.intervals().iter().zip(values).filter(|((from, to), value)| {
        *from >= phase.from + Nanos::SECOND && *to + Nanos::from_millis(500) <= phase.to && value.is_finite()
    });
    let values: Vec<f64> = within.map(|(_, value)| value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn an_overload_series_in_virtual_time_has_the_phases_the_rates_and_the_queue_of_the_published_one() {
    let folder = Folder::in_memory();
    let sim = "sim:custom,read_iops=840,write_iops=360";
    let series = ["--on", sim, "--cycle", "20s", "--scale", "50%,100%,200%,500%,1000%"];
    let (ended, run) = cycles(&folder, JOB, &series);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let names: Vec<&str> = run.phases.iter().map(|phase| phase.name.as_str()).collect();
    let loads = ["load 50%", "load 100%", "load 200%", "load 500%", "load 1000%"];
    assert_eq!(names[..4], ["idle 1", "load 50%", "idle 2", "load 100%"]);
    assert_eq!((names.len(), names[10]), (11, "idle 6"));
    let close = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 0.02;
    for (load, read) in loads.iter().zip([350.0, 700.0, 840.0, 840.0, 840.0]) {
        let found = level(&run, load, "sim0", Metric::ReadOps);
        assert!(close(found, read), "{load}: {found} reads a second");
        let record = run.steps.iter().find(|step| step.plan.name == *load).unwrap();
        assert_eq!((record.plan.kind, record.plan.workers[0].depth), (StepKind::Job, 256));
        // The load's own count and the device's agree.
        let own = record.tally(Direction::Read).ops as f64 / record.seconds();
        assert!(close(own, found), "{load}: {own} and {found}");
    }
    assert!(level(&run, "load 100%", "sim0", Metric::QueueDepth) < 2.0);
    assert!(level(&run, "load 200%", "sim0", Metric::QueueDepth) > 200.0, "the wait is in the queue");
    assert!(level(&run, "load 1000%", "sim0", Metric::ReadAwait) > 0.1);
    assert_eq!(level(&run, "idle 3", "sim0", Metric::ReadOps), 0.0);
    let scale = |phase: &record::Phase| matches!(phase.kind, PhaseKind::Load { scale: Some(scale), .. } if scale == 10.0);
    assert!(scale(&run.phases[9]));
    assert_eq!(run.phases[10].to, Nanos::from_secs(220), "the grid does not drift");
}

#[test]
fn two_cycles_are_idle_load_idle_load_idle_at_the_jobs_own_rates() {
    let folder = Folder::in_memory();
    let (ended, run) =
        cycles(&folder, JOB, &["--on", "sim:aws-gp3", "--cycle", "60s", "--repeat", "2", "--every", "10s"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let names: Vec<&str> = run.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["idle 1", "load 1", "idle 2", "load 2", "idle 3"]);
    assert_eq!(run.samples.len(), 31, "thirty intervals of ten seconds");
    assert!(
        ended.complained().contains("At 100 % it asks for 700 read and 300 write IOPS."),
        "{}",
        ended.err
    );
}

#[test]
fn a_profile_and_a_policy_are_loads_too_and_the_policy_is_then_the_contract() {
    let folder = Folder::in_memory();
    let watch = |load: &str, out: &str| {
        let words = ["watch", "--load", load, "--on", "sim:aws-gp3", "--cycle", "5s", "--out", out];
        ended(&mut folder.plimsoll(&words))
    };
    let profile = watch("database", "@/profile");
    assert_eq!(profile.code, Some(0), "{}", profile.err);
    let policy = watch("aws-gp3", "@/policy");
    assert!(policy.complained().contains("3000 IOPS of 4 KiB, 70 % reads, 100 % random"), "{}", policy.err);
    let run = runfile::read(Path::new(&run_file(&folder.path("policy")))).unwrap();
    assert!(run.policy.unwrap().starts_with("aws-gp3"));
    assert_eq!(run.steps.len(), 2);
}

#[test]
#[ignore = "night: real seconds"]
fn a_lab_volume_is_loaded_sampled_with_its_layers_and_gone_afterwards() {
    let folder = Folder::in_memory();
    if !root_or_skip("a lab volume") {
        return;
    }
    let neighbours = Neighbours::watch();
    let lab = "lab:custom,read_iops=840,write_iops=360";
    let words =
        ["--on", lab, "--cycle", "4s", "--scale", "200%", "--every", "250ms", "--size", "64M", "--busy"];
    let (ended, run) = cycles(&folder, JOB, &words);
    if ended.err.contains("cgroup") || ended.err.contains("loop") && run.steps.is_empty() {
        skipped(Lack::Kernel, ended.err);
        return;
    }
    let target = run.target.as_ref().unwrap();
    let (top, lower) = (&target.devices[0].name, &target.devices[1].name);
    let reads = level(&run, "load 200%", top, Metric::ReadOps);
    // The mean over three seconds of a throttle that works in slices of a tenth.
    if (reads / 840.0 - 1.0).abs() >= 0.05 {
        return neighbours.excuse_or_fail(format!("{reads} reads a second: {}", ended.err));
    }
    assert!(level(&run, "load 200%", top, Metric::QueueDepth) > 50.0);
    assert!(run.samples.iter().all(|sample| sample.disks.iter().any(|(name, _)| **name == **lower)));
    let laid_out = run.steps.iter().any(|step| step.plan.kind == StepKind::Layout);
    assert!(!laid_out, "it was filled before its credits began to count");
    assert!(
        comes_true(|| !Path::new("/sys/block").join(top).join("loop/backing_file").exists()),
        "{top} is there"
    );
}

#[test]
#[ignore = "night: real seconds"]
fn a_job_on_its_own_file_has_real_data_before_the_first_phase_and_keeps_its_file() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 200, Through::Direct) else { return };
    let file = volume.mount.text() + "/runfio.sh.test";
    let job = JOB.replace("runfio.sh.test", &file).replace("size=1GB", "size=64MB") + "runtime=30\n";
    let (ended, run) =
        cycles(&folder, &job, &["--cycle", "1s", "--repeat", "1", "--every", "100ms", "--busy"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(fs::metadata(&file).unwrap().len(), 64 << 20, "as fio leaves it");
    let opened = kernel::open_for_read(Path::new(&file), kernel::Direct::No).unwrap();
    let extents =
        kernel::extents(std::os::fd::AsFd::as_fd(&opened), 0, workload::Bytes::mib(64)).unwrap().unwrap();
    assert_eq!(extents.unwritten_or_hole_share(), 0.0);
    let said = ended.complained();
    assert!(said.contains("Laying out IO file") && said.contains("gives way to the phase: 1 s"), "{said}");
    let device = &run.target.as_ref().unwrap().devices[0].name;
    assert_eq!(*device, volume.disk.name());
    let step = &run.steps[0];
    let reads = step.tally(Direction::Read).ops as f64 / step.seconds();
    assert!((reads / 700.0 - 1.0).abs() < 0.05, "{reads}");
}

#[test]
#[ignore = "night: real seconds"]
fn a_device_that_may_be_destroyed_is_laid_out_only_as_far_as_the_job_reaches() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 100, Through::Direct) else { return };
    let job = "[job]\nrw=randrw\nbs=4k\nsize=64m\nrate_iops=70,30\n";
    let node = disk.node();
    let words =
        ["--on", &node, "--allow-destroy", &node, "--cycle", "1s", "--repeat", "1", "--every", "100ms"];
    let (ended, run) = cycles(&folder, job, &words);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.complained().contains("asks for the page cache (direct=0)"), "{}", ended.err);
    assert!(ended.complained().contains(&format!("EVERYTHING on {node} will be destroyed")), "{}", ended.err);
    assert_eq!(run.steps[0].tally(Direction::Write).bytes, 64 << 20);
}

#[test]
#[ignore = "night: real seconds"]
fn ctrl_c_stops_a_load_at_once_and_keeps_what_it_did() {
    let folder = Folder::in_memory();
    folder.make_dir("on");
    fs::write(folder.path("steady.fio"), "[steady]\nrw=randread\nbs=4k\nsize=64m\nrate_iops=200\n").unwrap();
    let words =
        ["watch", "--load", "@/steady.fio", "--on", "@/on", "--cycle", "2s", "--every", "100ms", "--busy"];
    let mut running = Running::start(&mut folder.plimsoll(&[&words[..], &["--out", "@/out"]].concat()));
    assert!(running.has_said("  idle 1"), "{}", running.wait().err);
    std::thread::sleep(std::time::Duration::from_millis(400));
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    let run = runfile::read(Path::new(&run_file(&folder.path("out")))).unwrap();
    let names: Vec<&str> = run.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!((names.as_slice(), run.complete), (&["idle 1", "load 1"][..], true));
    let last = run.steps.last().unwrap();
    assert_eq!(last.ending, workload::Ending::Interrupted);
    assert!(run.phases[1].to < Nanos::from_secs(60) && run.phases[1].to >= last.started);
    assert!(run.events.iter().any(|event| event.kind == record::EventKind::Interrupt));
}

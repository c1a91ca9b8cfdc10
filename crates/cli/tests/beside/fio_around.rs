//! What a fio run does around its I/O, beside the real fio: idle CPUs, commands before and after a job, the live line.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::machine::*;

/// Idleness is printed after the disks, as text and in JSON, in fio's form except for its unit of work.
#[test]
#[ignore = "night: a share of the processors"]
fn idle_cpus_are_told_as_fio_does() {
    let Some(peers) = Peers::find() else { return };
    for whose in ["system", "percpu"] {
        let words = format!(
            "--name=a --ioengine=null --size=1g --time_based --runtime=1 --rate_iops=100 --idle-prof={whose} \
             --output-format=normal,json"
        );
        let [theirs, ours] = [Who::Real, Who::Link].map(|who| {
            let ended = peers.run(who, &words);
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
            let lines: Vec<&str> = ended.out.lines().collect();
            let of_text =
                lines.iter().skip_while(|line| **line != "CPU idleness:").take_while(|line| !line.is_empty());
            let of_text: Vec<String> =
                of_text.filter(|line| !line.contains("unit work")).map(|line| skeleton(line)).collect();
            let [open, close] = ["{", "}"].map(|brace| lines.iter().position(|line| *line == brace).unwrap());
            let document: serde_json::Value = serde_json::from_str(&lines[open..=close].join("\n")).unwrap();
            let idle = document["cpu_idleness"].as_object().unwrap();
            // The share is relative to a calibration, which a busy machine distorts slightly.
            let share = idle["system"].as_f64().unwrap();
            assert!((0.0..=110.0).contains(&share), "{share}");
            let names: Vec<String> = idle.keys().filter(|name| !name.starts_with("unit")).cloned().collect();
            (of_text, names)
        });
        assert_eq!(theirs, ours, "{words}");
        assert!(!ours.0.is_empty());
    }
    let bad = peers.run(Who::Link, "--name=a --idle-prof=all");
    assert!(bad.code == Some(1) && bad.err.contains("none, system or percpu"), "{bad:?}");
    let unit = peers.run(Who::Link, "--name=a --idle-prof=calibrate");
    assert!(unit.code == Some(1) && unit.err.contains("idle-prof=calibrate"), "{unit:?}");
}

#[test]
fn commands_run_before_and_after_a_job_and_leave_what_they_print() {
    let Some(peers) = Peers::find() else { return };
    let files = "[a]\nfilename=f\nrw=write\nsize=64k\nexec_prerun=echo before\nexec_postrun=ls f\n\
                 [b]\nstonewall\nfilename=g\nrw=write\nsize=4k\nexec_prerun=exit 3\n";
    let [theirs, ours] = [Who::Real, Who::Link].map(|who| {
        let place = peers.folder.make_dir(&format!("exec-{who:?}"));
        std::fs::write(place.join("job.fio"), files).unwrap();
        let ended = peers.run_in(&place, who, "job.fio");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let said: Vec<String> =
            ended.out.lines().filter(|line| line.contains("Saving output")).map(str::to_owned).collect();
        let text = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
        let json = peers.run_in(&place, who, "--output-format=json job.fio");
        let document = json.out.find('{').map(|at| &json.out[at..]).unwrap();
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        let jobs = document["jobs"].as_array().unwrap();
        let did: Vec<u64> = jobs.iter().map(|job| job["write"]["total_ios"].as_u64().unwrap()).collect();
        (said, text("a.postrun.txt"), text("b.prerun.txt"), did)
    });
    assert_eq!(theirs, ours);
    assert_eq!(
        (ours.1.as_str(), ours.3),
        ("f\n", vec![16, 0]),
        "a job whose command before it fails is not run"
    );
}

/// A container's stop signals the run alone, and not the commands that it has started.
#[test]
fn a_signal_to_the_run_ends_the_command_that_it_waits_for() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("exec-stopped");
    // A semicolon in a job file begins a comment, as in fio.
    std::fs::write(place.join("wait.sh"), "echo $$; sleep 60; touch late\n").unwrap();
    let job = "[a]\nfilename=f\nrw=write\nsize=64k\nexec_prerun=sh wait.sh\n";
    std::fs::write(place.join("job.fio"), job).unwrap();
    let running = Running::start(&mut peers.command(&place, Who::Command, "job.fio"));
    let shell = loop {
        let said = std::fs::read_to_string(place.join("a.prerun.txt")).unwrap_or_default();
        match said.trim() {
            "" => std::thread::sleep(std::time::Duration::from_millis(20)),
            shell => break shell.to_owned(),
        }
    };
    running.signal("TERM");
    let ended = running.wait();
    assert_eq!(ended.code, Some(128), "{ended:?}");
    assert!(!place.join("late").exists(), "nothing went on");
    // The signal reaches the whole group at once, and each process ends when it is next scheduled.
    let shell = shell.parse().unwrap();
    assert!(comes_true(|| has_ended(shell)), "the command goes on");
}

/// No terminal is needed if the line is asked for by name.
#[test]
#[ignore = "night: ten seconds of runs"]
fn a_live_line_that_is_asked_for_goes_to_stdout_and_stderr_stays_empty() {
    let Some(peers) = Peers::find() else { return };
    let line = "--name=a --ioengine=null --size=1g --rate_iops=100 --time_based --runtime=2 --eta=always";
    for who in [Who::Real, Who::Link] {
        let ended = peers.run(who, line);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{who:?}");
        assert!(ended.out.contains("Jobs: 1 (f="), "{who:?}: {}", ended.out);
        let json = peers.run(who, &format!("{line} --output-format=json"));
        assert_eq!((json.code, json.err.as_str()), (Some(0), ""), "{who:?}");
    }
    let json = peers.run(Who::Link, &format!("{line} --output-format=json"));
    assert!(document(&json, line)["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 100);
}

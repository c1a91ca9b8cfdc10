//! Jobs that are held to a rate, a latency or each other, beside the real fio.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::machine::*;
use serde_json::Value;

/// Returns the jobs of the JSON document that a run printed, after any lines that a failing job puts before it.
fn jobs(ended: &ProgramOutput) -> Vec<Value> {
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    document["jobs"].as_array().cloned().unwrap_or_default()
}

/// Runs both at the same time, each in a folder of its own.
fn both(peers: &Peers, words: &str) -> [ProgramOutput; 2] {
    std::thread::scope(|scope| {
        let real = scope.spawn(|| peers.run(Who::Real, words));
        [peers.run(Who::Command, words), real.join().unwrap()]
    })
}

/// Returns how a run ended: exit code, errors, and the first line of stderr without its numbers.
fn ending(ended: &ProgramOutput) -> (Option<i32>, Vec<i64>, String) {
    let errors = jobs(ended).iter().map(|job| job["error"].as_i64().unwrap()).collect();
    let said = ended.err.lines().next().map_or(String::new(), skeleton);
    (ended.code, errors, said)
}

#[test]
#[ignore = "night: real rates"]
fn a_job_below_its_least_rate_ends_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    let slow = "--name=a --filename=g --size=1m --rw=randread --thinktime=10000 --runtime=4 --time_based \
                --rate_cycle=200 --output-format=json";
    for least in ["--rate_iops_min=5000", "--rw=randrw --rate_min=,20m"] {
        let [ours, real] = both(&peers, &format!("{slow} {least}"));
        assert_eq!(ending(&ours), ending(&real), "{least}");
        assert!(ours.code == Some(1) && ours.err.contains(" not met, got "), "{ours:?}");
    }
    let kept = format!("{slow} --rate_iops=50 --rate_iops_min=5 --runtime=3");
    assert_eq!(peers.run(Who::Command, &kept).code, Some(0));
}

#[test]
#[ignore = "night: real rates"]
fn a_queue_at_a_rate_rests_as_often_as_that_of_fio() {
    let Some(peers) = Peers::find() else { return };
    let job = "--name=a --filename=g --size=16m --rw=read --ioengine=libaio --time_based --runtime=3 \
               --output-format=json";
    for pace in [
        "--bs=256k --iodepth=64 --rate=8M --thinktime=500000",
        "--bs=64k --iodepth=4 --rate=8M --thinktime=100000 --thinktime_blocks=4",
        "--bs=256k --iodepth=8 --rate_iops=20 --thinktime=100000 --rate_ignore_thinktime=1",
        "--bs=256k --rate_iops=20 --thinktime=20000 --rate_ignore_thinktime=1",
        "--bs=4k --direct=1 --iodepth=16 --rate_iops=200 --thinktime=100000 --thinktime_blocks=3",
    ] {
        let [ours, real] = both(&peers, &format!("{job} {pace}"));
        let read = |ended: &ProgramOutput| jobs(ended)[0]["read"]["total_ios"].as_i64().unwrap();
        let (ours, real) = (read(&ours), read(&real));
        assert!((ours - real).abs() <= 2 + real / 30, "{pace}: {ours} and {real}");
    }
}

/// A queue that neither rate can drain has as many reads and writes in flight as that of fio, which depends on every draw.
#[test]
#[ignore = "night: real rates"]
fn a_full_queue_of_two_rates_is_shared_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    let folder = Folder::new();
    let Some(mut group) = Throttle::or_skip("shared") else { return };
    let Some(disk) = Disk::of(&folder, 256, Through::Cache) else { return };
    disk.write_at(0, &vec![7; 256 << 20]);
    group.limit_ios(&disk, [Some(840), Some(360)]);
    group.holds(std::process::id());
    let words = format!(
        "--name=a --filename={} --direct=1 --ioengine=libaio --rw=randrw --percentage_random=50 --rwmixread=70 \
         --rate_iops=7000,3000 --iodepth=256 --runtime=8 --time_based --output-format=json",
        disk.node()
    );
    let [ours, real] = [Who::Command, Who::Real].map(|who| jobs(&peers.run(who, &words)).remove(0));
    for direction in ["read", "write"] {
        let mean = |job: &Value| job[direction]["clat_ns"]["mean"].as_f64().unwrap();
        let (ours, real) = (mean(&ours), mean(&real));
        assert!((ours / real - 1.0).abs() < 0.1, "{direction}: {ours} ns and {real} ns");
    }
}

/// Directions, in the order of issue, of a queue that is always full.
#[test]
fn reads_and_writes_come_in_the_order_of_fio() {
    let Some(peers) = Peers::find() else { return };
    let null = "--ioengine=null --size=4m --number_ios=500";
    for words in [
        format!("--name=a {null} --rw=randrw --write_iolog=log"),
        format!("--name=a {null} --rw=rw --rwmixread=90 --write_iolog=log"),
        format!("--name=a {null} --rw=randrw --rwmixwrite=80 --randseed=7 --write_iolog=log"),
        format!("--name=b {null} --rw=read --name=a {null} --rw=randrw --write_iolog=log"),
    ] {
        let [ours, real] = [Who::Command, Who::Real].map(|who| {
            assert_eq!(peers.run(who, &words).code, Some(0), "{words}");
            let log = std::fs::read_to_string(peers.folder.path(&format!("{who:?}/log"))).unwrap();
            let directions =
                log.lines().filter_map(|line| line.split(' ').nth(2).filter(|_| line.ends_with(" 4096")));
            directions.map(str::to_owned).collect::<Vec<_>>()
        });
        assert!(ours.len() >= 500 && ours[..500] == real[..500], "{words}: {ours:?} and {real:?}");
    }
}

#[test]
fn least_rates_that_cannot_be_kept_are_refused_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    for least in [
        "--rate_iops=10 --rate_iops_min=20",
        "--rate=10m,5m --rate_min=8m",
        "--rate_min=1m --rate_iops_min=100",
    ] {
        let [ours, real] = both(&peers, &format!("--name=a --ioengine=null --size=1m {least}"));
        assert_eq!((ours.code, ours.err.trim_end()), (real.code, real.err.trim_end()), "{least}");
    }
    for (words, remedy) in [
        ("--rate_min=1m --rate_cycle=0", "milliseconds"),
        ("--latency_target=10ms --iodepth=4", "latency_window"),
    ] {
        let refused = peers.run(Who::Command, &format!("--name=a --ioengine=null --size=1m {words}"));
        assert!(refused.code == Some(1) && refused.err.contains(remedy), "{refused:?}");
    }
}

#[test]
fn an_io_that_takes_too_long_ends_its_job_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--rw=read --max_latency=1",
        "--rw=read --ioengine=libaio --direct=1 --iodepth=4 --max_latency=1",
        "--rw=read --max_latency=1 --continue_on_error=all",
        "--rw=read --max_latency=,1",
        "--rw=read --max_latency=60s",
    ] {
        let words = format!("--name=a --filename=g --size=1m --output-format=json {words}");
        let [ours, real] = both(&peers, &words);
        assert_eq!(ending(&ours), ending(&real), "{words}");
        let read = |ended: &ProgramOutput| jobs(ended)[0]["read"]["total_ios"].as_u64().unwrap();
        assert_eq!(read(&ours), read(&real), "{words}: what came too late is counted");
    }
    let [ours, real] =
        both(&peers, "--name=a --filename=g --size=1m --rw=read --max_latency=1 --ioengine=libaio");
    let cause = |ended: &ProgramOutput, head: &str| {
        let line = ended.out.lines().find(|line| line.starts_with(head)).unwrap().to_owned();
        line.split_once("err=").unwrap().1.split(": pid=").next().unwrap().to_owned()
    };
    for head in ["a: (groupid", "fio: pid="] {
        assert_eq!(cause(&ours, head), cause(&real, head));
    }
}

#[test]
#[ignore = "night: real latencies"]
fn a_depth_is_searched_for_by_its_latency_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    let search = "--name=a --filename=g --size=4m --rw=randread --ioengine=libaio --direct=1 --iodepth=6 \
                  --time_based --latency_window=50000 --output-format=json";
    for (words, depth) in [
        ("--runtime=10 --latency_target=30s --latency_percentile=90", 6),
        ("--runtime=1 --latency_target=1 --latency_percentile=90", 1),
        ("--runtime=1 --latency_target=30s --latency_percentile=90 --latency_run=1", 6),
        ("--runtime=10 --latency_target=1", 1),
    ] {
        let [ours, real] = both(&peers, &format!("{search} {words}"));
        assert_eq!(ending(&ours), ending(&real), "{words}");
        let said = |ended: &ProgramOutput, name: &str| jobs(ended)[0][name].as_f64().unwrap();
        for name in ["latency_depth", "latency_target", "latency_percentile", "latency_window"] {
            assert_eq!(said(&ours, name), said(&real, name), "{words}: {name}");
        }
        assert_eq!(said(&ours, "latency_depth"), f64::from(depth), "{words}");
        // Only the last window is reported, or everything if no depth was found.
        let short = |ended: &ProgramOutput| jobs(ended)[0]["read"]["runtime"].as_u64().unwrap() < 900;
        assert_eq!(short(&ours), short(&real), "{words}");
    }
}

#[test]
#[ignore = "night: real rates"]
fn jobs_of_a_flow_keep_their_proportion() {
    let Some(peers) = Peers::find() else { return };
    let each = "--filename=g --size=4m --rw=randread --runtime=1 --time_based";
    let ratio = |who, words: &str| {
        let ended = peers.run(who, &format!("--output-format=json {words}"));
        let done: Vec<f64> =
            jobs(&ended).iter().map(|job| job["read"]["total_ios"].as_f64().unwrap()).collect();
        done[0] / done[1]
    };
    for (words, wanted) in [
        (format!("--name=a {each} --flow=2 --name=b {each} --flow=1"), 2.0),
        (format!("--name=a {each} --flow=1 --name=b {each} --flow=3 --flow_sleep=100"), 1.0 / 3.0),
    ] {
        for who in [Who::Real, Who::Command] {
            let ratio = ratio(who, &words);
            assert!((ratio / wanted - 1.0).abs() < 0.2, "{who:?} {words}: {ratio}");
        }
    }
    // A slow job holds up the others of its flow, but not those of another flow.
    let alone = format!("--name=a {each} --flow=1 --name=b {each} --flow=1 --flow_id=2 --rate_iops=20");
    assert!(ratio(Who::Command, &alone) > 5.0);
    let held = format!("--name=a {each} --flow=1 --name=b {each} --flow=1 --rate_iops=20");
    assert!(ratio(Who::Command, &held) < 2.0);
}

#[test]
fn ios_with_a_priority_of_their_own_are_done_like_the_others() {
    let Some(peers) = Peers::find() else { return };
    for engine in ["libaio", "io_uring"] {
        let words = format!(
            "--name=a --filename=g --size=1m --rw=randrw --direct=1 --ioengine={engine} --iodepth=8 \
             --cmdprio_percentage=40,100 --cmdprio_class=2 --cmdprio=1 --output-format=json"
        );
        let [ours, real] = both(&peers, &words);
        assert_eq!(ending(&ours), ending(&real), "{words}");
        let done = |ended: &ProgramOutput| {
            ["read", "write"]
                .map(|way| jobs(ended)[0][way]["total_ios"].as_u64().unwrap())
                .iter()
                .sum::<u64>()
        };
        assert_eq!(done(&ours), done(&real), "{words}");
        // Each read has one of two priorities, all writes have the same.
        for ended in [&ours, &real] {
            let (read, write) = (&jobs(ended)[0]["read"], &jobs(ended)[0]["write"]);
            let each = read["prios"].as_array().unwrap_or_else(|| panic!("{}", ended.out));
            let mut classes: Vec<_> = each.iter().map(|of| [&of["prioclass"], &of["prio"]]).collect();
            classes.sort_by_key(|class| class[0].as_u64());
            assert_eq!(classes, [[0, 0], [2, 1]], "{words}");
            let done: u64 = each.iter().map(|of| of["clat_ns"]["N"].as_u64().unwrap()).sum();
            assert_eq!(
                (done, &write["prios"]),
                (read["total_ios"].as_u64().unwrap(), &Value::Null),
                "{words}"
            );
            assert_eq!(each[0]["clat_ns"]["percentile"].as_object().unwrap().len(), 17, "{words}");
        }
    }
    let words = "--name=a --filename=g --size=4m --rw=randread --ioengine=libaio --cmdprio_percentage=50";
    for (of, more) in [("clat", ""), ("lat", "--lat_percentiles=1 --numjobs=2 --group_reporting")] {
        let text = peers.run(Who::Command, &format!("{words} {more}")).out;
        for line in ["prio 0/0/0 (", "prio 1/0/0 ("] {
            let lines: Vec<&str> = text.lines().filter(|text| text.contains(line)).collect();
            assert!(lines.len() == 2 && lines[1].contains("% of IOs) percentiles ("), "{text}");
            assert!(lines.iter().all(|text| text.starts_with(&format!("    {of} {line}"))), "{text}");
        }
    }
}

/// Returns what each I/O asks of the kernel, as strace shows it, sorted: its length, and whether it has the priority
/// in the middle of its class's range.
fn asked_of_the_kernel(peers: &Peers, who: Who, words: &str) -> Vec<(String, bool)> {
    let place = peers.folder.make_dir(&format!("traced-{who:?}"));
    let command = peers.command(&place, who, words);
    let mut traced = std::process::Command::new("strace");
    traced.args(["-f", "-v", "-s", "0", "-e", "trace=io_submit", "-o", "calls"]).arg(command.get_program());
    traced
        .args(command.get_args())
        .current_dir(&place)
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = ended(&mut traced);
    assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
    let calls = std::fs::read_to_string(place.join("calls")).unwrap();
    let of = |io: &str| {
        let length = io.split("aio_nbytes=").nth(1)?.split([',', '}']).next()?;
        Some((length.to_owned(), io.contains("IOPRIO_CLASS_BE, 3") || io.contains("aio_reqprio=16387")))
    };
    let mut ios: Vec<_> = calls.split("aio_data=").filter_map(of).collect();
    ios.sort();
    ios
}

/// All I/Os of one length have the priority, and none of the other length: only the lengths drawn are random.
#[test]
fn the_length_of_an_io_decides_its_priority_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    if !has("strace") {
        return skipped(Lack::Tool, "strace is not installed");
    }
    let words = "--name=a --filename=g --size=2m --rw=randread --bssplit=4k/50:32k/50 --ioengine=libaio \
                 --cmdprio_bssplit=4k/100/2/3:32k/0/2/3 --thread";
    for who in [Who::Real, Who::Command] {
        let ios = asked_of_the_kernel(&peers, who, words);
        let is_right = |(length, urgent): &(String, bool)| *urgent == (length == "4096");
        assert!(ios.len() > 20 && ios.iter().all(is_right), "{who:?}: {ios:?}");
        assert!(ios.iter().any(|(_, urgent)| *urgent) && ios.iter().any(|(_, urgent)| !urgent));
    }
    let both = format!("{words} --cmdprio_percentage=3");
    for who in [Who::Real, Who::Command] {
        assert_eq!(peers.run(who, &both).code, Some(1), "{who:?}");
    }
}

/// fio subtracts what the ramp moves from the amount; if the amount is done within the ramp, all of it counts.
#[test]
#[ignore = "night: real seconds"]
fn a_ramp_is_part_of_the_amount_but_not_of_a_number_of_ios() {
    let Some(peers) = Peers::find() else { return };
    let ops = |words: &str| {
        let ran =
            both(&peers, &format!("--name=a --filename=r --rw=write --bs=64k --output-format=json {words}"));
        ran.map(|ended| jobs(&ended)[0]["write"]["total_ios"].as_u64().unwrap())
    };
    assert_eq!(ops("--size=1m --ramp_time=2"), [16, 16], "done within the ramp");
    assert_eq!(
        ops("--size=1m --ramp_time=2 --runtime=9"),
        [16, 16],
        "the same with a time that is not reached"
    );
    assert_eq!(ops("--size=4m --rate=2m --ramp_time=1 --number_ios=20"), [20, 20], "I/Os past the ramp");
    let [ours, real] = ops("--size=6m --rate=2m --ramp_time=1");
    assert!(
        (40..90).contains(&real) && ours.abs_diff(real) < 12,
        "96 less what the ramp did: {ours} and {real}"
    );
}

/// A rate in bytes counts the bytes of each length, and time ends a time-based job, whatever number of I/Os it names.
#[test]
fn a_rate_in_bytes_counts_bytes_and_time_ends_what_is_based_on_it() {
    let Some(peers) = Peers::find() else { return };
    let done = |words: &str| {
        let words =
            format!("--name=a --filename=r --size=4m --time_based --runtime=1 --output-format=json {words}");
        both(&peers, &words).map(|ended| {
            let write = &jobs(&ended)[0]["write"];
            ["io_bytes", "total_ios"].map(|figure| write[figure].as_u64().unwrap())
        })
    };
    for [bytes, _] in done("--rw=randwrite --norandommap --bssplit=4k/50:64k/50 --rate=1m") {
        assert!(bytes <= (1 << 20) + (2 << 16), "{bytes} bytes at 1 MiB a second for a second");
    }
    for [_, ios] in done("--rw=write --bs=4k --number_ios=3 --rate_iops=100") {
        assert!((4..=101).contains(&ios), "{ios} I/Os");
    }
}

//! Runs of the session on a test clock: order, pauses, marks, periods, output formats.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use workload::Bytes;

use super::super::region::Kind;
use super::*;

const MS: u64 = 1_000_000;

/// Runs the words against a device whose requests take `times`; returns the output and the elapsed time.
fn run(words: &str, times: &[u64]) -> (String, u64) {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let crate::Request::Run(asked) = crate::parse(&words).unwrap() else { panic!("it only prints") };
    let region = Region::of(&asked, Kind::Directory, Bytes(0)).unwrap();
    let target = Target {
        path: asked.target.clone(),
        filesystem: "ext4".to_owned(),
        device: "/dev/sda1".to_owned(),
        size: 1 << 30,
    };
    let mut session = Session::new(*asked, target, region, Nanos(5));
    let (mut now, mut out, mut at) = (Nanos(5), String::new(), 0);
    loop {
        match session.next(now) {
            Next::Wait(until) => now = until,
            Next::End => break,
            Next::Io(_) => {
                let ended = now + Nanos(times[at % times.len()]);
                at += 1;
                let wall = Wall { unix_us: 1_795_266_959_000_000 + ended.0 / 1000, zone: None };
                let done = RequestOutcome { started: now, ended, moved: Ok(session.region.request), wall };
                out.push_str(&session.done(&done).unwrap().0);
                now = ended;
            }
        }
    }
    out.push_str(&session.closing(now, &Wall::default()));
    (out, now.0 - 5)
}

fn times(out: &str) -> usize {
    out.lines().filter(|line| line.contains("request=")).count()
}

#[test]
fn ten_requests_to_a_directory_look_as_they_do_in_ioping() {
    let (out, clock) = run("-c 3 .", &[300_000, 200_000, 400_000]);
    assert_eq!(
        out,
        "4 KiB <<< . (ext4 /dev/sda1 1 GiB): request=1 time=300 us (warmup)\n\
         4 KiB <<< . (ext4 /dev/sda1 1 GiB): request=2 time=200 us\n\
         4 KiB <<< . (ext4 /dev/sda1 1 GiB): request=3 time=400 us\n\
         \n\
         --- . (ext4 /dev/sda1 1 GiB) ioping statistics ---\n\
         2 requests completed in 600 us, 8 KiB read, 3.33 k iops, 13.0 MiB/s\n\
         generated 3 requests in 2.00 s, 12 KiB, 1 iops, 6.00 KiB/s\n\
         min/avg/max/mdev = 200 us / 300 us / 400 us / 100 us\n"
    );
    assert_eq!(clock, 2_000_400_000, "from start to start, and no pause behind the last");
}

#[test]
fn a_late_request_is_followed_at_once_and_nothing_is_caught_up() {
    let (_, clock) = run("-c 4 -i 10ms .", &[MS, 25 * MS, MS, MS]);
    assert_eq!(clock, (10 + 25 + 10 + 1) * MS);
}

#[test]
fn a_time_limit_leaves_out_the_request_that_would_start_beyond_it() {
    let (out, clock) = run("-w 2500ms .", &[MS]);
    assert_eq!((times(&out), clock), (3, 2001 * MS));
    assert_eq!(times(&run("-w 2 .", &[MS]).0), 2, "one that would start just then is beyond it too");
    assert_eq!(times(&run("-w 0 -c 3 .", &[MS]).0), 3, "zero is no limit");
}

#[test]
fn limits_make_the_pause() {
    assert_eq!(run("-c 3 -r 10 .", &[MS]).1, 201 * MS);
    assert_eq!(run("-c 3 -l 40k .", &[MS]).1, 201 * MS);
    assert_eq!(run("-c 3 -r 10 -i 1 .", &[MS]).1, 2001 * MS, "a longer interval stays");
    assert_eq!(run("-c 3 -r 10 -i 10ms .", &[MS]).1, 201 * MS, "a shorter one does not");
    assert_eq!(run("-c 3 -r 0 .", &[MS]).1, 2001 * MS, "no limit, the usual second");
}

#[test]
fn a_burst_pauses_once_and_is_set_apart_by_an_empty_line() {
    let (out, clock) = run("-b 2 -c 5 -i 100ms .", &[MS]);
    assert_eq!(clock, 201 * MS);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[2].is_empty() && lines[5].is_empty() && lines[6].contains("request=5"), "{out}");
}

#[test]
fn requests_outside_the_bounds_are_marked_and_left_out() {
    let (out, _) = run("-c 4 -t 100us -T 1ms .", &[500_000, 50_000, 2 * MS, 500_000]);
    assert!(out.contains("request=2 time=50 us (too fast)\n"), "{out}");
    assert!(out.contains("request=3 time=2 ms (too slow)\n"), "{out}");
    assert!(out.contains("\n1 requests completed in 500 us"), "{out}");
    assert!(out.contains("\n1 too fast, 1 too slow, generated 4 requests in 3"), "{out}");
}

#[test]
fn one_that_stands_out_is_marked_once_there_are_six() {
    let steady = [100_000; 6];
    let with = |last: u64| run("-c 8 -i 0 .", &[&steady[..], &[last, 100_000]].concat()).0;
    assert!(with(201_000).contains("request=7 time=201 us\n"), "the mean has it in it");
    assert!(with(300_000).contains("request=7 time=300 us (slow)\n"));
    assert!(with(40_000).contains("request=7 time=40 us (fast)\n"));
    let early = run("-c 4 -i 0 .", &[100_000, 100_000, 100_000, 900_000]).0;
    assert!(!early.contains("(slow)"), "{early}");
}

#[test]
fn writes_and_turns_show_their_direction() {
    let (out, _) = run("-W -c 2 -i 0 .", &[MS]);
    assert!(out.contains("4 KiB >>> . (") && out.contains("4 KiB written, 1 k iops"), "{out}");
    let (out, _) = run("-G -c 2 -i 0 .", &[MS]);
    assert!(out.starts_with("4 KiB >>> ") && out.contains("\n4 KiB <<< "), "the write comes first: {out}");
    assert!(out.contains(" 4 KiB, 1 k iops"), "{out}");
}

#[test]
fn raw_lines_come_by_count_by_time_and_at_the_end() {
    let (out, _) = run("-q -p 2 -c 6 -i 0 .", &[MS, 2 * MS, 4 * MS]);
    assert_eq!(
        out,
        "2 6000000 333 1365333 2000000 3000000 4000000 1000000 3 7000000\n2 3000000 667 2730667 1000000 1500000 2000000 500000 2 3000000\n"
    );
    let (out, _) = run("-B -p 2 -c 3 -i 0 .", &[MS]);
    assert_eq!(out.lines().count(), 2, "a period and the end: {out}");
    let (out, _) = run("-q -P 100ms -i 30ms -c 10 .", &[MS]);
    let loads: Vec<&str> = out.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(loads, ["91000000", "90000000", "90000000"]);
    let (out, _) = run("-q -P 20ms -i 30ms -c 2 .", &[MS]);
    assert!(out.starts_with("0 0 0 0 0 0 0 0 1 1000000\n"), "a period of nothing but warm-up: {out}");
    let (out, _) = run("-p 2 -c 3 -i 0 .", &[MS]);
    assert!(out.contains("\n2 2000000 ") && out.contains("statistics ---"), "{out}");
}

#[test]
fn json_is_one_array_whatever_is_in_it() {
    for words in
        ["-J -c 2 -i 0 .", "-J -q -c 2 -i 0 .", "-J -B -p 1 -c 4 -i 0 .", "-J -R -c 9 .", "-J -c 1 ."]
    {
        let (out, _) = run(words, &[MS]);
        let value: serde_json::Value = serde_json::from_str(&out).expect(words);
        let last = value.as_array().unwrap().last().unwrap();
        assert!(last["stat"]["mdev"].is_u64() && last["load"]["iops"].is_f64(), "{last}");
        assert_eq!(last["target"]["device_size"], 1 << 30);
    }
    let (out, _) = run("-J -c 1 .", &[43_793]);
    assert!(out.starts_with("[{\n  \"timestamp\": 1795266959.000043,\n  \"localtime\": \"2026-11-21T13:15:59+0000\",\n  \"target\": {\n    \"path\": \".\",\n"), "{out}");
    assert!(out.contains("  \"io\": {\n    \"request\": 1,\n    \"operation\": \"read\",\n    \"size\": 4096,\n    \"time\": 43793,\n    \"ignored\": true\n  }\n},{\n"), "{out}");
    assert!(out.ends_with("    \"bps\": 93530930\n  }\n}]\n"), "{out}");
}

#[test]
fn the_time_of_day_stands_before_a_line_in_the_form_asked_for() {
    assert!(run("-I -c 1 .", &[MS]).0.starts_with("Nov 21 13:15:59 4 KiB <<< "));
    assert!(run("-I%H:%M%%x -c 1 .", &[MS]).0.starts_with("13:15%x 4 KiB <<< "));
    assert!(run("-time=%Y -c 1 .", &[MS]).0.starts_with("2026 4 KiB <<< "));
}

fn one_request(
    words: &str,
    moved: Result<u64, i32>,
) -> (Result<(String, Option<String>), IopingError>, Session) {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let Ok(crate::Request::Run(asked)) = crate::parse(&words) else { panic!("{words:?}") };
    let region = Region::of(&asked, Kind::Directory, Bytes(0)).unwrap();
    let target = Target { path: ".".into(), filesystem: "ext4".into(), device: "d".into(), size: 1024 };
    let mut session = Session::new(*asked, target, region, Nanos(0));
    assert!(matches!(session.next(Nanos(0)), Next::Io(_)));
    let done = RequestOutcome { started: Nanos(0), ended: Nanos(MS), moved, wall: Wall::default() };
    (session.done(&done), session)
}

#[test]
fn a_request_that_failed_ends_the_run_unless_told_otherwise() {
    let (result, session) = one_request("-J .", Err(5));
    assert_eq!(result.unwrap_err().to_string(), "request failed: Input/output error");
    assert_eq!(session.broken_off(), "[]\n", "what was said stays JSON");
    let (result, mut session) = one_request("-E .", Err(5));
    assert_eq!(result.unwrap().0, "0 B <<< . (ext4 d 1 KiB): request=1 time=1 ms (EIO)\n");
    assert!(
        session.closing(Nanos(MS), &Wall::default()).contains("\n1 failed, generated 0 requests in 1 ms")
    );
    let (result, _) = one_request("-N .", Err(11));
    assert!(result.unwrap().0.ends_with("(EAGAIN)\n"));
}

#[test]
fn a_short_request_is_said_and_does_not_count() {
    let (result, mut session) = one_request("-a 0 .", Ok(100));
    let (line, complaint) = result.unwrap();
    assert_eq!(line, "100 B <<< . (ext4 d 1 KiB): request=1 time=1 ms\n");
    assert_eq!(complaint.unwrap(), "request returned less than expected: 100");
    assert!(session.closing(Nanos(MS), &Wall::default()).contains("\n0 requests completed in 0 ns"));
}

#[test]
fn places_stay_in_the_region_and_follow_the_order_asked_for() {
    let places = |words: &str| -> Vec<u64> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let Ok(crate::Request::Run(asked)) = crate::parse(&words) else { panic!() };
        let region = Region::of(&asked, Kind::File, Bytes(1 << 20)).unwrap();
        let target = Target { path: ".".into(), filesystem: "e".into(), device: "d".into(), size: 0 };
        let mut session = Session::new(*asked, target, region, Nanos(0));
        let mut found = Vec::new();
        while let Next::Io(once) = session.next(Nanos(0)) {
            found.push(once.offset);
            let done = RequestOutcome {
                started: Nanos(0),
                ended: Nanos(0),
                moved: Ok(once.bytes),
                wall: Wall::default(),
            };
            session.done(&done).unwrap();
        }
        found
    };
    assert_eq!(places("-L -s 4k -S 10k -c 5 -i 0 f"), [0, 4096, 0, 4096, 0]);
    let random = places("-o 1k -S 40k -c 400 -i 0 f");
    assert!(random.iter().all(|at| (at - 1024) % 4096 == 0 && at - 1024 <= 9 * 4096));
    assert!((0..10).all(|place| random.contains(&(1024 + place * 4096))), "every place is reached");
    assert_eq!(places("-e 3 -c 20 -i 0 f"), places("-e 3 -c 20 -i 0 f"), "a seed repeats itself");
}

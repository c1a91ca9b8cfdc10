//! Prints of a run while it goes on, pastes without their head, rates in bits, directions added up.

use crate::vocabulary::*;

/// Returns one print of fio, `ms` after its start.
fn print(ms: u32, iops: u32) -> String {
    format!(
        "a: (groupid=0, jobs=1): err= 0: pid=6959: Mon Nov 23 09:49:{:02} 2026
  read: IOPS={iops}, BW=34.0MiB/s (35.6MB/s)(29.5MiB/{ms}msec)
    clat (usec): min=2, max=363, avg= 6.58, stdev=13.00
    clat percentiles (usec):
     |  1.00th=[    3], 50.00th=[    5], 99.00th=[   60]
  cpu          : usr=3.34%, sys=31.42%, ctx=7452, majf=0, minf=12

Run status group 0 (all jobs):
   READ: bw=34.0MiB/s (35.6MB/s), 34.0MiB/s-34.0MiB/s (35.6MB/s-35.6MB/s), io=29.5MiB (31.0MB), run={ms}-{ms}msec

Disk stats (read/write):
  vda: ios=7065/3646, merge=0/1, ticks=417/1523, in_queue=1941, util=52.32%

",
        ms / 1000
    )
}

const HEAD: &str =
    "a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

";

#[test]
fn prints_of_one_run_are_one_run_and_the_last_counts() {
    let text = format!("{HEAD}{}{}{}", print(1000, 8701), print(2000, 8438), print(3001, 8243));
    let import = imported(&text);
    assert_eq!(tools(&import), ["fio 3.33 text"]);
    holds(&import.runs[0], &[("a", "read iops", 8243.0, ""), ("a", "read runtime", 3001.0, "ms")]);
    assert_eq!(
        part(&import.runs[0], "a").asked_for("rw"),
        Some("randread"),
        "the options stand above the first print"
    );
    assert!(import.notes[0].contains("2 earlier prints"), "{:?}", import.notes);
}

#[test]
fn live_lines_between_prints_are_passed_over() {
    let live = "Jobs: 1 (f=1)\rJobs: 1 (f=1): [m(1)][50.0%][r=34.0MiB/s][r=8701 IOPS][eta 00m:01s]\n";
    let import = imported(&format!("{HEAD}{live}{}{live}{}", print(1000, 8701), print(2000, 8438)));
    assert_eq!((import.runs.len(), import.troubles.len()), (1, 0), "{:?}", import.troubles);
    holds(&import.runs[0], &[("a", "read iops", 8438.0, "")]);
}

#[test]
fn bandwidth_in_bits_is_bytes_by_eight() {
    let text = print(1001, 9244)
        .replace("34.0MiB/s (35.6MB/s)", "303Mbit/s (289Mibit/s)")
        .replace("34.0MiB/s-34.0MiB/s (35.6MB/s-35.6MB/s)", "303Mbit/s-303Mbit/s (289Mibit/s-289Mibit/s)");
    let import = imported(&text);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[("a", "read rate", 37_875.0, "kB/s"), ("group 0", "read rate", 37_875.0, "kB/s")],
    );
    let printed = figure(part(&import.runs[0], "a"), "read rate").unwrap();
    assert_eq!((printed.printed.as_str(), printed.step), ("303Mbit/s", 125_000.0));
}

#[test]
fn directions_added_up_have_their_rates_and_counts() {
    let mixed = print(1000, 15).replace("  read: IOPS=15,", "  mixed: IOPS=15.5k,")
        + "     issued rwts: total=15500,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
    let text = mixed.replace(
        "Run status",
        "     issued rwts: total=15500,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n\nRun status",
    );
    let import = imported(&text);
    let job = part(&import.runs[0], "a");
    assert_eq!(job.directions.len(), 1, "no row without figures: {:?}", job.directions);
    holds(&import.runs[0], &[("a", "all iops", 15_500.0, ""), ("a", "all ops", 15_500.0, "")]);
    let both =
        print(1000, 15).replace("  cpu  ", "  mixed: IOPS=33.5k, BW=131Mi (137M)(131MiB/1001msec)\n  cpu  ");
    let import = imported(&both);
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], &[("a", "all rate", 131.0, "MiB/s"), ("a", "all iops", 33_500.0, "")]);
}

#[test]
fn a_zero_for_all_directions_beside_their_latencies_is_no_rate() {
    let sum = "  mixed: IOPS=0, BW=0 (0)(0B/1001msec)\n    clat (usec): min=2, max=4289, avg=53.55, stdev=79.73\n  cpu  ";
    let import = imported(&print(1000, 15).replace("  cpu  ", sum));
    assert_eq!(import.troubles, []);
    assert_eq!(figure(part(&import.runs[0], "a"), "all iops"), None);
    holds(&import.runs[0], &[("a", "all clat mean", 53.55, "us"), ("a", "read iops", 15.0, "")]);
    assert!(import.runs[0].events.iter().any(|event| event.text.contains("printed zero")));
}

#[test]
fn a_paste_from_the_rates_on_is_a_job_without_a_name() {
    let whole = print(1000, 8701);
    let import = imported(&whole[whole.find("  read").unwrap()..]);
    assert_eq!(tools(&import), ["fio 2.17 or later text"]);
    holds(
        &import.runs[0],
        &[
            ("unnamed", "read iops", 8701.0, ""),
            ("unnamed", "read clat p99", 60.0, "us"),
            ("unnamed", "cpu.system", 31.42, "%"),
            ("group 0", "read runtime", 1000.0, "ms"),
            ("vda", "ios.read", 7065.0, ""),
        ],
    );
    assert!(import.runs[0].events.iter().any(|event| event.text.contains("below the line of its job")));
    let old = imported(
        "  write: io=3070.5MB, bw=132862KB/s, iops=33215, runt= 23665msec\n    clat (usec): min=54, max=622, avg=135.46, stdev=23.21\n",
    );
    holds(
        &old.runs[0],
        &[("unnamed", "write iops", 33_215.0, ""), ("unnamed", "write clat mean", 135.46, "us")],
    );
}

#[test]
fn lines_of_a_group_alone_are_a_group() {
    let whole = print(1000, 8701);
    for from in ["Run status", "   READ: "] {
        let import = imported(&whole[whole.find(from).unwrap()..]);
        assert_eq!(import.troubles, [], "{from}");
        holds(
            &import.runs[0],
            &[("group 0", "read rate", 34.0, "MiB/s"), ("group 0", "read bytes", 29.5, "MiB")],
        );
    }
}

#[test]
fn a_line_of_a_job_that_belongs_to_none_is_named() {
    let whole = print(1000, 8701);
    let latencies = &whole[whole.find("    clat (").unwrap()..whole.find("  cpu ").unwrap()];
    let told = refused(latencies);
    assert!(told.contains("line 1, column 1: expected the job that this belongs to"), "{told}");
    let counts = [
        "     issued    : total=r=0/w=2048/d=0, short=r=0/w=0/d=0",
        "     issued rwts: total=8701,0,0,0 short=0,0,0,0 dropped=0,0,0,0",
        "  cpu          : usr=0.10%, sys=0.31%, ctx=5630, majf=0, minf=7",
        "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%",
        "     latency   : target=0, window=0, percentile=100.00%, depth=1",
        "  write: io=5120.0MB, bw=724055KB/s",
    ];
    for above in counts.iter().copied().chain([latencies]) {
        let import = imported(&format!("{above}\n{whole}"));
        assert_eq!((import.runs.len(), import.troubles.len()), (1, 1), "{:?}", import.troubles);
        assert!(import.troubles[0].expected.starts_with("the job that this belongs to"), "{above}");
    }
    for prose in ["complete: done = yes", "  cpu : Xeon", "read: mode=fast", "errors: none"] {
        assert_eq!(imported(&format!("{prose}\n\n{whole}")).troubles, [], "{prose}");
    }
}

#[test]
fn a_unit_after_a_blank_is_read_and_a_direction_that_comes_again_is_another_job() {
    let pair = |rate: u32| {
        format!(
            "read : io=2048 B, bw={rate} B/s, iops={rate} , runt= 2771msec\nslat (usec): min=3 , max=90 , avg=12.50, stdev= 2.50\n\
             write: io=40KB, bw=14 B/s, iops=3 , runt= 2771msec\n"
        )
    };
    let import = imported(&(pair(739) + &pair(512)));
    assert_eq!((import.runs.len(), &import.troubles), (1, &vec![]));
    let run = &import.runs[0];
    assert!(run.events.iter().all(|event| !event.text.contains("has lost")), "{:?}", run.events);
    let rates = run.reported.iter().map(|job| figure(job, "read rate").unwrap().value);
    assert!(rates.eq([739.0, 512.0]), "{:?}", run.reported);
    holds(run, &[("unnamed", "write rate", 14.0, "B/s"), ("unnamed", "read bytes", 2048.0, "B")]);
    let apart = imported(&format!("{}\nWith the patch:\n\n{}", pair(739), pair(512)));
    assert_eq!((apart.runs.len(), &apart.troubles), (2, &vec![]), "words stand between them");
    let whole = print(1000, 8701);
    let below = imported(&format!("{whole}{}", &whole[whole.find("  read").unwrap()..]));
    assert_eq!(tools(&below).len(), 2, "the first ends with its groups");
}

#[test]
fn percentiles_behind_a_prefix_are_named_line_by_line() {
    let rows = "     |  1.00th=[    3], 50.00th=[    5],\n     | 99.00th=[   60]\n";
    let whole = print(1000, 8701).replace("     |  1.00th=[    3], 50.00th=[    5], 99.00th=[   60]\n", rows);
    assert_eq!(imported(&whole).troubles, []);
    let import = imported(&whole.replace("     |", "[out]     |"));
    let lines: Vec<u32> = import.troubles.iter().map(|trouble| trouble.line).collect();
    assert_eq!(lines, [5, 6], "{:?}", import.troubles);
}

#[test]
fn the_command_above_a_terse_line_is_what_was_asked_and_a_semicolon_ends_it() {
    let lines = include_str!("fixtures/fio-3.33.terse");
    let line = lines.lines().next().unwrap();
    let import = imported(&format!("$ sudo fio --name=mixed --bs=4k --terse-version=3; done\n{line}\n"));
    let job = part(&import.runs[0], "mixed");
    assert_eq!((job.asked_for("bs"), job.asked_for("terse-version")), (Some("4k"), Some("3")));
    assert!(!lacks(&import.runs[0]).contains(&"what was asked"));
    let other = imported(&format!("$ fio --name=other --bs=4k\n{line}\n"));
    assert_eq!(part(&other.runs[0], "mixed").asked, [], "the command names another job");
}

#[test]
fn a_number_that_ends_with_the_text_before_fio_ends_it_is_not_a_figure() {
    let job = format!(
        "{HEAD}a: (groupid=0, jobs=1): err= 0: pid=6959: Mon Nov 23 09:49:01 2026\n  read: IOPS=8000, BW=34.0MiB/s (35.6MB/s)(29.5MiB/1001msec)\n"
    );
    for (end, path) in [
        ("    slat (nsec): min=431, max=44081, avg=327", "read slat mean"),
        ("    slat (nsec): min=431, max=440", "read slat max"),
        ("    slat (nsec): min=431, max=44081, avg=327.25, stdev=12.5\n```\n", "read slat stddev"),
        ("    clat percentiles (usec):\n     |  1.00th=[    3], 50.00th=[  51", "read clat p50"),
    ] {
        let import = imported(&format!("{job}{end}"));
        assert_eq!(figure(part(&import.runs[0], "a"), path), None, "{end}");
        assert!(import.troubles[0].expected.starts_with("the whole of the number"), "{:?}", import.troubles);
    }
    let whole = imported(&format!("{job}    slat (nsec): min=431, max=44081, avg=327.25, stdev=12.50"));
    assert_eq!(whole.troubles, []);
}

#[test]
fn a_job_may_be_called_by_its_options() {
    let job = "bs=4k: (groupid=0, jobs=1): err= 0: pid=7: Mon Nov 23 09:49:01 2026\n";
    let text =
        format!("{}{}", HEAD.replacen("a:", "bs=4k:", 1), print(1001, 8701).split_once('\n').unwrap().1);
    let import = imported(&text.replacen("  read:", &format!("{job}  read:"), 1));
    assert_eq!((tools(&import), &import.troubles), (vec!["fio 3.33 text"], &vec![]));
    assert_eq!(part(&import.runs[0], "bs=4k").asked_for("rw"), Some("randread"));
    // After a list, the name is no entry of it.
    let second = print(1001, 8701).replacen(
        "\n\nRun",
        &format!("\n{job}  read: IOPS=1, BW=1MiB/s (1MB/s)(1MiB/1001msec)\n\nRun"),
        1,
    );
    holds(&imported(&format!("{HEAD}{second}")).runs[0], &[("bs=4k", "read iops", 1.0, "")]);
}

/// Returns the lowest rate of a job of the only group in `text`, and whether a note says that its unit is unknown.
fn lowest(text: &str) -> (Option<f64>, bool) {
    let import = imported(text);
    let run = &import.runs[0];
    let rate = figure(part(run, "group 0"), "read bandwidth.job_min").map(|figure| figure.value);
    (rate, run.events.iter().any(|event| event.text.contains("minb")))
}

#[test]
fn a_group_of_fio_alone_has_the_units_that_its_own_figures_prove() {
    let group = |lowest: &str, highest: &str| {
        format!(
            "   READ: io=4096.0MB, aggrb=611058KB/s, minb={lowest}KB/s, maxb={highest}KB/s, mint=6864msec, maxt=6864msec\n"
        )
    };
    let one = group("611058", "611058");
    assert_eq!(tools(&imported(&one)), ["fio up to 2.16 text"], "nothing tells the generation");
    assert_eq!(lowest(&one), (Some(611_058.0 * 1024.0), false), "the only job has the rate of the group");
    assert_eq!(lowest(&group("625723", "625723")), (Some(625_723_000.0), false), "1.024 times as many");
    let several = group("150000", "160000");
    assert_eq!(lowest(&several), (None, true), "nothing shows the unit");
    let dated = "j: (groupid=0, jobs=1): err= 0: pid=1: Fri Apr 20 17:14:19 2018\n  read : io=1000.0MB, bw=";
    let below = |rate: &str| {
        format!("{dated}{rate}KB/s, iops=9, runt= 6864msec\nRun status group 0 (all jobs):\n{several}")
    };
    assert_eq!(lowest(&below("160000")), (Some(150_000.0 * 1024.0), false), "the fastest job proves it");
    assert_eq!(lowest(&below("156250")), (Some(150_000.0 * 1000.0), false), "the same");
    assert_eq!(lowest(&below("155000")), (None, true));
    assert_eq!(
        lowest(&format!("fio-2.1.3\n{}", below("155000"))),
        (Some(150_000.0 * 1024.0), false),
        "the version"
    );
}

#[test]
fn a_share_that_the_end_of_the_text_has_cut_is_left_out() {
    let job = "j: (groupid=0, jobs=1): err= 0: pid=1: Fri Apr 20 17:14:19 2018\n  read: IOPS=9, BW=9KiB/s (9kB/s)(9KiB/9msec)\n";
    let disk = "Run status group 0 (all jobs):\nDisk stats (read/write):\n  vda: ios=7/3, merge=0/1, ticks=4/1, in_queue=1,";
    for (line, part_of, path, share) in [
        ("   bw (  KiB/s): min=1, max=9, per=", "j", "read bandwidth.share", "12.98"),
        ("  cpu          : usr=", "j", "cpu.user", "3.34"),
        ("  IO depths    : 1=", "j", "depth.1", "99.8"),
        ("  IO depths    : 1=0.1%, >=64=", "j", "depth.>=64", "99.8"),
        ("    lat (usec)   : 250=", "j", "latency_us.250", "12.98"),
        (&format!("{disk} util="), "vda", "utilisation", "96.15"),
        (&format!("{disk} aggrutil="), "vda", "members.utilisation", "96.15"),
    ] {
        let read = |end: &str| {
            let import = imported(&format!("{job}{line}{end}"));
            let value = figure(part(&import.runs[0], part_of), path).map(|figure| figure.value);
            (value, import.troubles.first().map(ToString::to_string).unwrap_or_default())
        };
        assert_eq!(read(&format!("{share}%")), (share.parse().ok(), String::new()), "{line}");
        for length in [1, 2, share.len()] {
            let (value, trouble) = read(&share[..length]);
            assert!(value.is_none() && trouble.contains("expected"), "{line}{}: {trouble}", &share[..length]);
        }
    }
}

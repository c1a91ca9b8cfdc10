//! Marks of a page in and around what tools print, and words of a sentence around a command.

use crate::vocabulary::*;

const JOB: &str = "job1: (groupid=0, jobs=1): err= 0: pid=8084: Wed Apr 6 11:13:06 2022\n";

#[test]
fn figures_in_bold_or_in_code_are_figures() {
    for (open, close) in [("**", "**"), ("`", "`")] {
        let text = format!(
            "{open}job1{close}: (groupid=0, jobs=1): err= 0: pid=8084: Wed Apr 6 11:13:06 2022
  write: {open}IOPS=4737k{close}, BW=18.1GiB/s (19.4GB/s)(1107GiB/61284msec)
    clat (usec): min=5, max=99, {open}avg=7.47{close}, stdev=1.81
"
        );
        let text = text.replace("`job1`", "job1");
        let import = imported(&text);
        assert_eq!(import.troubles, [], "{text}");
        let rows = [
            ("job1", "write iops", 4_737_000.0, ""),
            ("job1", "write clat mean", 7.47, "us"),
            ("job1", "write clat stddev", 1.81, "us"),
        ];
        holds(&import.runs[0], &rows);
    }
    let bold = format!(
        "{JOB}  **read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10001msec)**\n    clat (usec): min=33, max=1617, avg=110.47, stdev=211.81\n"
    );
    let import = imported(&bold);
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], &[("job1", "read iops", 100.0, ""), ("job1", "read clat max", 1617.0, "us")]);
    assert_eq!(tool(&import.runs[0]), "fio 2.17 or later text");
}

#[test]
fn zero_rates_are_noted_only_where_fio_printed_them() {
    let text =
        format!("{JOB}  (rates not kept)\n    clat (usec): min=33, max=1617, avg=110.47, stdev=211.81\n");
    let notes: Vec<String> = imported(&text).runs[0].events.iter().map(|event| event.text.clone()).collect();
    assert!(notes.iter().all(|note| !note.contains("zero")), "{notes:?}");
}

#[test]
fn a_sentence_around_a_command_is_no_part_of_it() {
    let timing = " Timing buffered disk reads: 22 MB in  3.00 seconds =   7.33 MB/sec\n";
    let command = |text: String| {
        imported(&text).runs[0].reported[0].asked_for("command").map(str::to_owned).unwrap_or_default()
    };
    let quoted = "I ran \"hdparm -Tt /dev/sda\" to get an idea; the controller is good for 40MB/sec\n";
    assert_eq!(command(format!("{quoted}{timing}")), "hdparm -Tt /dev/sda");
    let prose = "hdparm -t is quite useless on this machine because of the cache, see\n";
    assert_eq!(command(format!("{prose}{timing}")), "");
    let closing = "20 requests completed in 19.0 s, 155 iops, 155.5 MiB/s\n";
    let ioping = "I ran \"ioping -c 4 -s 8k /mnt\" on the old disk, and got this:\n";
    assert_eq!(command(format!("{ioping}{closing}")), "ioping -c 4 -s 8k /mnt");
    let spaced = "$ ioping -c 4 \"/mnt/my disk\"\n";
    assert_eq!(command(format!("{spaced}{closing}")), "ioping -c 4 \"/mnt/my disk\"");
}

#[test]
fn several_clients_are_no_option_of_a_job_and_all_their_files_are_noted() {
    let rest = "  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10001msec)\n";
    let run = |command: &str| imported(&format!("$ {command}\n{JOB}{rest}")).runs.remove(0);
    let two = run("fio --client hosta a.fio --client hostb b.fio");
    assert_eq!(two.reported[0].asked_for("client"), None);
    let noted = |run: &record::Run, words: &str| run.events.iter().any(|event| event.text.contains(words));
    assert!(noted(&two, "the job files of the command line, a.fio and b.fio, may ask"), "{:?}", two.events);
    let one = run("fio --client hosta a.fio --output-format=normal");
    assert_eq!(one.reported[0].asked_for("client"), Some("hosta"));
    assert_eq!(one.reported[0].asked_for("output-format"), Some("normal"));
    assert!(noted(&one, "the job file of the command line, a.fio, may ask"), "{:?}", one.events);
    let last = run("fio --name=job1 --bs=4k --bs=8k --rw=read");
    assert_eq!(last.reported[0].asked_for("bs"), Some("8k"), "the last of two values is fio's");
}

#[test]
fn latencies_by_priority_are_noted_and_counters_without_a_job_are_reported() {
    let rest = "  read: IOPS=152, BW=19.1MiB/s (20.0MB/s)(11.1GiB/592929msec)
     lat (msec): min=7, max=918, avg=157.13, stdev=149.43
    clat prio 0/0 (msec): min=7, max=918, avg=171.68, stdev=150.48
    clat prio 1/0 (msec): min=8, max=166, avg=24.64, stdev= 5.93
   bw (  KiB/s): min= 9676, max=55977, per=100.00%, avg=30697.65, stdev=24.57, samples=23364
";
    let import = imported(&format!("{JOB}{rest}"));
    assert_eq!(import.troubles, []);
    let notes = import.runs[0].events.iter().filter(|event| event.text.contains("latencies by priority"));
    assert_eq!(notes.count(), 1, "{:?}", import.runs[0].events);
    holds(
        &import.runs[0],
        &[("job1", "read lat mean", 157.13, "ms"), ("job1", "read bandwidth.samples", 23_364.0, "")],
    );
    let disks = "Disk stats (read/write):\n  sdb: ios=25600/0, merge=0/0, ticks=39099/0, in_queue=39086, util=13.64%\n";
    let import = imported(&format!("{disks}\n{JOB}{rest}"));
    let told: Vec<String> = import.troubles.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("line 1, column 1: expected the job that this belongs to"), "{told:?}");
    let alone = refused(disks);
    assert!(alone.contains("fio's text") && alone.contains("the job that this belongs to"), "{alone}");
}

#[test]
fn what_is_not_read_is_refused_with_its_true_reason() {
    let iostat = "$ iostat -w 1 disk0\n              disk0       cpu    load average\n    KB/t  tps  MB/s  us sy id   1m   5m   15m\n   19.72  135  2.61  11  4 85  3.89 4.51 4.10\n";
    assert!(refused(iostat).contains("another system's iostat"), "{}", refused(iostat));
    let diskspd = "|TotalIO|       bytes     |   I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |\n|     0 |    175508717568 |   10712202 |    1859.76 |  119024.53 |    0.025 |    1155.77 |     0.016 |\n";
    assert!(
        refused(diskspd).contains("but no line 'Total IO', 'Read IO' or 'Write IO' of its own"),
        "{}",
        refused(diskspd)
    );
}

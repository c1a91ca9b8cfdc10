//! Lines of several runs below one another, and parts of one that a page, a terminal or a mail has torn apart.

use record::Metric;
use workload::{Direction, Nanos};

use crate::vocabulary::*;

/// Returns the line of a group of fio at a rate in MiB/s, which ran for so many milliseconds.
fn group(way: &str, rate: u32, ms: u32) -> String {
    format!(
        "  {way}: bw={rate}MiB/s (1MB/s), {rate}MiB/s-{rate}MiB/s (1MB/s-1MB/s), io={rate}MiB (1MB), run={ms}-{ms}msec\n"
    )
}

/// Returns the rates in MiB/s and the run time in milliseconds of each group of each result.
fn groups(text: &str) -> Vec<Vec<(Vec<f64>, u64)>> {
    let import = imported(text);
    assert_eq!(import.troubles, [], "{text}");
    let of = |part: &record::ReportedPart| {
        let rates =
            part.directions.iter().map(|way| way.bytes_per_second.as_ref().unwrap().value / 1_048_576.0);
        (rates.collect(), part.runtime.unwrap().0 / 1_000_000)
    };
    let is_group = |part: &&record::ReportedPart| part.scope == record::Scope::Group;
    import.runs.iter().map(|run| run.reported.iter().filter(is_group).map(of).collect()).collect()
}

#[test]
fn a_direction_that_comes_again_without_a_head_is_another_run_with_its_own_time() {
    let [first, second] = [group("READ", 1591, 60_001), group("READ", 2196, 120_003)];
    let two = [vec![(vec![1591.0], 60_001)], vec![(vec![2196.0], 120_003)]];
    for text in [
        format!("{first}{second}"),
        format!("{first}\nand with the new kernel:\n\n{second}"),
        format!("* 4K\n  *{first}* 16K\n  *{second}"),
        format!("$ grep READ *.log\na.log: {first}b.log: {second}"),
        format!("Run status group 0 (all jobs):\n{first}And on the other disk:\n{second}"),
    ] {
        assert_eq!(groups(&text), two, "{text}");
    }
    let old = |rate: u32| {
        format!(
            "   READ: io={rate}KB, aggrb={rate}KB/s, minb={rate}KB/s, maxb={rate}KB/s, mint=1000msec, maxt={rate}msec\n"
        )
    };
    let found = groups(&format!("{}\nsecond\n\n{}", old(1024), old(2048)));
    assert_eq!(found, [vec![(vec![1.0], 1024)], vec![(vec![2.0], 2048)]]);
}

#[test]
fn reads_and_writes_of_one_group_stay_together_and_those_of_two_runs_do_not() {
    let [read, write] = [group("READ", 100, 10_001), group("WRITE", 50, 20_002)];
    let one = [vec![(vec![100.0, 50.0], 20_002)]];
    let two = [vec![(vec![100.0], 10_001)], vec![(vec![50.0], 20_002)]];
    for text in
        [format!("{read}{write}"), format!("{read}\n\n{write}"), format!("a.log: {read}a.log: {write}")]
    {
        assert_eq!(groups(&text), one, "{text}");
    }
    for text in [
        format!("{read}and writes:\n{write}"),
        format!("```\n{read}```\n```\n{write}```\n"),
        format!("read.log: {read}write.log: {write}"),
    ] {
        assert_eq!(groups(&text), two, "{text}");
    }
    assert_eq!(groups(&format!("{read}{write}{read}{write}")), [one[0].clone(), one[0].clone()]);
    assert_eq!(groups(&format!("{write}{read}")), [two[1].clone(), two[0].clone()], "fio prints reads first");
}

#[test]
fn lines_of_groups_without_heads_are_those_of_the_jobs_above_in_their_order() {
    let job = |name: &str, number: u32| {
        format!(
            "{name}: (groupid={number}, jobs=1): err= 0: pid=1: Mon Feb 17 14:59:29 2020\n  read: IOPS=1, BW=1MiB/s (1MB/s)(1MiB/1msec)\n"
        )
    };
    let text = format!("{}{}{}{}", job("a", 0), job("b", 1), group("READ", 7, 1000), group("READ", 9, 2000));
    assert_eq!(groups(&text), [[(vec![7.0], 1000), (vec![9.0], 2000)]]);
    assert_eq!(part(&imported(&text).runs[0], "group 1").group, Some(1));
    let text = format!("{}And on the other disk:\n{}", job("a", 0), group("READ", 9, 2000));
    assert_eq!(groups(&text), [vec![], vec![(vec![9.0], 2000)]], "of a run that other words name");
}

const JOB: &str = "r: (groupid=0, jobs=8): err= 0: pid=1: Mon Sep  4 14:49:57 2023\n  read: IOPS=1190k, BW=4649MiB/s (4875MB/s)(272GiB/60010msec)\n";

/// Returns the options and the notes of the job `r` below a command line.
fn asked(command: &str) -> (Vec<String>, Vec<String>) {
    let import = imported(&format!(
        "# fio --name=r {command}\nr: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=io_uring, iodepth=256\nfio-3.28\n{JOB}"
    ));
    let options = part(&import.runs[0], "r").asked.iter().map(|(name, value)| format!("{name}={value}"));
    (options.skip(4).collect(), import.runs[0].events.iter().map(|event| event.text.clone()).collect())
}

#[test]
fn an_option_that_a_terminal_has_wrapped_is_whole_which_a_note_says() {
    let long = "--directory=/mnt/a-very-long-name-of-a-folder --time_based --ramp_time=2s";
    for (command, last, parts) in [
        ("--io\nengine=io_uring --numjobs=8", vec!["name=r", "numjobs=8"], "'--io' and 'engine=io_uring'"),
        ("--size=1\n0G --numjobs=8", vec!["name=r", "size=10G", "numjobs=8"], "'--size=1' and '0G'"),
        ("--size 1\n0G --numjobs=8", vec!["name=r", "size=10G", "numjobs=8"], "'1' and '0G'"),
    ] {
        let (options, notes) = asked(command);
        assert_eq!(options, last, "{command}");
        assert!(notes[0].starts_with(parts), "{notes:?}");
    }
    for (command, last) in [
        (format!("{long} --group_repor\nting --numjobs=8"), ["group_reporting=", "numjobs=8"]),
        (format!("{long} --numjobs=8 --runtime=6\n0"), ["numjobs=8", "runtime=60"]),
        (
            format!("{long} --numjobs=8 --runtime=60\nfio: this platform does not"),
            ["numjobs=8", "runtime=60"],
        ),
        (format!("{long} --numjobs=8 --runtime=60\n{{"), ["numjobs=8", "runtime=60"]),
        (format!("{long} --numjobs=8 --runtime=60\niostat -xz 1"), ["numjobs=8", "runtime=60"]),
        (format!("{long} --numjobs=8 --size=4\nG"), ["numjobs=8", "size=4G"]),
        (format!("{long} --numjobs=8 --group_reporting\noutput"), ["numjobs=8", "group_reporting="]),
    ] {
        let (options, _) = asked(&command);
        assert_eq!(options[options.len() - 2..], last, "{command}");
    }
}

#[test]
fn options_beside_a_job_file_count_and_a_note_says_that_it_may_ask_for_more() {
    let job = JOB.replace("r: (", "job0: (");
    for command in
        ["./fio ~/data_integrity.fio --offset=1GB --verify=crc32c", "fio --offset=1GB --verify=crc32c d.job"]
    {
        let import = imported(&format!(
            "# {command}\njob0: (g=0): rw=write, bs=8K-8K/8K-8K/8K-8K, ioengine=libaio, iodepth=128\nfio-3.0\n{job}"
        ));
        let part = part(&import.runs[0], "job0");
        assert_eq!(
            (part.asked_for("offset"), part.asked_for("verify")),
            (Some("1GB"), Some("crc32c")),
            "{command}"
        );
        let note = &import.runs[0].events[0].text;
        assert!(note.starts_with("the job file of the command line, "), "{note}");
    }
    let import = imported(&format!("I ran fio job.fio with --offset=1GB\n{job}"));
    assert_eq!(part(&import.runs[0], "job0").asked, []);
}

#[test]
fn json_over_fios_live_line_is_a_whole_document() {
    let json = include_str!("fixtures/fio-3.33.json");
    let covered =
        json.replacen('{', "{obs: 1 (f=1): [r(1)][100.0%][r=1388MiB/s][r=355k IOPS][eta 00m:00s]", 1);
    let (plain, found) = (imported(json), imported(&covered));
    assert_eq!(found.troubles, []);
    assert_eq!((tools(&found), &found.runs[0].reported), (tools(&plain), &plain.runs[0].reported));
}

#[test]
fn the_last_progress_of_dd_with_all_bytes_is_no_copy_of_its_own() {
    let end = |time: &str| format!("5368709120 bytes (5.4 GB, 5.0 GiB) copied, {time}, 490 MB/s\n");
    let records = "5+0 records in\n5+0 records out\n";
    for (text, times) in [
        (format!("{}{records}{}", end("11 s"), end("10.9524 s")), vec![10_952_400_000]),
        (format!("{}{records}{}", end("2 s"), end("10.2 s")), vec![10_200_000_000]),
        (format!("{}{}", end("2.1 s"), end("2.2 s")), vec![2_100_000_000, 2_200_000_000]),
        (format!("{records}{}{records}{}", end("2 s"), end("2.2 s")), vec![2_000_000_000, 2_200_000_000]),
    ] {
        let import = imported(&format!("$ dd if=/dev/zero of=t bs=1024M count=5 status=progress\n{text}"));
        let runtimes = import.runs.iter().map(|run| run.reported[0].runtime.map(|Nanos(time)| time));
        assert_eq!(runtimes.map(Option::unwrap).collect::<Vec<_>>(), times, "{text}");
    }
}

#[test]
fn a_mail_without_equals_signs_is_decoded_if_its_lines_are_torn() {
    let text = "12:00:01 AM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz    =\n await     svctm     %util\n\
                12:05:01 AM    dev8-0      9.63     14.92    114.92     13.49      0.09    =\n  9.46      8.53      8.21\nHi=C3=B0 you\n";
    let import = imported(text);
    assert_eq!(import.troubles, []);
    assert!(import.notes[0].contains("quoted-printable"), "{:?}", import.notes);
    let observed = import.runs[0].observed.as_ref().unwrap();
    let ops = observed.devices[0].metrics.iter().find(|(metric, _)| *metric == Metric::Ops).unwrap();
    assert_eq!((observed.devices[0].name.as_str(), ops.1.as_slice()), ("dev8-0", &[9.63][..]));
    let ruled = "Result =\n========\n=========\n12:00:01 AM DEV tps rd_sec/s wr_sec/s await %util\n12:05:01 AM dev8-0 9.63 14.92 114.92 9.46 8.21\n";
    assert_eq!(imported(ruled).notes, Vec::<String>::new());
}

#[test]
fn rates_of_sysbench_picked_out_by_grep_are_read_and_each_is_one_result() {
    let rates = |writes: &str| {
        format!(
            "    reads/s:      0.00\n    writes/s:     {writes}\n    fsyncs/s:     50.25\n    total time:    10.0005s\n"
        )
    };
    let text =
        format!("sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n{}{}", rates("39576.28"), rates("17.5"));
    let import = imported(&text);
    assert_eq!((import.runs.len(), &import.troubles), (2, &vec![]));
    for (run, writes) in import.runs.iter().zip([39_576.28, 17.5]) {
        holds(run, &[("fileio", "write iops", writes, ""), ("fileio", "flush iops", 50.25, "")]);
        assert_eq!(run.reported[0].runtime, Some(Nanos(10_000_500_000)));
    }
    let queries = "sysbench 1.0.20\nqueries performed:\n    read:    14000\n    write:   4000\n    total time:    10.0s\n";
    assert!(refused(queries).contains("sysbench"), "a database's reads are no file's");
}

#[test]
fn the_number_of_requests_of_sysbench_is_asked_and_its_memory_test_is_named() {
    for (text, requests) in [
        (include_str!("fixtures/sysbench-0.4.txt"), "10000"),
        (include_str!("fixtures/sysbench-1.0.txt"), "0"),
    ] {
        assert_eq!(part(&imported(text).runs[0], "fileio").asked_for("requests"), Some(requests));
    }
    let memory = format!(
        "{}Operations performed: 3145728 (126970.26 ops/sec)\n",
        include_str!("fixtures/sysbench-0.4.txt")
    );
    let troubles: Vec<String> = imported(&memory).troubles.iter().map(ToString::to_string).collect();
    assert!(troubles[0].contains("its memory test"), "{troubles:?}");
}

#[test]
fn rows_that_another_script_adds_to_the_table_of_yabs_are_jobs_of_their_own() {
    let import = imported(
        "| Block Size | 4k (IOPS)      | 8k (IOPS)      |\n|------------|----------------|----------------|\n\
         | Read       | 24.34 MB/s (6086) | 36.18 MB/s (4523) |\n| Randread   | 15.08 MB/s (3770) | 25.14 MB/s (3143) |\n\n\
         | Randwrite  | 5.57 MB/s (1392)  | 11.18 MB/s (1398) |\n",
    );
    assert_eq!(import.troubles, []);
    let iops = [
        ("4k", "read iops", 6086.0),
        ("8k Randread", "read iops", 3143.0),
        ("4k Randwrite", "write iops", 1392.0),
    ];
    for figure in iops.map(|(job, path, value)| (job, path, value, "")) {
        holds(&import.runs[0], &[figure]);
    }
    let random = part(&import.runs[0], "8k Randread");
    assert_eq!(random.asked_for("bs"), Some("8k"));
    assert_eq!(
        random.of(Some(Direction::Read)).unwrap().bytes_per_second.as_ref().unwrap().value,
        25.14e6 * 1.024
    );
}

#[test]
fn commands_of_ioping_without_options_and_of_hdparm_are_those_of_the_results_below() {
    let request = "4 KiB <<< . (ext4 /dev/sda1): request=2 time=3.33 ms\n";
    for (line, command) in [
        ("$ ioping .", Some("ioping .")),
        ("# ioping /dev/sda", Some("ioping /dev/sda")),
        ("# ioping results", None),
        ("What ioping shows:", None),
    ] {
        let import = imported(&format!("{line}\n{request}"));
        assert_eq!(part(&import.runs[0], ".").asked_for("command"), command, "{line}");
    }
    let timing = "\n/dev/sdb:\n Timing buffered disk reads:  74 MB in  3.01 seconds =  24.59 MB/sec\n";
    let import = imported(&format!("$ sudo hdparm -t /dev/sdb\n{timing}And later:\n{timing}"));
    let commands = import.runs.iter().map(|run| run.reported[0].asked_for("command"));
    assert_eq!(commands.collect::<Vec<_>>(), [Some("hdparm -t /dev/sdb"), None]);
    let import = imported(&format!("$ sudo hdparm -t /dev/sdb\n[sudo] password:\n{timing}").repeat(2));
    let commands = import.runs.iter().map(|run| run.reported[0].asked_for("command"));
    assert_eq!(commands.collect::<Vec<_>>(), [Some("hdparm -t /dev/sdb"); 2]);
}

#[test]
fn what_a_cut_leaves_of_a_report_of_iostat_is_no_interval() {
    let cpus = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n";
    let import = imported(&format!(
        "{cpus}           0.05    0.00    1.51    3.46    0.00   94.98\n\nDevice:   r/s   w/s  rkB/s  wkB/s await %util\n\
         sda 0.00 13692.00 0.00 1752576.00 2.88 78.30\n\niostat during zfs write\n{cpus}           0.05\n"
    ));
    assert_eq!(import.runs[0].observed.as_ref().unwrap().intervals.len(), 1);
    assert_eq!(import.troubles.len(), 1, "{:?}", import.troubles);
}

#[test]
fn a_start_line_of_fio_without_a_result_is_no_job_file_and_words_in_brackets_are_no_file_system() {
    let message = refused(
        "(g=0): rw=randrw, bs=(R) 3388KiB-3388KiB, (W) 3388KiB-3388KiB, (T) 3388KiB-3388KiB, ioengine=libaio, iodepth=256\n\
         fio-3.12\nStarting 1 process\nfio: pid=8610, err=84/file:io_u.c:2074, func=io_u_queued_complete, error=Invalid\n",
    );
    assert!(message.contains("nearest to fio's text"), "{message}");
    let ioping = "--- /dev/sda (devices: 1) ioping statistics ---\n40 requests completed in 39.0 s, 700 iops, 2.7 MiB/s\n";
    assert_eq!(part(&imported(ioping).runs[0], "/dev/sda").said, []);
}

#[test]
fn what_a_mail_program_has_broken_at_blanks_is_whole() {
    let import = imported(
        "test cmd: fio -filename=/dev/xxx -name=test -ioengine=libaio -direct=1\n-numjobs=72 -iodepth=16 -bs=4k -rw=write\n-group_reporting\n\n\
         test: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) \n4096B-4096B, ioengine=libaio, iodepth=16\n...\nfio-3.13\n\
         test: (groupid=0, jobs=72): err= 0: pid=4986: Mon Aug  2 11:25:33 2021\n   write: IOPS=279k, BW=1091MiB/s \n(1144MB/s)(128GiB/120009msec); 0 zone \nresets\n     \
         clat percentiles (usec):\n      |  1.00th=[   223],  5.00th=[   223], 10.00th=[   225], 20.00th=[ \n231],\n      | 30.00th=[   478], 99.90th=[ 62129], \n99.95th=[231736]\n",
    );
    assert_eq!(import.troubles, []);
    let job = part(&import.runs[0], "test");
    for (option, value) in [
        ("bs", "(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B"),
        ("iodepth", "16"),
        ("numjobs", "72"),
        ("direct", "1"),
    ] {
        assert_eq!(job.asked_for(option), Some(value));
    }
    for (path, value, unit) in [
        ("write clat p20", 231.0, "us"),
        ("write clat p30", 478.0, "us"),
        ("write clat p99.95", 231_736.0, "us"),
    ] {
        holds(&import.runs[0], &[("test", path, value, unit)]);
    }
}

#[test]
fn half_a_figure_at_the_end_of_a_wrapped_line_is_reported_and_not_kept() {
    let text = "  WRITE: bw=25.3MiB/s (26.6MB/s), 6363KiB/s-6569KiB/s (6516kB/s-6727kB/s), io=14\n25GiB (1530GB), run=57600000-57600033msec\n";
    let import = imported(text);
    assert!(
        import.troubles[0].to_string().contains("the whole of the number after 'io='"),
        "{:?}",
        import.troubles
    );
    assert_eq!(figure(part(&import.runs[0], "group 0"), "write bytes"), None);
    assert_eq!(figure(part(&import.runs[0], "group 0"), "write rate").unwrap().printed, "25.3MiB/s");
}

#[test]
fn the_command_of_sysbench_is_that_which_runs_the_test_wherever_its_output_begins() {
    let commands = ["prepare", "run", "cleanup"]
        .map(|word| format!("sysbench --test=fileio --file-total-size=6G {word}\n"))
        .concat();
    let prepared = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\n128 files, 49152Kb each, 6144Mb total\n\n";
    let result = "Operations performed:  4348 Read, 2898 Write, 9216 Other = 16462 Total\n\
                  Read 67.938Mb  Written 45.281Mb  Total transferred 113.22Mb  (1.8869Mb/sec)\n";
    for text in [format!("{commands}{result}"), format!("{commands}{prepared}{prepared}{result}")] {
        let import = imported(&text);
        assert_eq!(import.runs.len(), 1);
        let command = Some("sysbench --test=fileio --file-total-size=6G run");
        assert_eq!(part(&import.runs[0], "fileio").asked_for("command"), command, "{text}");
    }
}

/// Bold marks hide the write's rates; what stands below them is the write's all the same.
#[test]
fn figures_below_a_line_that_cannot_be_read_are_of_its_direction() {
    let text = "job1: (groupid=0, jobs=1): err= 0: pid=8084: Wed Apr 6 11:13:06 2022
  read: IOPS=10, BW=40KiB/s (41kB/s)(40KiB/1000msec)
    clat (usec): min=33, max=1617, avg=110.47, stdev=211.81
  write: **IOPS=4737k**, BW=18.1GiB/s (19.4GB/s)(1107GiB/61284msec)
    clat (usec): min=5, max=99, avg=7.47, stdev=1.81
    clat percentiles (usec):
     |  1.00th=[    5],  5.00th=[    5], 50.00th=[    7], 99.00th=[   99]
";
    let import = imported(text);
    let job = &import.runs[0].reported[0];
    let read = job.directions.iter().find(|way| way.direction == Some(Direction::Read)).unwrap();
    let json = serde_json::to_string(read).unwrap();
    assert!(json.contains("110.47") && !json.contains("\"99\"") && !json.contains("7.47,"), "{json}");
    assert_eq!(job.directions.len(), 2, "{job:?}");
}

#[test]
fn a_timing_of_hdparm_below_another_command_is_not_of_the_device_before() {
    let timing =
        |rate: u32| format!(" Timing buffered disk reads: {rate} MB in  1.00 seconds = {rate}.00 MB/sec\n");
    let text = format!(
        "$ sudo hdparm -t /dev/sda\n/dev/sda:\n{}$ sudo hdparm -t /dev/sdb\n{}",
        timing(7),
        timing(500)
    );
    let import = imported(&text);
    let names: Vec<&str> = import.runs.iter().map(|run| run.reported[0].job.as_str()).collect();
    assert_eq!(names, ["/dev/sda: buffered disk reads", "buffered disk reads"], "{text}");
}

//! Results in fio's words, from made-up records.

use fio::{DiskUse, capped_depths, human, json, messages, opening, steps};
use record::DiskCounters;
use serde_json::Value;
use workload::{Direction, Nanos};

use crate::vocabulary::{Did, asked, disk, presented, records};

/// A thousand reads of 4 KiB in two seconds: 900 at 100 µs, 99 at 1 ms, one at 20 ms.
fn reads() -> Vec<u64> {
    let mut latencies = vec![100_000; 900];
    latencies.extend(vec![1_000_000; 99]);
    latencies.push(20_000_000);
    latencies
}

fn read_job() -> Did {
    Did {
        ios: vec![(Direction::Read, 4096, reads())],
        rates: vec![600, 0, 700, 700],
        runtime_ms: 2000,
        submission_ns: 5_000,
        failure: None,
    }
}

#[test]
fn the_banner_names_every_job() {
    let asked = asked(
        "fio --ioengine=psync --size=1m --filename=/f --name=a --bs=16k --numjobs=3 --iodepth=16 --name=b \
         --rw=randrw --bs=1m,8k --stonewall --thread",
    );
    assert_eq!(
        opening(&asked),
        "a: (g=0): rw=read, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=psync, iodepth=16\n\
         ...\n\
         b: (g=1): rw=randrw, bs=(R) 1024KiB-1024KiB, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=psync, iodepth=1\n\
         fio-3.42\n\
         Starting 1 thread and 3 processes\n"
    );
    assert_eq!(capped_depths(&asked).lines().count(), 3);
    assert!(
        capped_depths(&asked).starts_with("note: both iodepth >= 1 and synchronous I/O engine are selected")
    );
}

const READ_JOB: &str = "
a: (groupid=0, jobs=1): err= 0: pid=4242: Sat Nov 21 03:02:59 2026
  Description  : [nightly]
  read: IOPS=500, BW=2000KiB/s (2048kB/s)(4000KiB/2000msec)
    slat (nsec): min=5000, max=5000, avg=5000.00, stdev= 0.00
    clat (usec): min=95, max=19995, avg=204.00, stdev=682.01
     lat (usec): min=100, max=20000, avg=209.00, stdev=681.88
    clat percentiles (usec):
     |  1.00th=[   96],  5.00th=[   96], 10.00th=[   96], 20.00th=[   96],
     | 30.00th=[   96], 40.00th=[   96], 50.00th=[   96], 60.00th=[   96],
     | 70.00th=[   96], 80.00th=[   96], 90.00th=[   96], 95.00th=[  995],
     | 99.00th=[  995], 99.50th=[  995], 99.90th=[19995], 99.95th=[19995],
     | 99.99th=[19995]
   bw (  KiB/s): min=    0, max= 2800, per=100.00%, avg=2000.00, stdev=1346.60, samples=4
   iops        : min=    0, max=  700, avg=500.00, stdev=336.65, samples=4
  lat (usec)   : 100=90.00%, 1000=9.90%
  lat (msec)   : 20=0.10%
  cpu          : usr=10.00%, sys=25.00%, ctx=12, majf=1, minf=34
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=1000,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=8

Run status group 0 (all jobs):
   READ: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), io=4000KiB (4096kB), run=2000-2000msec

Disk stats (read/write):
  vda: ios=1000/0, sectors=8000/0, merge=0/0, ticks=1500/0, in_queue=1500, util=50.00%
";

#[test]
fn a_job_of_reads_reads_as_fio_prints_it() {
    let asked = asked(
        "fio --name=a --ioengine=libaio --size=4000k --filename=/f --description=nightly --rw=randread --iodepth=8",
    );
    let steps = records(&asked, &[read_job()]);
    let mut presented = presented(&asked, &steps);
    presented.disks = vec![DiskUse {
        name: "vda".to_owned(),
        first: DiskCounters::default(),
        last: DiskCounters {
            reads: 1000,
            sectors_read: 8000,
            read_ms: 1500,
            busy_ms: 1000,
            queue_ms: 1500,
            ..DiskCounters::default()
        },
        span: Nanos::from_secs(2),
        members: Vec::new(),
    }];
    assert_eq!(human(&presented), READ_JOB);
}

#[test]
fn a_stall_shows_in_the_windows() {
    let asked = asked("fio --name=a --ioengine=null --size=4000k");
    let steps = records(&asked, &[read_job()]);
    let text = human(&presented(&asked, &steps));
    assert!(
        text.contains("   iops        : min=    0, max=  700, avg=500.00, stdev=336.65, samples=4\n"),
        "{text}"
    );
}

const GROUPS: &str = "
w: (groupid=0, jobs=2): err= 0: pid=4242: Sat Nov 21 03:02:59 2026
  write: IOPS=300, BW=300MiB/s (315MB/s)(6144KiB/20msec); 0 zone resets
    clat (usec): min=3000, max=5000, avg=4166.67, stdev=931.44
     lat (usec): min=3000, max=5000, avg=4166.67, stdev=931.44
    clat percentiles (usec):
     |  50th=[ 4502],  99th=[ 5000]
  lat (msec)   : 4=33.33%, 10=66.67%
  fsync/fdatasync/sync_file_range/syncfs:
    sync (nsec): min=900000, max=900000, avg=900000.00, stdev= 0.00
    sync percentiles (usec):
     |  50th=[  900],  99th=[  900]
  cpu          : usr=10.00%, sys=25.00%, ctx=24, majf=2, minf=68
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=0,6,0,2 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=1
r: (groupid=1, jobs=1): err= 0: pid=4242: Sat Nov 21 03:02:59 2026
  read: IOPS=3000, BW=11.7MiB/s (12.3MB/s)(12.0KiB/1msec)
    clat (nsec): min=80, max=100, avg=90.00, stdev=10.00
     lat (nsec): min=80, max=100, avg=90.00, stdev=10.00
    clat percentiles (nsec):
     |  1.00th=[   80],  5.00th=[   80], 10.00th=[   80], 20.00th=[   80],
     | 30.00th=[   80], 40.00th=[   90], 50.00th=[   90], 60.00th=[   90],
     | 70.00th=[  100], 80.00th=[  100], 90.00th=[  100], 95.00th=[  100],
     | 99.00th=[  100], 99.50th=[  100], 99.90th=[  100], 99.95th=[  100],
     | 99.99th=[  100]
  lat (nsec)   : 100=66.67%, 250=33.33%
  cpu          : usr=10.00%, sys=25.00%, ctx=12, majf=1, minf=34
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=3,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=1

Run status group 0 (all jobs):
  WRITE: bw=300MiB/s (315MB/s), 300MiB/s-300MiB/s (315MB/s-315MB/s), io=6144KiB (6291kB), run=20-20msec

Run status group 1 (all jobs):
   READ: bw=11.7MiB/s (12.3MB/s), 11.7MiB/s-11.7MiB/s (12.3MB/s-12.3MB/s), io=12.0KiB (12.3kB), run=1-1msec
";

#[test]
fn groups_are_merged_or_side_by_side() {
    let writer = |runtime_ms| Did {
        ios: vec![
            (Direction::Write, 1 << 20, vec![3_000_000, 5_000_000, 4_500_000]),
            (Direction::Flush, 0, vec![900_000]),
        ],
        runtime_ms,
        ..Did::default()
    };
    let reader =
        Did { ios: vec![(Direction::Read, 4096, vec![80, 90, 100])], runtime_ms: 1, ..Did::default() };
    let asked = asked(
        "fio --filename=/f --size=3m --name=w --rw=write --bs=1m --fsync=3 --numjobs=2 --group_reporting \
         --percentile_list=50:99 --name=r --stonewall --rw=read",
    );
    let steps = records(&asked, &[writer(10), writer(20), reader]);
    assert_eq!(human(&presented(&asked, &steps)), GROUPS);
}

#[test]
fn without_the_clock_there_is_no_latency() {
    let asked = asked("fio --name=a --ioengine=null --size=4000k --gtod_reduce=1");
    let steps = records(&asked, &[read_job()]);
    let presented = presented(&asked, &steps);
    let text = human(&presented);
    assert!(!text.contains("lat (") && !text.contains("percentiles"), "{text}");
    assert!(text.contains("   bw (  KiB/s): min="), "{text}");
    let document: Value = serde_json::from_str(&json(&presented)).unwrap();
    let job = &document["jobs"][0];
    assert_eq!(job["read"]["clat_ns"]["N"], 0);
    let shares =
        ["latency_ns", "latency_us", "latency_ms"].iter().flat_map(|unit| job[*unit].as_object().unwrap());
    assert!(shares.clone().count() > 20 && shares.clone().all(|(_, share)| *share == 0.0), "{job}");
}

#[test]
fn every_percentile_that_is_asked_for_has_its_rows() {
    let asked = asked(
        "fio --name=a --ioengine=libaio --size=4000k --filename=/f --lat_percentiles=1 --slat_percentiles=1",
    );
    let steps = records(&asked, &[read_job()]);
    let text = human(&presented(&asked, &steps));
    let heads: Vec<&str> = text.lines().filter(|line| line.contains("percentiles")).collect();
    assert_eq!(
        heads,
        ["    slat percentiles (nsec):", "    clat percentiles (usec):", "    lat percentiles (usec):"]
    );
}

#[test]
fn a_job_that_failed_says_so_and_counts_in_the_exit_code() {
    let asked = asked("fio --name=a --filename=/f --size=4m --rw=write");
    let failed = Did {
        ios: vec![(Direction::Write, 4096, vec![10_000; 4])],
        runtime_ms: 3,
        failure: Some((28, "/f")),
        ..Did::default()
    };
    let steps = records(&asked, &[failed]);
    let presented = presented(&asked, &steps);
    assert!(human(&presented).starts_with(
        "\na: (groupid=0, jobs=1): err=28 (file:io_u.c:1876, func=io_u error, error=No space left on device): pid=4242: "
    ));
    let (stdout, stderr) = messages(&presented);
    assert_eq!(
        stderr,
        "fio: io_u error on file /f: No space left on device: write offset=8192, buflen=4096\n"
    );
    assert_eq!(
        stdout,
        "fio: pid=4242, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device\n"
    );
    assert_eq!(presented.exit_code(), 1);
    let document: Value = serde_json::from_str(&json(&presented)).unwrap();
    assert_eq!(document["jobs"][0]["error"], 28);
    assert_eq!(document["plimsoll"]["failures"][0]["offset"], 8192);
}

/// Of two jobs on one file, the one that counted an error is the one that failed.
#[test]
fn a_failure_on_a_shared_file_ends_only_the_job_that_had_it() {
    let asked = asked("fio --filename=/f --size=4m --rw=write --name=a --name=b");
    let good = Did { ios: vec![(Direction::Write, 4096, vec![10_000; 4])], runtime_ms: 3, ..Did::default() };
    let bad = Did { failure: Some((5, "/f")), ..good.clone() };
    let mut steps = records(&asked, &[good, bad]);
    steps[0].workers[1].directions[Direction::Write.index()].tally.errors = 1;
    let presented = presented(&asked, &steps);
    assert_eq!(presented.exit_code(), 1);
    let document: Value = serde_json::from_str(&json(&presented)).unwrap();
    assert_eq!((&document["jobs"][0]["error"], &document["jobs"][1]["error"]), (&0.into(), &5.into()));
}

#[test]
fn a_direct_write_that_is_refused_at_once_says_so() {
    let asked = asked("fio --name=a --filename=/f --size=4m --rw=write --direct=1 --bs=1000");
    let steps = records(&asked, &[Did { failure: Some((22, "/f")), ..Did::default() }]);
    let (stdout, _) = messages(&presented(&asked, &steps));
    assert!(stdout.starts_with("fio: first direct IO errored."), "{stdout}");
    assert!(stdout.contains("Try setting direct=0.\nfio: pid=4242, err=22/"), "{stdout}");
}

/// With 256 failing clones fio's exit code wraps to 0.
#[test]
fn many_failures_never_look_like_success() {
    let asked = asked("fio --name=a --ioengine=null --size=4k --numjobs=256");
    let mut presented = presented(&asked, &[]);
    presented.failed = (0..256).map(|job| (job, 22)).collect();
    assert_eq!(presented.exit_code(), 255);
    presented.failed.truncate(3);
    assert_eq!(presented.exit_code(), 3);
}

#[test]
fn a_run_that_never_started_prints_an_empty_group() {
    let asked = asked("fio --name=b --size=1m --filename=/f --name=a");
    let planned = steps(&asked, &disk(&[])).unwrap();
    let mut presented = presented(&asked, &[]);
    for unrunnable in &planned.unrunnable {
        presented.failed.extend(unrunnable.jobs.iter().map(|&job| (job, unrunnable.error.errno())));
    }
    assert_eq!(human(&presented), "\n\nRun status group 0 (all jobs):\n");
    let document: Value = serde_json::from_str(&json(&presented)).unwrap();
    assert_eq!(document["jobs"][1]["error"], 22);
    assert_eq!(presented.exit_code(), 1);
}

#[test]
fn json_holds_the_figures_and_nothing_but_json() {
    let asked = asked(
        "fio --output-format=json+ --size=4000k --name=a --ioengine=libaio --filename=/f --blocksize=4k --thread \
         --openfiles=4",
    );
    let steps = records(&asked, &[read_job()]);
    let text = json(&presented(&asked, &steps));
    assert!(
        text.starts_with("{\n  \"fio version\" : \"fio-3.42\",\n  \"timestamp\" : 1795230179,\n"),
        "{text}"
    );
    let document: Value = serde_json::from_str(&text).unwrap();
    let job = &document["jobs"][0];
    assert_eq!(document["global options"]["size"], "4000k");
    assert_eq!(job["job options"]["bs"], "4k");
    assert_eq!(job["job options"]["thread"], "");
    assert_eq!((&job["job_start"], &job["elapsed"]), (&1_795_230_177_250u64.into(), &3.into()));
    let read = &job["read"];
    assert_eq!(read["io_bytes"], 4_096_000);
    assert_eq!(
        (&read["bw_bytes"], &read["bw"], &read["runtime"]),
        (&2_048_000.into(), &2000.into(), &2000.into())
    );
    assert_eq!(read["iops"], 500.0);
    assert_eq!(read["lat_ns"]["mean"], 209_000.0, "exact, from the sum");
    assert_eq!((&read["slat_ns"]["min"], &read["slat_ns"]["max"]), (&5000.into(), &5000.into()));
    assert_eq!(read["clat_ns"]["max"], 19_995_000);
    assert_eq!(read["clat_ns"]["percentile"]["99.990000"], 19_995_000, "never above the greatest");
    let counted: u64 = read["clat_ns"]["bins"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(counted, 1000);
    assert_eq!(
        (&read["bw_samples"], &read["bw_min"], &read["iops_max"]),
        (&4.into(), &0.into(), &700.into())
    );
    assert_eq!(job["latency_us"]["100"], 90.0);
    assert_eq!(job["usr_cpu"], 10.0);
    assert!(document["plimsoll"]["notes"][0].as_str().unwrap().contains("files stay open to the end"));
    assert!(text.contains("\"iops\" : 500.000000"), "floats have six decimals");
}

#[test]
fn notes_come_last_where_nobody_looks_for_figures() {
    let asked = asked("fio --name=a --ioengine=null --size=4KiB --bs=512 --runtime=1");
    let steps = records(&asked, &[read_job()]);
    let text = human(&presented(&asked, &steps));
    let (_, notes) = text.split_once("\nNotes by plimsoll:\n").expect("there are notes");
    assert!(notes.starts_with("  size: 4KiB is 4000"), "{notes}");
}

#[test]
fn a_stacked_disk_shows_the_mean_of_its_members() {
    let disk = |name: &str, reads| DiskUse {
        name: name.to_owned(),
        last: DiskCounters { reads, busy_ms: reads, ..DiskCounters::default() },
        span: Nanos::SECOND,
        ..DiskUse::default()
    };
    let asked = asked("fio --name=a --ioengine=null --size=4000k");
    let steps = records(&asked, &[read_job()]);
    let mut presented = presented(&asked, &steps);
    presented.disks = vec![DiskUse { members: vec![disk("sda", 100), disk("sdb", 300)], ..disk("md0", 400) }];
    let text = human(&presented);
    let (_, disks) = text.split_once("Disk stats (read/write):\n").unwrap();
    assert_eq!(
        disks,
        "  md0: ios=400/0, sectors=0/0, merge=0/0, ticks=0/0, in_queue=0, util=40.00%, aggrios=200/0, \
         aggrsectors=0/0, aggrrmerge=0/0, aggrticks=0/0, aggrin_queue=0, aggrutil=30.00%\n  \
         sda: ios=100/0, sectors=0/0, merge=0/0, ticks=0/0, in_queue=0, util=10.00%\n  \
         sdb: ios=300/0, sectors=0/0, merge=0/0, ticks=0/0, in_queue=0, util=30.00%\n"
    );
    let document: Value = serde_json::from_str(&json(&presented)).unwrap();
    assert_eq!(document["disk_util"].as_array().unwrap().len(), 3);
    assert_eq!(document["disk_util"][0]["aggr_write_merge"], 0);
}

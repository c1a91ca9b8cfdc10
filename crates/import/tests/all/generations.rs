//! Every generation, by a short output in its own layout.

use crate::vocabulary::*;

#[test]
fn fio_1_59_prints_a_blank_before_its_commas_and_large_times_with_a_k() {
    let import = imported(
        "buffered: (groupid=1, jobs=5): err= 0: pid=2452
  write: io=6377.3MB, bw=472902KB/s, iops=59112 , runt= 13809msec
    slat (usec): min=3 , max=309 , avg= 5.40, stdev= 2.01
    clat (usec): min=8 , max=4490.8K, avg=77.54, stdev=3751.21
    bw (KB/s) : min=    7, max=438688, per=34.13%, avg=161414.56, stdev=63682.89
  cpu          : usr=2.27%, sys=24.01%, ctx=1596, majf=0, minf=134
     issued r/w/d: total=0/816288/0, short=0/3/0
     lat (usec): 10=0.06%, 20=83.59%
     lat (msec): 2=0.07%, >=2000=0.01%
Run status group 1 (all jobs):
  WRITE: io=6377.3MB, aggrb=472901KB/s, minb=484251KB/s, maxb=484251KB/s, mint=13809msec, maxt=13809msec
",
    );
    assert_eq!((tools(&import), import.troubles.len()), (vec!["fio 1.x text"], 0));
    holds(
        &import.runs[0],
        &[
            ("buffered", "write clat max", 4_490_800.0, "us"),
            ("buffered", "write slat mean", 5.40, "us"),
            ("buffered", "write bandwidth.min", 7.0, "KiB/s"),
            ("buffered", "write bandwidth.share", 34.13, "%"),
            ("buffered", "write ops", 816_288.0, ""),
            ("buffered", "write short", 3.0, ""),
            ("buffered", "latency_us.20", 83.59, "%"),
            ("buffered", "latency_ms.>=2000", 0.01, "%"),
            ("group 1", "write bandwidth.job_min", 484_251.0, "kB/s"),
        ],
    );
    assert_eq!(part(&import.runs[0], "buffered").clones, Some(5));
}

#[test]
fn fio_2_21_has_the_new_lines_with_three_counts() {
    let import = imported(
        "many: (g=0): rw=randread, bs=4096B-4096B,4096B-4096B,4096B-4096B, ioengine=sync, iodepth=1
...
fio-2.21
Starting 1024 threads
Jobs: 1023 (f=16368): [_(1),r(1023)][51.6%][r=7276MiB/s,w=0KiB/s][r=1863k,w=0 IOPS][eta 00m:30s]
many: (groupid=0, jobs=1024): err= 0: pid=137705: Tue Jan 24 10:05:53 2017
   read: IOPS=1859k, BW=7262MiB/s (7614MB/s)(213GiB/30073msec)
   bw (  KiB/s): min=  112, max=745026, per=4.60%, avg=175285.03, 
stdev=117592.37, samples=1740
   iops        : min=   28, max=186256, avg=43821.06, stdev=29398.12, samples=1740
     issued rwt: total=55905088,0,0, short=0,0,0, dropped=0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=1

Run status group 0 (all jobs):
   READ: bw=7262MiB/s (7614MB/s), 7262MiB/s-7262MiB/s (7614MB/s-7614MB/s), io=213GiB (229GB), run=30073-30074msec

Disk stats (read/write):
    md0: ios=1/2, merge=0/0, ticks=3/4, in_queue=7, util=1.50%, aggrios=5/6, aggrmerge=0/0, aggrticks=7/8, aggrin_queue=15, aggrutil=2.50%
  nvme0n1: ios=3476092/0, merge=0/0, ticks=1008104/0, in_queue=1020140, util=95.73%
",
    );
    assert_eq!((tools(&import), import.troubles.len()), (vec!["fio 2.21 text"], 0));
    holds(
        &import.runs[0],
        &[
            ("many", "read iops", 1_859_000.0, ""),
            ("many", "read rate", 7262.0, "MiB/s"),
            ("many", "read bytes", 213.0, "GiB"),
            ("many", "read ops", 55_905_088.0, ""),
            ("many", "read bandwidth.stddev", 117_592.37, "KiB/s"),
            ("many", "read iops.samples", 1740.0, ""),
            ("group 0", "read bandwidth.job_max", 7262.0, "MiB/s"),
            ("group 0", "read runtime.job_min", 30_073.0, "ms"),
            ("group 0", "read runtime.job_max", 30_074.0, "ms"),
            ("md0", "members.ios.write", 6.0, ""),
            ("md0", "members.utilisation", 2.5, "%"),
            ("nvme0n1", "utilisation", 95.73, "%"),
        ],
    );
}

#[test]
fn a_job_that_failed_keeps_its_error() {
    let import = imported(
        "a: (groupid=0, jobs=1): err=28 (file:io_u.c:1756, func=io_u error, error=No space left on device): pid=7: Sat Nov 21 00:56:34 2026
  write: IOPS=10.6k, BW=41.2MiB/s (43.2MB/s)(1984KiB/47msec); 0 zone resets
Run status group 0 (all jobs):
",
    );
    let error = part(&import.runs[0], "a").error.clone().unwrap();
    assert_eq!(error.code, 28);
    assert!(error.text.contains("No space left on device"), "{}", error.text);
    holds(&import.runs[0], &[("a", "write bytes", 1984.0, "KiB")]);
}

#[test]
fn json_of_fio_2_counts_in_microseconds_and_kib() {
    let import = imported(
        r#"{ "fio version" : "fio-2.2.10", "jobs" : [ { "jobname" : "j", "groupid" : 0, "error" : 0,
  "job options" : { "rw" : "read" },
  "read" : { "io_bytes" : 2048, "bw" : 512, "iops" : 128.5, "runtime" : 4000, "total_ios" : 512,
    "slat" : { "min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0 },
    "clat" : { "min" : 2, "max" : 90, "mean" : 7.5, "stddev" : 1.25,
      "percentile" : { "1.000000" : 3, "99.000000" : 50, "0.00" : 0, "0.00" : 0 } } },
  "write" : { "io_bytes" : 0, "bw" : 0, "iops" : 0.0, "runtime" : 0, "total_ios" : 0 } } ] }"#,
    );
    assert_eq!(tools(&import), ["fio 2.2.10 JSON"]);
    holds(
        &import.runs[0],
        &[
            ("j", "read bytes", 2048.0, "KiB"),
            ("j", "read rate", 512.0, "KiB/s"),
            ("j", "read iops", 128.5, ""),
            ("j", "read clat min", 2.0, "us"),
            ("j", "read clat mean", 7.5, "us"),
            ("j", "read clat p99", 50.0, "us"),
        ],
    );
    let job = part(&import.runs[0], "j");
    assert_eq!(job.directions.len(), 1, "nothing was written");
    assert_eq!(job.directions[0].latencies.len(), 1, "a latency of zeros is none");
    assert_eq!(job.directions[0].latencies[0].percentiles.len(), 2, "the padding is no percentile");
}

#[test]
fn several_clients_have_their_hosts_and_a_whole() {
    let import = imported(
        r#"<host1> starting
{ "fio version" : "fio-3.33", "client_stats" : [
  { "jobname" : "j", "hostname" : "host1", "read" : { "io_bytes" : 4096, "io_kbytes" : 4, "iops" : 1.0, "total_ios" : 1 } },
  { "jobname" : "All clients", "read" : { "io_bytes" : 8192, "io_kbytes" : 8, "iops" : 2.0, "total_ios" : 2 } } ] }"#,
    );
    let parts = &import.runs[0].reported;
    assert_eq!(parts[0].said, [("host".to_owned(), "host1".to_owned())]);
    assert_eq!(
        (parts[1].scope, parts[1].directions[0].bytes.as_ref().unwrap().value),
        (record::Scope::Whole, 8192.0)
    );
}

/// Returns a request line, the head of the closing lines, and the closing lines.
fn ioping(request: &str, closing: &str) -> String {
    format!("{request}\n\n--- /data (ext4 /dev/sda1) ioping statistics ---\n{closing}\n")
}

#[test]
fn ioping_of_every_generation_is_told_by_its_words() {
    let old = "10 requests completed in 9.0 s, 2.7 k iops, 10.7 mb/s\nmin/avg/max/mdev = 209 us / 366 us / 1.2 ms / 90 us";
    let import = imported(&ioping("4.0 kb from /data (ext4 /dev/sda1): request=1 time=710 us", old));
    assert_eq!(tools(&import), ["ioping 0.7 or 0.8 text"]);
    holds(&import.runs[0], &[("/data", "read rate", 10.7, "MiB/s"), ("/data", "read lat max", 1.2, "ms")]);

    let import = imported(&ioping("4 KiB to /data (ext4 /dev/sda1): request=1 time=710 us", old));
    assert_eq!(tools(&import), ["ioping 0.9 text"]);
    holds(&import.runs[0], &[("/data", "write iops", 2700.0, "")]);

    let new = "9 requests completed in 1.61 ms, 36 KiB read, 5.59 k iops, 21.8 MiB/s\n\
               1 too fast, generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s\n\
               min/avg/max/mdev = 183.0 us / 229.4 us / 301.2 us / 35.6 us";
    let import = imported(&ioping("4 KiB <<< /data (ext4 /dev/sda1): request=1 time=710.2 us (warmup)", new));
    assert_eq!((tools(&import), import.troubles.len()), (vec!["ioping 1.0 or 1.1 text"], 0));
    holds(
        &import.runs[0],
        &[
            ("/data", "read ops", 9.0, ""),
            ("/data", "read runtime", 1.61, "ms"),
            ("/data", "read bytes", 36.0, "KiB"),
            ("/data", "read iops", 5590.0, ""),
            ("/data", "generated.requests", 10.0, ""),
            ("/data", "generated.iops", 1.0, ""),
            ("/data", "generated.bandwidth", 4.44, "KiB/s"),
            ("/data", "read lat stddev", 35.6, "us"),
        ],
    );
    assert_eq!(part(&import.runs[0], "/data").runtime.unwrap().0, 9_000_000_000);
}

#[test]
fn counts_of_ioping_above_ten_thousand_have_a_unit() {
    let closing = |count: &str| {
        format!(
            "{count} requests completed in 2.97 s, 276.2 MiB read, 23.8 k iops, 93.0 MiB/s\n\
             1.2 k too fast, 3 too slow, 2 failed, generated 70.7 k requests in 3.00 s, 276.2 MiB, 23.6 k iops, 92.1 MiB/s\n\
             min/avg/max/mdev = 31.2 us / 42.0 us / 1.20 ms / 11.1 us"
        )
    };
    for (count, value, step) in
        [("70.7 k", 70_700.0, 100.0), ("9999", 9999.0, 1.0), ("1.07 M", 1_070_000.0, 1e4), ("2 G", 2e9, 1e9)]
    {
        let import = imported(&ioping("", &closing(count)));
        assert_eq!(import.troubles, []);
        let job = part(&import.runs[0], "/data");
        let ops = figure(job, "read ops").unwrap();
        assert!((ops.value - value).abs() < 1e-6 && (ops.step - step).abs() < 1e-6, "{count}: {ops:?}");
        assert_eq!(figure(job, "generated.requests").unwrap().value, 70_700.0);
        let left_out =
            ["too_fast", "too_slow", "generated.failed"].map(|name| figure(job, name).unwrap().value);
        assert_eq!(left_out, [1200.0, 3.0, 2.0]);
    }
    // The requests above tell the count that was rounded.
    let line = |number: u32| format!("4 KiB <<< /data (ext4 /dev/sda1): request={number} time=1.02 us\n");
    let requests: String = (1..=10_049).map(line).collect();
    let import = imported(&ioping(&requests, &closing("10.0 k")));
    assert_eq!(
        figure(part(&import.runs[0], "/data"), "read ops").map(|ops| (ops.value, ops.step)),
        Some((10_049.0, 1.0))
    );
}

#[test]
fn raw_statistics_of_ioping_are_told_by_the_number_of_columns() {
    let import = imported("4 516908 7738 31696163 104760 129227 165482 25330 5 200331452\n");
    holds(
        &import.runs[0],
        &[
            ("requests", "all ops", 4.0, ""),
            ("requests", "all runtime", 516_908.0, "ns"),
            ("requests", "all iops", 7738.0, ""),
            ("requests", "all rate", 31_696_163.0, "B/s"),
            ("requests", "all lat min", 104_760.0, "ns"),
            ("requests", "all lat stddev", 25_330.0, "ns"),
            ("requests", "generated.requests", 5.0, ""),
        ],
    );
    let import = imported("10 3650 2739 11221917 294 365 710 116\n");
    assert_eq!(tools(&import), ["ioping 0.7 to 0.9 raw"]);
    holds(
        &import.runs[0],
        &[("requests", "all lat mean", 365.0, "us"), ("requests", "all runtime", 3650.0, "us")],
    );
}

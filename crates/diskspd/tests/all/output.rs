//! What DiskSpd prints: whole texts for made-up runs, with the figures of its own unit tests.

use diskspd::{
    Bucket, CpuPlace, CpuUse, DiskSpdReport, DiskSpdRequest, EffectiveRange, Side, SpanResult, System,
    TargetResult, profile_text, results_text, results_xml, system_text,
};
use record::{Distribution, Histogram, Tally};

use crate::vocabulary::{asked, line_with, with_targets};

const MIB: u64 = 1 << 20;

/// A side of `count` I/Os with `bytes` in total, whose latencies are those of `ns` in turn.
pub fn side(count: u64, bytes: u64, ns: &[u64]) -> Side {
    let (mut tally, mut histogram) = (Tally::default(), Histogram::new());
    for at in 0..count {
        let ns = ns[at as usize % ns.len()];
        tally.count(bytes / count, ns);
        histogram.record(ns);
    }
    let latency = Distribution::of(&histogram, tally.latency_ns_min, tally.latency_ns_max);
    Side { tally, latency }
}

/// The run of the unit tests: 6 reads of 4 MiB and 10 writes of 2 MiB in 120 seconds, with one read in each of 10 buckets.
pub fn result() -> SpanResult {
    let bucket = Bucket { read: side(1, 4096, &[0]), write: Side::default() };
    let target = TargetResult {
        path: "testfile1.dat".to_owned(),
        size: 10 * MIB,
        read: side(6, 4 * MIB / 6 * 6, &[1_000_000, 2_000_000]),
        write: side(10, 2 * MIB, &[3_000_000]),
        spread: Vec::new(),
        buckets: vec![bucket; 10],
    };
    let exact = |mut target: TargetResult| {
        target.read.tally.bytes = 4 * MIB;
        target.write.tally.bytes = 2 * MIB;
        target
    };
    SpanResult {
        seconds: 120.0,
        threads: vec![vec![exact(target)]],
        cpus: vec![CpuUse { number: 0, user: 30, kernel: 25, idle: 45 }],
        bucket_seconds: 1.0,
    }
}

pub fn machine() -> System {
    let cpu = CpuPlace { number: 0, ..CpuPlace::default() };
    System { computer: "box".to_owned(), started: 0, scheme: "performance".to_owned(), cpus: vec![cpu] }
}

pub fn text(asked: &DiskSpdRequest, spans: &[SpanResult]) -> String {
    results_text(&DiskSpdReport { asked, command_line: "diskspd t", system: &machine(), spans })
}

pub fn xml(asked: &DiskSpdRequest, spans: &[SpanResult]) -> String {
    results_xml(&DiskSpdReport { asked, command_line: "diskspd t", system: &machine(), spans })
}

const HEAD: &str = "
Command Line: diskspd t

Input parameters:

\ttimespan:   1
\t-------------
\tduration: 10s
\twarm up time: 5s
\tcool down time: 0s
\tgathering IOPS at intervals of 1000ms
\trandom seed: 0
\tpath: 't'
\t\tthink time: 0ms
\t\tburst size: 0
\t\tusing software cache
\t\tusing hardware write cache, writethrough off
\t\tperforming read test
\t\tblock size: 64KiB
\t\tusing sequential I/O (stride: 64KiB)
\t\tnumber of outstanding I/O operations per thread: 2
\t\tthreads per file: 1
\t\tusing I/O Completion Ports
\t\tIO priority: normal

System information:

\tcomputer name: box
\tstart time: 1970/01/01 00:00:00 UTC

\tcpu count:\t\t1
\tcore count:\t\t1
\tgroup count:\t\t1
\tnode count:\t\t1
\tsocket count:\t\t1
\theterogeneous cores:\tn

\tactive power scheme:\tperformance

Results for timespan 1:
*******************************************************************************

actual test time:\t120.00s
thread count:\t\t1

CPU |  Usage |  User  | Kernel |  Idle
----------------------------------------
   0|  55.00%|  30.00%|  25.00%|  45.00%
----------------------------------------
avg.|  55.00%|  30.00%|  25.00%|  45.00%
";

const TABLES: &str = "
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         6291456 |           16 |       0.05 |       0.13 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           6291456 |           16 |       0.05 |       0.13 |       0.00

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         4194304 |            6 |       0.03 |       0.05 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           4194304 |            6 |       0.03 |       0.05 |       0.00

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file
-------------------------------------------------------------------------------------------
     0 |         2097152 |           10 |       0.02 |       0.08 |       0.00 | testfile1.dat (10MiB)
-------------------------------------------------------------------------------------------
total:           2097152 |           10 |       0.02 |       0.08 |       0.00
";

#[test]
fn the_text_of_a_run_line_by_line() {
    assert_eq!(text(&asked("-D t"), &[result()]), format!("{HEAD}{TABLES}"));
}

#[test]
fn older_versions_are_shown_as_they_were() {
    let shown = text(&asked("--compat=2.0 -D t"), &[result()]);
    for part in [
        "\t\tblock size: 65536\n\t\tusing sequential I/O (stride: 65536)\n\t\tnumber of outstanding I/O operations: 2\n\
         \t\tthread stride size: 0\n\t\tthreads per file: 1\n",
        "\tstart time: 1970/01/01 00:00:00 UTC\n\n\nResults for timespan 1:\n",
        "thread count:\t\t1\nproc count:\t\t1\n\nCPU |  Usage |  User  |  Kernel |  Idle\n\
         -------------------------------------------\n   0|  55.00%|  30.00%|   25.00%|  45.00%\n",
        "| testfile1.dat (10240KiB)\n",
    ] {
        assert!(shown.contains(part), "{part}\nis missing in\n{shown}");
    }
    let shown = text(&asked("--compat=2.1 -L t"), &[result()]);
    for part in [
        "block size: 64KiB",
        "operations per thread: 2\n\t\tthreads per file",
        "proc count:",
        "\n\n\n\ntotal:\n  %-ile",
    ] {
        assert!(shown.contains(part), "{part}\nis missing in\n{shown}");
    }
}

#[test]
fn latency_columns_and_percentiles() {
    let shown = text(&asked("-L t"), &[result()]);
    let expected = "
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |         6291456 |           16 |       0.05 |       0.13 |    2.438 |     0.788 | testfile1.dat (10MiB)
-----------------------------------------------------------------------------------------------------
total:           6291456 |           16 |       0.05 |       0.13 |    2.438 |     0.788
";
    // Deviations come from buckets a thousandth wide, so the last digit may be off by one.
    let close = |line: &str| line.replace("0.787", "0.788").replace("0.789", "0.788");
    assert!(close(&shown).contains(expected), "{shown}");
    assert!(shown.contains("\nTotal latency distribution:\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n----------------------------------------------\n    min |      1.000 |      3.000 |      1.000\n"), "{shown}");
    let labels: Vec<&str> = shown
        .lines()
        .skip_while(|line| !line.starts_with("  %-ile"))
        .skip(2)
        .map(|line| line.split('|').next().unwrap().trim())
        .collect();
    let nines = ["3-nines", "4-nines", "5-nines", "6-nines", "7-nines", "8-nines", "9-nines"];
    let expected = [&["min", "25th", "50th", "75th", "90th", "95th", "99th"][..], &nines, &["max"]].concat();
    assert_eq!(labels, expected);
}

#[test]
fn a_direction_without_io_is_not_available() {
    let mut only_reads = result();
    only_reads.threads[0][0].write = Side::default();
    let shown = text(&asked("-L t"), &[only_reads]);
    assert!(shown.contains("    min |      1.000 |        N/A |      1.000\n"), "{shown}");
    assert!(
        shown.contains("|       0.00 |       0.00 |    0.000 |       N/A | testfile1.dat (10MiB)\n"),
        "{shown}"
    );
}

#[test]
fn each_property_has_its_line() {
    let cases: &[(&str, &str)] = &[
        ("-s100K t", "using sequential I/O (stride: 100KiB)"),
        ("-si t", "using interlocked sequential I/O (stride: 64KiB)"),
        ("-r t", "using random I/O (alignment: 64KiB)"),
        ("-rs40 t", "using mixed random/sequential I/O (40% random) (alignment/stride: 64KiB)"),
        ("-f2048000 t", "max file size: 1.95MiB"),
        ("-B2M t", "base file offset: 2MiB"),
        ("-t2 -T1M t", "thread stride size: 1MiB"),
        ("-g1000 t", "throughput rate-limited to 1000 B/ms"),
        ("-g1000i t", "throughput rate-limited to 1000 IOPS"),
        ("-w30 t", "performing mix test (read/write ratio: 70/30)"),
        ("-w100 t", "performing write test"),
        ("-Z12341234 t", "write buffer size: 11.77MiB\n\t\twrite buffer source: random fill"),
        ("-Z1M,src.dat t", "write buffer size: 1MiB\n\t\twrite buffer source: 'src.dat'"),
        ("-Z t", "zeroing write buffers"),
        ("-Su t", "software cache disabled\n\t\tusing hardware write cache, writethrough off"),
        ("-Sh t", "software cache disabled\n\t\thardware write cache disabled, writethrough on"),
        ("-Sw t", "using software cache\n\t\thardware and software write caches disabled, writethrough on"),
        ("-Sr t", "local software cache disabled, remote cache enabled"),
        ("-Sm t", "memory mapped I/O enabled\n"),
        ("-Sm -Nv t", "memory mapped I/O enabled, flush mode: FlushViewOfFile"),
        ("-Sm -Nn t", "flush mode: FlushNonVolatileMemory\n"),
        ("-Sm -Ni t", "flush mode: FlushNonVolatileMemory with no drain"),
        ("-p t", "using parallel async I/O"),
        (
            "-frst t",
            "using FILE_FLAG_SEQUENTIAL_SCAN hint\n\t\tusing FILE_FLAG_RANDOM_ACCESS hint\n\t\tusing FILE_ATTRIBUTE_TEMPORARY hint",
        ),
        ("-I1 t", "IO priority: very low"),
        ("-I2 t", "IO priority: low"),
        ("-x t", "using completion routines (ReadFileEx/WriteFileEx)"),
        ("-i5 -j10 t", "think time: 10ms\n\t\tburst size: 5"),
        ("-n t", "\taffinity disabled\n"),
        ("-a0,g1,2 t", "\tadvanced affinity round robin (group/core): 0/0, 1/2\n"),
        ("-L t", "\tmeasuring latency\n"),
        ("-F3 t", "\tthread pool with 3 threads\n\tnumber of outstanding I/O operations per thread: 0\n"),
        ("-F3 -O7 t", "\tnumber of outstanding I/O operations per thread: 7\n"),
        ("-F3 -O7 t", "relative IO weight in thread pool: 1"),
        ("-Zr t", "\tgenerating random data for each write IO\n\t  WARNING: this increases the CPU cost"),
        ("-v t", "Input parameters:\n\n\tusing verbose mode\n\ttimespan:   1\n"),
        ("-:3 t", "Experiment Flags: 0x3"),
        ("-Rp *1", "path: template target '1'"),
        (
            "-r -rdpct10/10:90/90 t",
            "IO Distribution:\n\t\t    10% of IO => [ 0% -  10%) of target\n\t\t    90% of IO => [10% - 100%) of target",
        ),
        (
            "-r -rdabs10/1G t",
            "\t\t    10% of IO => [     0    -      1GiB)\n\t\t    90% of IO => [     1GiB -       end)",
        ),
    ];
    for (words, part) in cases {
        let shown = profile_text(&asked(words), "diskspd");
        assert!(shown.contains(part), "{words}: {part}\nis missing in\n{shown}");
    }
    let absent = profile_text(&asked("-o1 -F2 -r t"), "diskspd");
    assert!(!absent.contains("threads per file") && !absent.contains("Completion Ports"), "{absent}");
}

#[test]
fn what_a_distribution_came_to_is_shown_with_its_threads() {
    let range = |from, io, start, length| EffectiveRange { from, io, start, length };
    let spread =
        vec![range(0, 10, 0, 1 << 30), range(10, 20, 1 << 30, 1 << 30), range(30, 30, 2 << 30, 3 << 29)];
    let mut run = result();
    run.threads[0][0].spread = spread;
    run.threads = vec![run.threads[0].clone(), run.threads[0].clone(), run.threads[0].clone()];
    let shown = text(&asked("-r t"), &[run]);
    let expected = "
Effective IO Distributions
--------------------------
target: testfile1.dat [thread: 0 - 2]
    16.7% of IO => [     0    -      1GiB)
    33.3% of IO => [     1GiB -      2GiB)
    50.0% of IO => [     2GiB -   3.50GiB)

Total IO
";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn several_timespans_have_totals_and_one_that_was_cut_off_says_so() {
    let two = with_targets("<Target><Path>t</Path></Target>", "");
    let span = &two[two.find("<TimeSpan>").unwrap()..two.find("</TimeSpans>").unwrap()].to_owned();
    let profile = two.replace(span, &format!("{span}{span}"));
    let Ok(diskspd::Request::Do(asked)) = line_with("-Xp", &profile) else { panic!("refused") };
    let shown = text(&asked, &[result(), SpanResult::default()]);
    assert!(shown.contains("Results for timespan 2:\n*******************************************************************************\nThe test was interrupted before the measurements began. No results are displayed.\n"), "{shown}");
    let expected = "

Totals:
*******************************************************************************

type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s
-------------------------------------------------------------------------------
write  |         2097152 |           10 |       0.02 |       0.08
read   |         4194304 |            6 |       0.03 |       0.05
-------------------------------------------------------------------------------
total  |         6291456 |           16 |       0.05 |       0.13

total test time:\t120.00s
";
    assert!(shown.ends_with(expected), "{shown}");
    assert!(xml(&asked, &[result(), SpanResult::default()]).contains("<Error>The test was interrupted"));
}

#[test]
fn cpus_have_columns_for_what_there_is_more_than_one_of() {
    let place = |number: u32| CpuPlace {
        number,
        socket: number / 64,
        node: number / 64,
        core: number / 2,
        class: number % 2,
    };
    let cpus: Vec<CpuPlace> = [0, 1, 64, 65].map(place).to_vec();
    let system = System { cpus, ..machine() };
    let used = [0, 1, 64, 65].map(|number| CpuUse { number, user: 1, kernel: 1, idle: 2 }).to_vec();
    let run = SpanResult { cpus: used, ..result() };
    let asked = asked("t");
    let presented = DiskSpdReport { asked: &asked, command_line: "diskspd", system: &system, spans: &[run] };
    let shown = results_text(&presented);
    let expected = "
Socket | Node | Group | Core | Class | CPU |  Usage |  User  | Kernel |  Idle
-------------------------------------------------------------------------------
      0|     0|      0|     0|     0 |    0|  50.00%|  25.00%|  25.00%|  50.00%
      0|     0|      0|     0|     1P|    1|  50.00%|  25.00%|  25.00%|  50.00%
      1|     1|      1|    32|     0 |    0|  50.00%|  25.00%|  25.00%|  50.00%
      1|     1|      1|    32|     1P|    1|  50.00%|  25.00%|  25.00%|  50.00%
-------------------------------------------------------------------------------
                                       avg.|  50.00%|  25.00%|  25.00%|  50.00%
";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains("\tcore count:\t\t2\n\tgroup count:\t\t2\n\tnode count:\t\t2\n\tsocket count:\t\t2\n\theterogeneous cores:\ty\n"), "{shown}");
}

#[test]
fn the_xml_of_a_run_line_by_line() {
    let shown = xml(&asked("-D testfile1.dat"), &[result()]);
    let profile_start = shown.find("  <Profile>").unwrap();
    let expected_head = "<Results>
  <System>
    <ComputerName>box</ComputerName>
    <Tool>
      <Version>2.2.0</Version>
      <VersionDate>2024/6/3</VersionDate>
    </Tool>
    <RunTime>1970/01/01 00:00:00 UTC</RunTime>
    <PowerScheme Name=\"performance\" Guid=\"\"/>
    <ProcessorTopology Heterogeneous=\"false\">
      <Group Group=\"0\" MaximumProcessors=\"1\" ActiveProcessors=\"1\" ActiveProcessorMask=\"0x1\"/>
      <Node Node=\"0\">
        <Group Group=\"0\" Mask=\"0x1\"/>
      </Node>
      <Socket Socket=\"0\">
        <Group Group=\"0\" Mask=\"0x1\"/>
      </Socket>
      <Core Group=\"0\" Core=\"0\" Mask=\"0x1\" EfficiencyClass=\"0\"/>
    </ProcessorTopology>
  </System>
";
    assert_eq!(&shown[..profile_start], expected_head);
    let start = shown.find("  </Profile>\n").unwrap() + "  </Profile>\n".len();
    let bucket = |ms: u64| {
        format!(
            "<Bucket SampleMillisecond=\"{ms}\" Read=\"1\" Write=\"0\" Total=\"1\" ReadMinLatencyMilliseconds=\"0.000\" ReadMaxLatencyMilliseconds=\"0.000\" ReadAvgLatencyMilliseconds=\"0.000\" ReadLatencyStdDev=\"0.000\" WriteMinLatencyMilliseconds=\"0.000\" WriteMaxLatencyMilliseconds=\"0.000\" WriteAvgLatencyMilliseconds=\"0.000\" WriteLatencyStdDev=\"0.000\"/>\n"
        )
    };
    let buckets =
        |indent: &str| (1..=10).map(|at| format!("{indent}{}", bucket(at * 1000))).collect::<String>();
    let expected = format!(
        "  <TimeSpan>
    <TestTimeSeconds>120.00</TestTimeSeconds>
    <ThreadCount>1</ThreadCount>
    <RequestCount>0</RequestCount>
    <ProcCount>1</ProcCount>
    <CpuUtilization>
      <CPU>
        <Socket>0</Socket>
        <Node>0</Node>
        <Group>0</Group>
        <Core>0</Core>
        <EfficiencyClass>0</EfficiencyClass>
        <Id>0</Id>
        <UsagePercent>55.00</UsagePercent>
        <UserPercent>30.00</UserPercent>
        <KernelPercent>25.00</KernelPercent>
        <IdlePercent>45.00</IdlePercent>
      </CPU>
      <Average>
        <UsagePercent>55.00</UsagePercent>
        <UserPercent>30.00</UserPercent>
        <KernelPercent>25.00</KernelPercent>
        <IdlePercent>45.00</IdlePercent>
      </Average>
    </CpuUtilization>
    <Iops>
      <ReadIopsStdDev>0.000</ReadIopsStdDev>
      <IopsStdDev>0.000</IopsStdDev>
{}    </Iops>
    <Thread>
      <Id>0</Id>
      <Target>
        <Path>testfile1.dat</Path>
        <BytesCount>6291456</BytesCount>
        <FileSize>10485760</FileSize>
        <IOCount>16</IOCount>
        <ReadBytes>4194304</ReadBytes>
        <ReadCount>6</ReadCount>
        <WriteBytes>2097152</WriteBytes>
        <WriteCount>10</WriteCount>
        <Iops>
          <ReadIopsStdDev>0.000</ReadIopsStdDev>
          <IopsStdDev>0.000</IopsStdDev>
{}        </Iops>
      </Target>
    </Thread>
  </TimeSpan>
</Results>",
        buckets("      "),
        buckets("          ")
    );
    assert_eq!(&shown[start..], expected);
}

#[test]
fn the_machine_alone_can_be_shown() {
    assert!(
        system_text(&machine(), diskspd::Compat::V22)
            .starts_with("System information:\n\n\tcomputer name: box\n")
    );
    assert!(diskspd::system_xml(&machine()).starts_with("<System>\n  <ComputerName>box"));
}

//! DiskSpd's text of 2.0 to 2.3 and its XML.

use crate::vocabulary::*;

/// The layout of 2.0: TABs, bytes in full, `MB/s`, `total:` above the percentiles, CRLF.
pub fn old() -> String {
    "
Command Line: diskspd.exe -c1G -b8K -d30 -o4 -t2 -h -r -w25 -L C:\\io\\test 1.dat

Input parameters:

\ttimespan:   1
\t-------------
\tduration: 30s
\twarm up time: 5s
\trandom seed: 0
\tpath: 'C:\\io\\test 1.dat'
\t\tthink time: 0ms
\t\tperforming mix test (read/write ratio: 75/25)
\t\tblock size: 8192
\t\tusing random I/O (alignment: 8192)
\t\tnumber of outstanding I/O operations: 4
\t\tthread stride size: 0
\t\tthreads per file: 2


Results for timespan 1:
*******************************************************************************

actual test time:\t30.00s
thread count:\t\t2
proc count:\t\t2

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|  12.34%|   5.00%|    7.34%|  87.66%
   1|   2.00%|   1.50%|    0.50%|  98.00%
-------------------------------------------
avg.|   7.17%|   3.25%|    3.92%|  92.83%

Total IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       245760000 |        30000 |       7.81 |    1000.00 |    4.001 |     1.250 | C:\\io\\test 1.dat (1024MB)
     1 |       122880000 |        15000 |       3.91 |     500.00 |    8.002 |       N/A | C:\\io\\test 1.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:         368640000 |        45000 |      11.72 |    1500.00 |    5.335 |     1.500

Read IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       184320000 |        22500 |       5.86 |     750.00 |    4.101 |     1.250 | C:\\io\\test 1.dat (1024MB)
     1 |        92160000 |        11250 |       2.93 |     375.00 |    8.102 |     1.750 | C:\\io\\test 1.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:         276480000 |        33750 |       8.79 |    1125.00 |    5.435 |     1.600

Write IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |        61440000 |         7500 |       1.95 |     250.00 |    3.901 |     1.250 | C:\\io\\test 1.dat (1024MB)
     1 |        30720000 |         3750 |       0.98 |     125.00 |    7.902 |     1.750 | C:\\io\\test 1.dat (1024MB)
-----------------------------------------------------------------------------------------------------
total:          92160000 |        11250 |       2.93 |     375.00 |    5.235 |     1.400


total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.086 |      0.199 |      0.086
   50th |      5.214 |      0.978 |      1.128
   99th |     17.406 |      9.024 |     16.098
3-nines |     34.938 |     25.804 |     34.360
9-nines |     38.058 |     35.514 |     38.058
    max |     38.058 |     35.514 |     38.058
"
    .replace('\n', "\r\n")
}

const OLD: &[Row] = &[
    ("timespan 1", "all bytes", 368_640_000.0, ""),
    ("timespan 1", "all ops", 45_000.0, ""),
    ("timespan 1", "all rate", 11.72, "MiB/s"),
    ("timespan 1", "all iops", 1500.0, ""),
    ("timespan 1", "all lat mean", 5.335, "ms"),
    ("timespan 1", "all lat stddev", 1.5, "ms"),
    ("timespan 1", "read iops", 1125.0, ""),
    ("timespan 1", "write iops", 375.0, ""),
    ("timespan 1", "read lat min", 0.086, "ms"),
    ("timespan 1", "write lat p50", 0.978, "ms"),
    ("timespan 1", "all lat p99", 16.098, "ms"),
    ("timespan 1", "read lat p99.9", 34.938, "ms"),
    ("timespan 1", "read lat p99.9999999", 38.058, "ms"),
    ("timespan 1", "write lat max", 35.514, "ms"),
    ("thread 0 on C:\\io\\test 1.dat", "all rate", 7.81, "MiB/s"),
    ("thread 1 on C:\\io\\test 1.dat", "all lat mean", 8.002, "ms"),
    ("thread 1 on C:\\io\\test 1.dat", "write lat stddev", 1.75, "ms"),
    ("cpu 0", "cpu.usage", 12.34, "%"),
    ("cpu 1", "cpu.idle", 98.0, "%"),
    ("cpu avg.", "cpu.system", 3.92, "%"),
];

#[test]
fn the_text_of_2_0_is_read_in_full() {
    let import = imported(&old());
    assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd up to 2.0.20 text"], &vec![]));
    holds(&import.runs[0], OLD);
    let whole = part(&import.runs[0], "timespan 1");
    assert_eq!((whole.runtime.unwrap().0, whole.clones), (30_000_000_000, Some(2)));
    assert_eq!(whole.asked_for("block size"), Some("8192"));
    assert_eq!(whole.asked_for("performing mix test (read/write ratio)"), Some("75/25"));
    assert_eq!(whole.asked_for("using random I/O (alignment)"), Some("8192"));
    let command = whole.asked_for("command").unwrap();
    assert!(command.starts_with("diskspd.exe -c1G -b8K"), "{command}");
    let second = part(&import.runs[0], "thread 1 on C:\\io\\test 1.dat");
    assert_eq!(figure(second, "all lat stddev"), None, "N/A is no figure");
}

/// The layout of 2.2: cores, deviations of the rate, `Total latency distribution:`, no writes.
pub fn new(indent: &str) -> String {
    format!(
        "
Command Line: diskspd -b64K -D -L x.dat

Input parameters:

{indent}timespan:   1
{indent}-------------
{indent}duration: 5s

System information:

{indent}computer name: HOST
{indent}start time: 2026/11/21 10:00:00 UTC

Results for timespan 1:
*******************************************************************************

actual test time:\t5.01s
thread count:\t\t1

Core | CPU |  Usage |  User  | Kernel |  Idle
----------------------------------------
    0|    0|  10.00%|   4.00%|   6.00%|  90.00%
    0|    1|  20.00%|   8.00%|  12.00%|  80.00%
----------------------------------------
     avg.|  15.00%|   6.00%|   9.00%|  85.00%

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       655360000 |        10000 |     124.75 |    1996.01 |    1.001 |      12.34 |     0.250 | x.dat (64MiB)
------------------------------------------------------------------------------------------------------------------
total:         655360000 |        10000 |     124.75 |    1996.01 |    1.001 |      12.34 |     0.250

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       655360000 |        10000 |     124.75 |    1996.01 |    1.001 |      12.34 |     0.250 | x.dat (64MiB)
------------------------------------------------------------------------------------------------------------------
total:         655360000 |        10000 |     124.75 |    1996.01 |    1.001 |      12.34 |     0.250

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |               0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A | x.dat (64MiB)
------------------------------------------------------------------------------------------------------------------
total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A


Total latency distribution:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.500 |        N/A |      0.500
   95th |      1.800 |        N/A |      1.800
    max |      9.750 |        N/A |      9.750
"
    )
}

#[test]
fn the_text_of_2_2_and_2_3_has_more_columns_and_no_direction_without_ios() {
    // A console makes blanks of tabs.
    for indent in ["\t", "  "] {
        let import = imported(&new(indent));
        assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd 2.2 or later text"], &vec![]));
        holds(
            &import.runs[0],
            &[
                ("timespan 1", "read rate", 124.75, "MiB/s"),
                ("timespan 1", "read iops.stddev", 12.34, ""),
                ("timespan 1", "read lat stddev", 0.25, "ms"),
                ("timespan 1", "read lat p95", 1.8, "ms"),
                ("timespan 1", "all lat max", 9.75, "ms"),
                ("cpu 1", "cpu.usage", 20.0, "%"),
                ("cpu avg.", "cpu.usage", 15.0, "%"),
            ],
        );
        let whole = part(&import.runs[0], "timespan 1");
        assert!(whole.of(Some(workload::Direction::Write)).is_none(), "nothing was written");
        assert!(whole.said.contains(&("computer name".to_owned(), "HOST".to_owned())));
    }
}

#[test]
fn tables_that_were_pasted_alone_are_read_too() {
    let text = new("\t");
    let tables = &text[text.find("Total IO").unwrap()..];
    holds(
        &imported(tables).runs[0],
        &[("timespan 1", "all iops", 1996.01, ""), ("timespan 1", "read lat p95", 1.8, "ms")],
    );
    let barred = "Total IO\n| thread | bytes | I/Os | MiB/s | I/O per s | file |\n| 0 | 8192 | 2 | 0.50 | 64.00 | x (1MiB) |\n";
    holds(&imported(barred).runs[0], &[("thread 0 on x", "all iops", 64.0, "")]);
}

#[test]
fn without_the_total_its_figures_are_sums_of_reads_and_writes() {
    let text = old();
    let import = imported(&text[text.find("Read IO").unwrap()..]);
    assert_eq!(import.troubles, []);
    let run = &import.runs[0];
    holds(
        run,
        &[
            ("timespan 1", "read iops", 1125.0, ""),
            ("timespan 1", "write ops", 11_250.0, ""),
            ("timespan 1", "all iops", 1500.0, ""),
            ("timespan 1", "all bytes", 368_640_000.0, ""),
            ("timespan 1", "all rate", 11.72, "MiB/s"),
            ("timespan 1", "all lat p99", 16.098, "ms"),
        ],
    );
    assert!(
        !lacks(run).contains(&"rates") && run.events[0].text.contains("'Total IO' is cut off"),
        "{:?}",
        run.events
    );
    assert_eq!(figure(part(run, "timespan 1"), "all iops").unwrap().printed, "1125.00 + 375.00");
}

/// The layout of 2.2.
pub const XML: &str = "<Results>
  <System>
    <ComputerName>HOST</ComputerName>
    <Tool>
      <Version>2.2</Version>
      <VersionDate>2024/6/3</VersionDate>
    </Tool>
    <RunTime>2026/11/21 10:00:00 UTC</RunTime>
  </System>
  <Profile>
    <TimeSpans>
      <TimeSpan>
        <Duration>5</Duration>
        <Targets>
          <Target>
            <Path>a&b.dat</Path>
            <BlockSize>4096</BlockSize>
            <WriteRatio>30</WriteRatio>
          </Target>
        </Targets>
      </TimeSpan>
    </TimeSpans>
  </Profile>
  <TimeSpan>
    <TestTimeSeconds>5.01</TestTimeSeconds>
    <ThreadCount>1</ThreadCount>
    <CpuUtilization>
      <CPU>
        <Id>0</Id>
        <UsagePercent>12.50</UsagePercent>
        <UserPercent>5.00</UserPercent>
        <KernelPercent>7.50</KernelPercent>
        <IdlePercent>87.50</IdlePercent>
      </CPU>
      <Average>
        <UsagePercent>12.50</UsagePercent>
      </Average>
    </CpuUtilization>
    <Latency>
      <AverageReadMilliseconds>1.250</AverageReadMilliseconds>
      <ReadLatencyStdev>0.500</ReadLatencyStdev>
      <AverageTotalMilliseconds>1.250</AverageTotalMilliseconds>
      <LatencyStdev>0.500</LatencyStdev>
      <Bucket><Percentile>0</Percentile><ReadMilliseconds>0.125</ReadMilliseconds><TotalMilliseconds>0.125</TotalMilliseconds></Bucket>
      <Bucket><Percentile>99.9</Percentile><ReadMilliseconds>4.500</ReadMilliseconds><TotalMilliseconds>4.500</TotalMilliseconds></Bucket>
      <Bucket><Percentile>100</Percentile><ReadMilliseconds>5.125</ReadMilliseconds><TotalMilliseconds>5.125</TotalMilliseconds></Bucket>
    </Latency>
    <Iops>
      <ReadIopsStdDev>3.500</ReadIopsStdDev>
      <Bucket SampleMillisecond=\"1000\" Read=\"700\" Write=\"0\" Total=\"700\"/>
      <Bucket SampleMillisecond=\"2000\" Read=\"0\" Write=\"0\" Total=\"0\"/>
    </Iops>
    <Thread>
      <Id>0</Id>
      <Target>
        <Path>a&b.dat</Path>
        <BytesCount>14340096</BytesCount>
        <FileSize>1073741824</FileSize>
        <IOCount>3501</IOCount>
        <ReadBytes>14340096</ReadBytes>
        <ReadCount>3501</ReadCount>
        <WriteBytes>0</WriteBytes>
        <WriteCount>0</WriteCount>
        <AverageReadLatencyMilliseconds>1.250</AverageReadLatencyMilliseconds>
        <ReadLatencyStdev>0.500</ReadLatencyStdev>
      </Target>
    </Thread>
  </TimeSpan>
</Results>";

#[test]
fn the_xml_is_read_in_full_although_it_escapes_no_path() {
    let import = imported(XML);
    assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd 2.2 XML"], &vec![]));
    holds(
        &import.runs[0],
        &[
            ("timespan 1", "read lat mean", 1.25, "ms"),
            ("timespan 1", "read lat min", 0.125, "ms"),
            ("timespan 1", "read lat p99.9", 4.5, "ms"),
            ("timespan 1", "all lat max", 5.125, "ms"),
            ("timespan 1", "read iops.stddev", 3.5, ""),
            ("thread 0 on a&b.dat", "read bytes", 14_340_096.0, ""),
            ("thread 0 on a&b.dat", "read ops", 3501.0, ""),
            ("thread 0 on a&b.dat", "file_size", 1.0, "GiB"),
            ("cpu 0", "cpu.system", 7.5, "%"),
            ("cpu avg.", "cpu.usage", 12.5, "%"),
        ],
    );
    let whole = part(&import.runs[0], "timespan 1");
    assert_eq!(whole.asked_for("BlockSize"), Some("4096"));
    let rates =
        whole.series.iter().find(|series| series.direction == Some(workload::Direction::Read)).unwrap();
    assert_eq!(rates.points, [(1_000_000_000, 700.0), (2_000_000_000, 0.0)]);
    assert_eq!(
        figure(part(&import.runs[0], "thread 0 on a&b.dat"), "read iops"),
        None,
        "no rate stands there"
    );
    assert_eq!(whole.said[0], ("host".to_owned(), "HOST".to_owned()));
}

#[test]
fn xml_that_was_cut_short_is_read_up_to_there() {
    let cut = &XML[..XML.find("<WriteBytes>").unwrap() + 14];
    let import = imported(cut);
    assert_eq!(import.troubles.len(), 1, "{:?}", import.troubles);
    assert_eq!(import.troubles[0].line as usize, cut.lines().count());
    holds(
        &import.runs[0],
        &[("thread 0 on a&b.dat", "read ops", 3501.0, ""), ("cpu 0", "cpu.user", 5.0, "%")],
    );
}

#[test]
fn tables_that_markdown_drew_or_broke_have_every_figure() {
    let import = imported(include_str!("fixtures/diskspd-markdown.txt"));
    assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd of an unknown version text"], &vec![]));
    holds(
        &import.runs[0],
        &[
            ("timespan 1", "all iops", 8000.0, ""),
            ("timespan 1", "all rate", 62.5, "MiB/s"),
            ("timespan 1", "all lat mean", 8.0015, "ms"),
            ("timespan 1", "read iops", 5600.0, ""),
            ("timespan 1", "write lat p99", 19.024, "ms"),
            ("timespan 1", "all lat max", 38.058, "ms"),
            ("thread 1 on D:\\io.dat", "all lat stddev", 2.501, "ms"),
        ],
    );
    // Rulers below a line make it a heading.
    let import = imported(include_str!("fixtures/diskspd-headings.txt"));
    assert_eq!((tools(&import), &import.troubles), (vec!["DiskSpd up to 2.0.20 text"], &vec![]));
    holds(
        &import.runs[0],
        &[
            ("timespan 1", "all iops", 799.93, ""),
            ("timespan 1", "read bytes", 6_291_456_000.0, ""),
            ("cpu avg.", "cpu.usage", 1.0, "%"),
        ],
    );
    assert!(part(&import.runs[0], "timespan 1").asked.iter().all(|(name, _)| !name.contains('`')));
}

#[test]
fn percentiles_by_themselves_are_a_result() {
    let all = old();
    let import = imported(&all[all.find("total:\r\n").unwrap()..]);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[("timespan 1", "write lat p50", 0.978, "ms"), ("timespan 1", "all lat p99.9", 34.36, "ms")],
    );
    // Markdown with bars at the end of each row alone.
    let import = imported(
        "%-ile | Read (ms) | Write (ms) | Total (ms) |\n---|---|---|---|\nmin | 0.125 | N/A | 0.125 |\n3-nines | 4.5 | N/A | 4.5 |\n",
    );
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], &[("timespan 1", "read lat p99.9", 4.5, "ms")]);
}

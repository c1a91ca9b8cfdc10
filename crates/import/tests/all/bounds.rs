//! Of a text that holds very much, as much is kept as a run file has room for, and the rest is counted.

use import::{Import, Input, read};

fn import(text: &str) -> Import {
    read(Input { name: "-", bytes: text.as_bytes() }, &[]).unwrap()
}

fn notes_of(text: &str) -> (usize, Vec<String>) {
    let import = import(text);
    (import.runs.len(), import.notes)
}

fn results_beyond(more: usize) -> String {
    format!("200 results are read at once; {more} more stand there: give the rest by itself")
}

#[test]
fn of_very_many_results_two_hundred_are_read_and_the_others_counted() {
    let dd = "1 bytes (1 B) copied, 1 s, 1 MB/s\n".repeat(20_000);
    assert_eq!(notes_of(&dd), (200, vec![results_beyond(19_800)]));
    let ioping = "--- . (ext4 /dev/a) ioping statistics ---\n1 requests completed in 1 ms, 1 iops, 1 mb/s\n";
    assert_eq!(notes_of(&ioping.repeat(5000)).1[0], results_beyond(4800));
}

#[test]
fn of_very_many_parts_the_first_are_kept_and_the_others_counted() {
    let timing = " Timing buffered disk reads: 1178 MB in  3.00 seconds = 392.62 MB/sec\n";
    let found = import(&format!("/dev/vda:\n{}", timing.repeat(10_000)));
    assert_eq!((found.runs.len(), found.runs[0].reported.len()), (1, 8192));
    let told =
        "8192 jobs, groups and devices are read at once; 1808 more stand there: give the rest by itself";
    assert_eq!(found.notes, [told]);
}

#[test]
fn figures_of_a_job_beyond_go_to_no_other() {
    let jobs: String = (0..9000)
        .map(|job| {
            format!(
                "job{job}: (groupid=0, jobs=1): err= 0: pid={job}: Fri Apr 20 17:14:19 2018\n\
                 \x20 read: IOPS={}, BW=4KiB/s (4kB/s)(4KiB/1000msec)\n",
                job + 1
            )
        })
        .collect();
    let found = import(&format!(
        "fio-3.33\n{jobs}\nRun status group 0 (all jobs):\n\
         \x20  READ: bw=4KiB/s (4kB/s), 4KiB/s-4KiB/s (4kB/s-4kB/s), io=4KiB (4kB), run=1000-1000msec\n"
    ));
    let parts = &found.runs[0].reported;
    assert_eq!(parts.len(), 8192);
    for (part, number) in parts.iter().zip(1..) {
        let [way] = part.directions.as_slice() else { panic!("{part:?}") };
        assert_eq!(way.iops.as_ref().map(|figure| figure.value), Some(f64::from(number)), "{}", part.job);
    }
}

/// `fio --status-interval` prints the same run again and again: however often, the last print counts.
#[test]
fn a_run_that_was_printed_very_often_is_still_one() {
    let print = |io: usize| {
        format!(
            "a: (groupid=0, jobs=1): err= 0: pid=7: Fri Apr 20 17:14:19 2018\n\
             \x20 read: IOPS={io}, BW=4KiB/s (4kB/s)(4KiB/1000msec)\n\
             Run status group 0 (all jobs):\n\
             \x20  READ: bw=4KiB/s (4kB/s), 4KiB/s-4KiB/s (4kB/s-4kB/s), io=4KiB (4kB), run=1000-1000msec\n\n"
        )
    };
    let found = import(&(1..=9000).map(print).collect::<String>());
    let iops = found.runs[0].reported[0].directions[0].iops.as_ref().map(|figure| figure.value);
    assert_eq!((found.runs.len(), iops), (1, Some(9000.0)));
    assert!(found.notes.iter().any(|note| note.starts_with("8999 earlier prints")), "{:?}", found.notes);
}

/// Each place was once counted from the start of the text, which took minutes for this one.
#[test]
fn places_in_xml_of_very_many_time_spans_are_right() {
    let span = "<TimeSpan>\n<TestTimeSeconds>x</TestTimeSeconds><ThreadCount>1</ThreadCount>\
                <CpuUtilization><Cpu><UsagePercent>1</UsagePercent></Cpu></CpuUtilization></TimeSpan>";
    let found = import(&format!("\n<Results>{}</Results>\n", span.repeat(3000)));
    assert_eq!((found.runs.len(), found.runs[199].reported[0].line), (200, 201));
    assert!(found.notes.contains(&results_beyond(2800)), "{:?}", found.notes);
    assert_eq!(found.troubles.len(), 1000);
    assert_eq!((found.troubles[999].line, found.troubles[999].column), (1002, 1));
}

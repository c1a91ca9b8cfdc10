//! Results whose lines something broke, numbered, closed or joined: the figures are those of the bare result.

use crate::vocabulary::*;

const FIO: &str = include_str!("fixtures/fio-3.33.txt");

/// Asserts that `text` gives the same result, with nothing lost.
fn same(text: &str, what: &str) {
    let (wanted, found) = (imported(FIO), imported(text));
    assert_eq!(found.troubles, [], "{what}");
    assert_eq!(found.runs.len(), wanted.runs.len(), "{what}");
    let (found_all, wanted_all) = (figures_of(&found.runs[0]), figures_of(&wanted.runs[0]));
    let lost: Vec<_> = wanted_all.iter().filter(|figure| !found_all.contains(figure)).take(5).collect();
    assert_eq!(lost, Vec::<&String>::new(), "{what}");
    assert_eq!(found_all.len(), wanted_all.len(), "{what}");
    assert_eq!(tools(&found), tools(&wanted), "{what}");
}

/// Returns names, options and figures, one string each, so that their order does not matter.
fn figures_of(run: &record::Run) -> Vec<String> {
    let of = |part: &record::ReportedPart| {
        let asked = part.asked.iter().map(|pair| format!("{}: {pair:?}", part.job)).collect::<Vec<_>>();
        let figures = figures(part).into_iter().map(|pair| format!("{}: {pair:?}", part.job));
        asked.into_iter().chain(figures).collect::<Vec<_>>()
    };
    run.reported.iter().flat_map(of).collect()
}

fn each_line(change: impl Fn((usize, &str)) -> String) -> String {
    FIO.lines().enumerate().map(change).collect()
}

#[test]
fn a_terminal_of_any_width_breaks_no_figure() {
    for width in [70, 80, 100, 120] {
        let broken = each_line(|(_, line)| {
            let letters: Vec<char> = line.chars().collect();
            let pieces: Vec<String> = letters.chunks(width).map(|piece| piece.iter().collect()).collect();
            format!("{}\n", pieces.join("\n"))
        });
        same(&broken, &format!("{width} columns"));
    }
}

#[test]
fn numbers_quotes_and_boxes_around_lines_change_no_figure() {
    same(&each_line(|(number, line)| format!("{:6}\t{line}\n", number + 1)), "cat -n");
    same(&each_line(|(number, line)| format!("{}:{line}\n", number + 1)), "grep -n");
    same(&each_line(|(number, line)| format!("{:4} | {line}\n", number + 1)), "a listing");
    same(&each_line(|(_, line)| format!("        \"{line}\",\n")), "a list of strings");
    same(&each_line(|(_, line)| format!("│ {line:<100} │\n")), "a box");
    same(&each_line(|(_, line)| format!("| {line}\n")), "a bar");
    same(&FIO.replace('\n', "\\n"), "ends of lines written out");
    same(&format!("msg: 'it said\\n{}'", FIO.replace('\n', "\\n").replace('\t', "\\t")), "a field of a log");
}

#[test]
fn where_all_lines_are_whole_none_are_put_together() {
    // Two lines as wide as the widest: joined, they would be one result with other figures.
    let one = "a: (groupid=0, jobs=1): err= 0: pid=1: Mon Nov 23 09:49:01 2026\n  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n";
    let two = one.replace("a: (", "b: (").replace("IOPS=100", "IOPS=222");
    let import = imported(&format!("{one}{two}"));
    assert_eq!(import.runs[0].reported.len(), 2);
    assert!(import.notes.iter().all(|note| !note.contains("put together")), "{:?}", import.notes);
}

#[test]
fn lines_of_two_containers_between_each_other_keep_to_their_own_jobs() {
    let other = FIO.replace("pid=19146", "pid=20000").replace("IOPS=4000,", "IOPS=4321,");
    let both: String =
        FIO.lines().zip(other.lines()).map(|(a, b)| format!("fio-0  | {a}\nfio-1  | {b}\n")).collect();
    let import = imported(&both);
    assert_eq!(import.troubles, []);
    let rates: Vec<f64> =
        import.runs.iter().map(|run| figure(part(run, "mixed"), "read iops").unwrap().value).collect();
    assert_eq!(rates, [4000.0, 4321.0]);
    assert_eq!(figures_of(&import.runs[0]), figures_of(&imported(FIO).runs[0]));
    assert!(import.notes.iter().any(|note| note.contains("containers")), "{:?}", import.notes);
}

#[test]
fn figures_of_other_locales_are_read_where_they_were_in_the_way() {
    let head = "a: (groupid=0, jobs=1): err= 0: pid=77: Wed Jan 10 10:00:00 2024\n";
    let german = format!(
        "{head}  read: IOPS=12,3k, BW=48,0MiB/s (50,4MB/s)(481MiB/10001msec)\n    clat (usec): min=90, max=20100, avg=1290,10, stdev=310,40\n    clat percentiles (usec):\n     |  1,00th=[  600], 99,00th=[ 2212], 99,99th=[12518]\n     issued rwts: total=152,148,0,5 short=0,0,0,0 dropped=0,0,0,0\n"
    );
    let import = imported(&german);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[
            ("a", "read iops", 12_300.0, ""),
            ("a", "read ops", 152.0, ""),
            ("a", "read clat mean", 1290.1, "us"),
            ("a", "read clat p99.99", 12_518.0, "us"),
        ],
    );
    let grouped = format!(
        "{head}  write: IOPS=1,234, BW=4,936KiB/s (5,054kB/s)(48.2MiB/10,001msec); 0 zone resets\n    clat (usec): min=90, max=20,100, avg=1,290.10, stdev=310.40\n     issued rwts: total=0,12340,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    );
    let import = imported(&grouped);
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[
            ("a", "write iops", 1234.0, ""),
            ("a", "write rate", 4936.0, "KiB/s"),
            ("a", "write runtime", 10_001.0, "ms"),
            ("a", "write ops", 12_340.0, ""),
            ("a", "write clat max", 20_100.0, "us"),
            ("a", "write clat mean", 1290.1, "us"),
        ],
    );
}

#[test]
fn a_table_of_iostat_in_markdown_is_read_without_its_bars() {
    let text = "| Device | r/s | w/s | rkB/s | wkB/s | r_await | %util |\n|---|--:|---|---|---|---|---|\n| nvme0n1 | 1200.00 | 300.00 | 4800.00 | 1200.00 | 0.30 | 45.20 |\n| nvme1n1 | 0.00 | 3.00 | 0.00 | 12.00 | 0.00 | 0.20 |\n";
    let import = imported(text);
    assert_eq!(import.troubles, []);
    let devices = &import.runs[0].observed.as_ref().unwrap().devices;
    assert_eq!(devices.iter().map(|device| device.name.as_str()).collect::<Vec<_>>(), ["nvme0n1", "nvme1n1"]);
}

//! Results whose lines something broke, numbered, closed or joined: the figures are those of the result alone.

use crate::vocabulary::*;

const FIO: &str = include_str!("fixtures/fio-3.33.txt");

/// The same result, of which nothing is lost.
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

/// Names, options and figures, each as a line; they may stand elsewhere.
fn figures_of(run: &record::Run) -> Vec<String> {
    let of = |part: &record::Reported| {
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
    // Two lines as wide as the widest: joined they would be one result with other figures.
    let one = "a: (groupid=0, jobs=1): err= 0: pid=1: Mon Nov 23 09:49:01 2026\n  read: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)\n";
    let two = one.replace("a: (", "b: (").replace("IOPS=100", "IOPS=222");
    let import = imported(&format!("{one}{two}"));
    assert_eq!(import.runs[0].reported.len(), 2);
    assert!(import.notes.iter().all(|note| !note.contains("put together")), "{:?}", import.notes);
}

#[test]
fn rulers_of_equals_signs_are_no_mail() {
    let import = imported(include_str!("fixtures/dbench.txt"));
    assert_eq!(import.notes, Vec::<String>::new());
}

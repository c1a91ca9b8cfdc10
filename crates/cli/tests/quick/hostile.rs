//! Files made to do harm: run files, results of other tools, names. Nothing may panic, hang, fill the memory, steer
//! the terminal or run a script. `PLIMSOLL_HOSTILE=20` makes twenty times as many of them as usual.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may unwrap, and tells what it skips")]

mod browser;
mod imports;
mod judge;
mod runs;

use std::path::Path;

use judge::{Random, judge, judge_pages};

/// Returns the factor for the number of files, which is 40 for mutated run files and 10 for each kind made to do harm.
fn times() -> usize {
    std::env::var("PLIMSOLL_HOSTILE").ok().and_then(|words| words.parse().ok()).unwrap_or(1)
}

/// Runs everything that reads a run file: the page with its pictures and tables, then one of the other commands in turn.
fn ask_everything(file: &Path, other: &Path, number: usize) {
    let folder = file.parent().unwrap();
    let (file, other) = (file.to_str().unwrap(), other.to_str().unwrap());
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let drawn = place("drawn");
    let _ = std::fs::remove_dir_all(&drawn);
    judge(&["report", file, "--html", &place("page.html"), "--svg", &drawn, "--csv", &drawn]);
    match number % 5 {
        0 => judge(&["report", file, "--format", "json", "--html", &place("page.html")]),
        1 => judge(&["report", file, "--series", "list"]),
        2 => judge(&["compare", file, other]),
        3 => judge(&["compare", other, file, "--format", "json"]),
        _ => judge(&["import", file, "--out", &place("imported")]),
    };
    judge_pages(folder);
}

#[test]
fn mutated_run_files_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let bases = runs::bases(dir.path());
    let broken = dir.path().join("broken");
    for number in 0..40 * times() {
        let mut random = Random::of(number as u64);
        let base = &bases[random.below(bases.len())];
        let _ = std::fs::remove_dir_all(&broken);
        std::fs::create_dir(&broken).unwrap();
        let file = broken.join("mutated.plimsoll");
        std::fs::write(&file, runs::mutated(std::fs::read(base).unwrap(), &mut random)).unwrap();
        println!("seed {number}");
        ask_everything(&file, &bases[0], number);
    }
}

#[test]
fn hostile_run_files_do_no_harm() {
    if judge::is_missing("sqlite3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let bases = runs::bases(dir.path());
    let made = dir.path().join("made");
    for number in 0..10 * times() {
        let mut random = Random::of(number as u64);
        let base = &bases[random.below(bases.len())];
        let _ = std::fs::remove_dir_all(&made);
        std::fs::create_dir(&made).unwrap();
        let file = made.join("hostile.plimsoll");
        std::fs::copy(base, &file).unwrap();
        println!("seed {number}");
        runs::poison(&file, &mut random);
        ask_everything(&file, &bases[0], number);
    }
}

#[test]
fn a_schema_made_to_run_without_end_is_refused_by_name() {
    if judge::is_missing("sqlite3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let base = runs::bases(dir.path()).remove(0);
    for (what, sql) in runs::SCHEMAS {
        let file = dir.path().join("schema.plimsoll");
        std::fs::copy(&base, &file).unwrap();
        runs::change(&file, sql);
        for words in [&["report"][..], &["report", "--series", "list"], &["compare"]] {
            let mut words = words.to_vec();
            words.insert(1, file.to_str().unwrap());
            if words[0] == "compare" {
                words.push(base.to_str().unwrap());
            }
            let told = judge(&words);
            assert!(told.contains(what), "{words:?}, {sql}: {told}");
        }
    }
}

#[test]
fn a_machine_of_many_devices_and_a_text_of_megabytes_are_bounded() {
    if judge::is_missing("sqlite3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let bases = runs::bases(dir.path());
    for (what, sql) in runs::MUCH {
        let file = dir.path().join("much.plimsoll");
        std::fs::copy(&bases[0], &file).unwrap();
        // The placeholder becomes a text of twenty thousand characters.
        runs::change(&file, &sql.replace('%', &"long ".repeat(4000)));
        let told =
            judge(&["report", file.to_str().unwrap(), "--html", dir.path().join("p.html").to_str().unwrap()]);
        assert!(told.contains(what), "{sql}: {told}");
    }
}

/// The promised limit: 64 MiB and four times the file.
#[test]
fn rows_of_next_to_nothing_take_no_more_memory_than_their_file_is_worth() {
    if judge::is_missing("sqlite3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let bases = runs::bases(dir.path());
    for (base, count, sql) in runs::SWOLLEN {
        let base = bases.iter().find(|path| path.to_string_lossy().contains(base)).unwrap();
        let file = dir.path().join("swollen.plimsoll");
        std::fs::copy(base, &file).unwrap();
        let more = format!(
            "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < {count})"
        );
        runs::change(&file, &sql.replace("INSERT", &format!("{more} INSERT")));
        let size = std::fs::metadata(&file).unwrap().len();
        let page = dir.path().join("page.html");
        let peak = judge::peak_memory(&["report", file.to_str().unwrap(), "--html", page.to_str().unwrap()]);
        assert!(peak <= (64 << 20) + 4 * size, "{peak} bytes for a file of {size}: {sql}");
    }
}

#[test]
fn hostile_imports_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..10 * times() {
        let mut random = Random::of(number as u64);
        let input = imports::made(&mut random);
        println!("seed {number}");
        ask_import(dir.path(), "made_bw.1.log", &input);
    }
}

#[test]
fn inputs_of_a_single_kind_of_thing_cost_no_more_than_their_length() {
    let dir = tempfile::tempdir().unwrap();
    let length = match (times(), cfg!(debug_assertions)) {
        (1, true) => 10_000,
        (1, false) => 30_000,
        _ => 1 << 20,
    };
    for (name, input) in imports::shapes(length) {
        println!("{name}");
        ask_import(dir.path(), name, input.as_bytes());
    }
}

fn ask_import(dir: &Path, name: &str, input: &[u8]) {
    let place = dir.join("in");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir(&place).unwrap();
    let file = place.join(name);
    std::fs::write(&file, input).unwrap();
    let out = place.join("out").to_str().unwrap().to_owned();
    judge(&["import", file.to_str().unwrap(), "--out", &out]);
    judge(&["report", file.to_str().unwrap(), "--html", place.join("page.html").to_str().unwrap()]);
    judge(&["explain", file.to_str().unwrap()]);
    judge_pages(&place);
}

#[test]
fn names_that_steer_a_terminal_are_cleaned_wherever_they_come_from() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let names: [&[u8]; 4] =
        [b"a\x1b[2Jb", "a\u{9b}31m\u{202e}b".as_bytes(), b"a\xff\xfe\x9bb", b"a\nb\tc\x07"];
    for name in names {
        let file = dir.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(&file, "[a]\nrw=\x1b[31mread\n\x1b]0;title\x07=1\n").unwrap();
        let none = dir.path().join("none").join(std::ffi::OsStr::from_bytes(name));
        for path in [&file, &none] {
            let path = path.as_os_str();
            for words in
                [&["report"][..], &["import"], &["compare"], &["explain"], &["fio"], &["run"], &["check"]]
            {
                judge::judge_os(words, path);
            }
            for words in
                [&["fio", "--parse-only"][..], &["ioping", "-c", "1"], &["diskspd", "-d1"], &["iostat"]]
            {
                judge::judge_os(words, path);
            }
        }
    }
}

#[test]
fn a_name_with_a_line_end_in_it_makes_no_line_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = runfile::read(&runs::bases(dir.path())[0]).unwrap();
    let name = "\u{1b}]0;pwn\u{7}\u{1b}[31mRED\u{202e}\nFORGED";
    run.devices[0].description = name.to_owned();
    for sample in &mut run.samples {
        sample.disks[1].0 = name.into();
    }
    let file = dir.path().join("forged.plimsoll");
    runfile::write(runfile::at(&file), &run).unwrap();
    let drawn = dir.path().join("drawn");
    for words in [&["--svg", drawn.to_str().unwrap()][..], &["--series", "list"], &["--series", "sda:r/z"]] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["report", file.to_str().unwrap()])
            .args(words)
            .output()
            .unwrap();
        for text in [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()) {
            assert!(*report::clean_lines(&text) == *text, "{words:?}: {text:?}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("FORGED")), "{words:?}: {text}");
        }
    }
    judge_pages(dir.path());
}

#[test]
fn no_page_of_a_hostile_file_runs_its_script() {
    if judge::is_missing("sqlite3") || judge::is_missing("chromium") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let bases = runs::bases(dir.path());
    let mut pages = Vec::new();
    for (number, base) in bases.iter().enumerate() {
        let file = dir.path().join(format!("script-{number}.plimsoll"));
        std::fs::copy(base, &file).unwrap();
        runs::fill_with_scripts(&file);
        let page = dir.path().join(format!("script-{number}.html"));
        judge(&["report", file.to_str().unwrap(), "--html", page.to_str().unwrap()]);
        pages.push(page);
    }
    let page = dir.path().join("import.html");
    let input = dir.path().join("in.json");
    std::fs::write(&input, imports::of_scripts()).unwrap();
    judge(&["report", input.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    pages.push(page);
    pages.retain(|page| page.exists());
    assert!(!pages.is_empty(), "no page was made");
    browser::assert_that_a_script_would_show(dir.path());
    for page in pages {
        browser::assert_untouched(&page);
    }
}

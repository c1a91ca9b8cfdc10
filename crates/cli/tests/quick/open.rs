//! `--open`, and the names of a run's files.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::machine::*;

/// Makes a browser that records the arguments of its start.
fn browser(folder: &Folder) -> String {
    let path = folder.path("browser");
    fs::write(&path, format!("#!/bin/sh\nprintf '%s' \"$*\" > {}\n", folder.text("seen"))).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    text(&path)
}

/// Returns the only page in `runs`.
fn page(folder: &Folder) -> std::path::PathBuf {
    let all = fs::read_dir(folder.path("runs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = all.filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    assert_eq!(pages.len(), 1, "{pages:?}");
    pages.remove(0)
}

#[test]
fn the_page_is_opened_in_the_browser_that_is_named_beside_one_json_document() {
    let folder = Folder::new();
    let words = ["map", "sim:aws-gp3", "--open", "--format", "json", "--out", "@/runs"];
    let done = ended(folder.plimsoll(&words).env("BROWSER", browser(&folder)));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.json()["schema"], "plimsoll-report");
    let page = page(&folder).canonicalize().unwrap();
    assert_eq!(fs::read_to_string(folder.path("seen")).unwrap(), text(&page));
}

#[test]
fn a_page_that_cannot_be_opened_is_named_with_the_reason() {
    let folder = Folder::new();
    let words = ["map", "sim:aws-gp3", "--open", "--out", "@/runs"];
    let mut command = folder.plimsoll(&words);
    let done = ended(command.env("BROWSER", "/nonexistent/browser").env("COLUMNS", "500"));
    assert_eq!(done.code, Some(0), "the measurement stands: {}", done.err);
    let told = done.complained();
    let page = page(&folder);
    let name = page.file_name().unwrap().to_string_lossy().into_owned();
    assert!(told.contains("not opened: /nonexistent/browser could not open it"), "{told}");
    assert!(done.err.contains(&name), "{}", done.err);
    let mut command = folder.plimsoll(&["report", &text(&page.with_extension("plimsoll")), "--open"]);
    let nowhere = ended(command.env_remove("BROWSER").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY"));
    assert_eq!(nowhere.code, Some(0), "{}", nowhere.err);
    let why = if is_root() { "no browser is started as root" } else { "no display" };
    assert!(nowhere.complained().contains(why), "{}", nowhere.err);
}

#[test]
fn a_comparison_of_files_has_a_page_where_one_is_to_be_opened() {
    let folder = Folder::new();
    for side in ["a", "b"] {
        fs::write(folder.path(&format!("{side}.txt")), RESULT).unwrap();
    }
    let words = ["compare", "old=@/a.txt", "new=@/b.txt", "--open", "--out", "@/runs"];
    let done = ended(folder.plimsoll(&words).env("BROWSER", browser(&folder)));
    // One result each has no interval, so nothing is told.
    assert_eq!(done.code, Some(4), "{}", done.err);
    let name = page(&folder).file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("old-against-new-compare-20"), "{name}");
    assert!(fs::read_to_string(folder.path("seen")).unwrap().ends_with(&name));
}

/// Output of fio 1.59, as short as it can be.
const RESULT: &str = "nightly: (g=0): rw=randread, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64
fio 1.59
nightly: (groupid=0, jobs=1): err= 0: pid=22329
read : io=3070.5MB, bw=132862KB/s, iops=33215 , runt= 23665msec
";

#[test]
fn names_say_volume_command_and_minute() {
    let folder = Folder::new();
    for (words, begin) in [
        (&["where", "sim:aws-gp3,size=10GiB"][..], "sim-aws-gp3-size-10GiB-where-"),
        (&["run", "five-figures", "sim:aws-gp3"], "sim-aws-gp3-run-five-figures-"),
        (&["headroom", "sim:aws-gp3", "--p99", "10ms"], "sim-aws-gp3-headroom-"),
    ] {
        let state = format!("@/{}", words[0]);
        let done = ended(&mut folder.plimsoll(&[words, &["--out", &state]].concat()));
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
        let run = run_file(&folder.path(words[0]));
        let name = run.rsplit('/').next().unwrap();
        let time = name.strip_prefix(begin).and_then(|rest| rest.strip_suffix(".plimsoll"));
        let time = time.unwrap_or_else(|| panic!("{name}"));
        let form: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00-0000", "{name}");
        assert!(done.out.contains(&name.replace(".plimsoll", ".html")), "{}", done.out);
    }
}

#[test]
fn a_folder_is_imported_with_a_summary_and_names_that_tell_job_and_tool() {
    let folder = Folder::new();
    folder.make_dir("results");
    fs::write(folder.path("results/one.txt"), RESULT).unwrap();
    fs::write(folder.path("results/two.txt"), RESULT.replace("nightly", "weekly")).unwrap();
    fs::write(folder.path("results/notes.md"), "nothing\n").unwrap();
    fs::write(folder.path("results/page.html"), "a page\n").unwrap();
    let done = ended(&mut folder.plimsoll(&["import", "@/results", "--out", "@/results"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.ends_with("\n2 results of 2 files; nothing was read of 1 file more\n"), "{}", done.out);
    assert!(done.complained().contains("notes.md: nothing read"), "{}", done.err);
    for begin in ["one-nightly-fio-1.59-20", "two-weekly-fio-1.59-20"] {
        assert!(folder.listing().iter().any(|line| line.contains(begin)), "{begin}: {:?}", folder.listing());
    }
    // A second time, the run files that are there now are not imported.
    let again = ended(&mut folder.plimsoll(&["import", "@/results", "--out", "@/other"]));
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.complained().contains("is a run file of plimsoll"), "{}", again.err);
    assert!(
        again.out.ends_with("\n2 results of 2 files; nothing was read of 3 files more\n"),
        "{}",
        again.out
    );
    let empty = folder.make_dir("empty");
    let none = ended(&mut folder.plimsoll(&["import", &text(&empty)]));
    assert_eq!(none.code, Some(2), "{}", none.out);
    assert!(none.complained().contains("there is no file in this folder"), "{}", none.err);
}

#[test]
fn the_page_of_a_measurement_is_also_drawn_where_it_was_named() {
    let folder = Folder::new();
    fs::write(folder.path("notes.txt"), "somebody's notes").unwrap();
    for words in [&["map", "sim:aws-gp3"][..], &["compare", "a=sim:aws-gp3", "b=sim:aws-gp3", "--time", "5m"]]
    {
        let run = |html| ended(&mut folder.plimsoll(&[words, &["--html", html, "--out", "@/runs"]].concat()));
        let refused = run("@/notes.txt");
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert_eq!(fs::read_to_string(folder.path("notes.txt")).unwrap(), "somebody's notes");
        assert!(!folder.path("runs").exists(), "something was measured for a page that cannot be written");
        assert_eq!(run("@/named.html").code, Some(0));
        let named = fs::read(folder.path("named.html")).unwrap();
        let mut kept = fs::read_dir(folder.path("runs")).unwrap().map(|entry| entry.unwrap().path());
        assert!(kept.any(|path| fs::read(path).unwrap() == named), "{words:?}");
        fs::remove_dir_all(folder.path("runs")).unwrap();
    }
}

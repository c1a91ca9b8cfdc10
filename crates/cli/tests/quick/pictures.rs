//! `plimsoll report --png --svg`: which files are written, that none of others is lost, and that wrong options are refused.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;

/// What iostat 12.6.1 printed about two devices over three intervals of a second.
const EXTENDED: &str = include_str!("../../../import/tests/all/fixtures/iostat/extended.json");

fn recorded() -> Folder {
    let folder = Folder::new();
    for name in ["a.json", "b.json"] {
        fs::write(folder.path(name), EXTENDED).unwrap();
    }
    folder
}

fn names(folder: &Folder, sub: &str) -> Vec<String> {
    let files = fs::read_dir(folder.path(sub)).unwrap();
    let mut names: Vec<String> =
        files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_chart_becomes_a_file_of_each_kind_and_is_listed() {
    let folder = recorded();
    let words =
        ["report", "@/a.json", "--png", "@/p", "--svg", "@/s", "--devices-in", "rows", "--panel", "5x4"];
    let drawn = ended(&mut folder.plimsoll(&words));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    let (png, svg) = (names(&folder, "p"), names(&folder, "s"));
    assert_eq!(png.len(), svg.len());
    assert!(png[0] == "01-all-devices.png" && png[1] == "02-cpu.png", "{png:?}");
    assert!(png.contains(&"04-vda-iops.png".to_owned()), "{png:?}");
    for name in png.iter().chain(&svg) {
        assert!(drawn.out.contains(name.as_str()), "{name} is not listed: {}", drawn.out);
    }
    let bytes = fs::read(folder.path("p/04-vda-iops.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
    let sheet = fs::read_to_string(folder.path("s/01-all-devices.svg")).unwrap();
    assert!(sheet.contains("Fig. 1 - &#39;a.json&#39;") && sheet.contains("#113  vda: Disk IOPS"));
    // A second time, it may overwrite its own files.
    let again = ended(&mut folder.plimsoll(&words));
    assert_eq!(again.code, Some(0), "{}", again.err);
}

#[test]
fn many_files_are_counted_and_not_listed() {
    let folder = Folder::new();
    let mut printed: serde_json::Value = serde_json::from_str(EXTENDED).unwrap();
    for report in printed["sysstat"]["hosts"][0]["statistics"].as_array_mut().unwrap() {
        let disks = report["disk"].as_array_mut().unwrap();
        let first = disks.iter().find(|disk| disk["disk_device"] == "vda").unwrap().clone();
        for name in ["vdy", "vdz"] {
            let mut other = first.clone();
            other["disk_device"] = name.into();
            disks.push(other);
        }
    }
    fs::write(folder.path("c.json"), printed.to_string()).unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/c.json", "--svg", "@/s"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    let svg = names(&folder, "s");
    assert!(svg.len() > 12, "{svg:?}");
    assert!(drawn.out.contains(&format!("pictures  {} SVG in ", svg.len())), "{}", drawn.out);
    assert!(svg.iter().all(|name| !drawn.out.contains(name.as_str())), "{}", drawn.out);
}

#[test]
fn several_recordings_have_folders_of_their_own_and_numbers_of_their_own() {
    let folder = recorded();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/a.json", "@/b.json", "--svg", "@/s"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert_eq!(names(&folder, "s"), ["a", "b"]);
    let second = fs::read_to_string(folder.path("s/b/01-all-devices.svg")).unwrap();
    assert!(second.contains("Fig. 2 - &#39;b.json&#39;") && second.contains("#213  vda: Disk IOPS"));
}

#[test]
fn a_file_of_somebody_elses_is_not_lost_and_nothing_is_written_beside_it() {
    let folder = recorded();
    folder.make_dir("s");
    fs::write(folder.path("s/02-cpu.svg"), "my own drawing").unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/a.json", "--svg", "@/s"]));
    assert_eq!(drawn.code, Some(2), "{}", drawn.err);
    assert!(
        drawn.complained().contains("02-cpu.svg is there already and no picture of plimsoll's"),
        "{}",
        drawn.err
    );
    assert_eq!(names(&folder, "s"), ["02-cpu.svg"]);
    assert_eq!(fs::read_to_string(folder.path("s/02-cpu.svg")).unwrap(), "my own drawing");
}

#[test]
fn wrong_words_and_places_are_answered() {
    let folder = recorded();
    fs::write(folder.path("plain"), "").unwrap();
    for (words, said, code) in [
        (vec!["--panel", "4"], "inches as 4x3", 2),
        (vec!["--panel", "1x1"], "150 to 4000 pixels", 2),
        (vec!["--devices-in", "piles"], "columns, rows", 2),
        (vec!["--first", "x"], "invalid digit", 2),
        (vec!["--describe", "sda"], "DEVICE=WORDS", 2),
        (vec!["--png", "@/plain"], "cannot be made", 1),
    ] {
        let line = [vec!["report", "@/a.json"], words].concat();
        let drawn = ended(&mut folder.plimsoll(&line));
        assert_eq!(drawn.code, Some(code), "{line:?}: {}", drawn.err);
        assert!(drawn.complained().contains(said), "{line:?}: {}", drawn.err);
    }
}

#[test]
fn a_part_that_the_recording_does_not_have_is_refused() {
    let folder = recorded();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/a.json", "--svg", "@/s", "--first", "500"]));
    assert_eq!(drawn.code, Some(2), "{}", drawn.err);
    let said = "--first 500 leaves nothing to draw: there are 3 samples, 0 to 2";
    assert!(drawn.complained().contains(said), "{}", drawn.err);
    assert!(!folder.path("s").exists() && !folder.path("a.html").exists());
    let last = ended(&mut folder.plimsoll(&["report", "@/a.json", "--svg", "@/s", "--first", "-1"]));
    assert_eq!(last.code, Some(0), "{}", last.err);
}

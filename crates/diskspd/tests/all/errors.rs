//! What a wrong line reports: the word, its place, and what would do.

use diskspd::DiskSpdError;
use proptest::prelude::*;

use crate::vocabulary::{asked, line, line_with, refusal, with_target};

#[test]
fn an_error_names_the_word_its_place_and_what_would_do() {
    let cases: &[(&str, &[&str])] = &[
        (
            "-w50 -b4KB t",
            &["ERROR: incorrectly provided option: '-b4KB'", "word 2, character 5", "write -b4K"],
        ),
        ("-r -w t", &["'-w'", "word 2", "0 to 100", "write -w0"]),
        ("-c1.5G t", &["'-c1.5G'", "character 4", "whole numbers"]),
        ("-Rcsv t", &["'csv' is no form", "write -Rtext"]),
        ("-Suu t", &["character 4", "set before"]),
        ("-rdpct90/10:5 -r t", &["character 14", "slash"]),
        ("-a0,1,x t", &["character 7", "commas"]),
        ("-z12a t", &["character 5", "decimal"]),
        ("t -r", &["parameters (-r) must come before targets", "before 't'"]),
        ("-q t", &["invalid option: '-q'", "-?"]),
        ("-H t", &["invalid option: '-H'", "case sensitive", "-h"]),
        ("-K t", &["invalid option", "-?"]),
        ("-r", &["need to provide at least one filename", "testfile.dat"]),
        ("\u{2013}r t", &["typographic", "write -r"]),
        ("-A4711 t", &["CrystalDiskMark"]),
        ("-yrgo t", &["Windows", "Ctrl-C"]),
        ("-F4 -t2 t", &["-F and -t"]),
        ("-ag0 t", &["2.3", "-ag0,0,1,2"]),
    ];
    for (words, parts) in cases {
        let text = refusal(words);
        for part in *parts {
            assert!(text.contains(part), "{words}: '{part}' is missing in:\n{text}");
        }
    }
}

/// Names that Linux would take for a file in the current folder, where `-c` makes it.
#[test]
fn names_of_windows_are_refused() {
    let paths = diskspd::Paths { exists: &|_| false, is_remote: &|_| false };
    let refused = |name: &str| diskspd::possible(&asked(&format!("-c1M {name}")).profile, &paths).is_err();
    for name in [
        r"\\mb-win81\diskspd\testfile.dat",
        r"\mb-win81\diskspd\testfile.dat",
        r"\\.\PhysicalDrive1",
        r"C:\t.dat",
        "D:/bench/t.dat",
        "E:",
        "#1",
    ] {
        assert!(refused(name), "{name}");
    }
    for name in ["t.dat", "a:b", "./C:/t.dat", r"t\d.dat", "#t"] {
        assert!(!refused(name), "{name}");
    }
}

#[test]
fn all_contradictions_are_told_at_once() {
    let text = refusal("-r -T4k -t2 -si -p -x -g100 t");
    // -r before -si is refused already at the word.
    assert!(text.contains("-si"), "{text}");
    let text = refusal("-x -g100 -i5 -t2 -F4 -s t");
    assert!(
        text.contains("-F and -t") && text.contains("-g throughput") && text.contains("-j<think time>"),
        "{text}"
    );
}

#[test]
fn of_a_pause_and_its_burst_the_one_that_is_missing_is_named() {
    assert!(refusal("-j10 t").contains("need to specify -i<burst size>"), "{}", refusal("-j10 t"));
    assert!(refusal("-i10 t").contains("need to specify -j<think time>"), "{}", refusal("-i10 t"));
}

#[test]
fn beside_a_profile_only_some_options_may_stand() {
    let profile = with_target("");
    for words in ["-Xp -C1 -d2 -W3 -Rxml -v -z5 -:1", "-d2 -Xp"] {
        assert!(line_with(words, &profile).is_ok(), "{words}: {:?}", line_with(words, &profile));
    }
    for words in ["-Xp -b4K", "-b4K -Xp", "-Xp -r", "-r -Xp", "-Xp -Xq", "-X", "-Xp -L"] {
        let error = line_with(words, &profile).unwrap_err();
        assert!(!error.to_string().is_empty(), "{words}");
    }
}

#[test]
fn a_profile_that_cannot_be_had_is_named() {
    let words = vec!["-Xmissing.xml".to_owned()];
    let around =
        diskspd::Surroundings { read: &|_| Err(std::io::Error::from(std::io::ErrorKind::NotFound)), tick: 0 };
    let error = diskspd::parse(&words, &around).unwrap_err();
    assert!(matches!(error, DiskSpdError::Profile { place: None, .. }));
    assert!(error.to_string().contains("missing.xml"), "{error}");
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(words in proptest::collection::vec("-[a-zA-Z:?]{0,3}[0-9a-zA-Z/:,.]{0,8}|\\PC{0,8}", 0..6)) {
        let _ = line(&words.join(" "));
    }

    #[test]
    fn no_profile_makes_it_panic(at in 0usize..2000, with in "\\PC{0,3}") {
        let mut text = with_target("<Random>8192</Random><Throughput unit=\"IOPS\">5</Throughput><Distribution><Percent>\
            <Range IO=\"10\">20</Range></Percent></Distribution>");
        let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.insert_str(at, &with);
        let _ = line_with("-Xp", &text);
        let _ = line_with("-Xp", &text[..at]);
    }
}

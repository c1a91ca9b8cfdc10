//! `plimsoll explain` on command lines and job files from published guides: the whole page is compared with one that
//! was proofread. `PLIMSOLL_REGENERATE=1` writes the expected pages anew; proofread them.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use crate::machine::*;

fn texts(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/explain").join(folder)
}

fn names() -> Vec<String> {
    let found = std::fs::read_dir(texts("pasted")).unwrap();
    let mut names: Vec<String> =
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the words with `text` on stdin.
fn piped(folder: &Folder, words: &[&str], text: &str) -> ProgramOutput {
    let mut command = folder.plimsoll(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let told = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    ProgramOutput { code: out.status.code(), out: told(out.stdout), err: told(out.stderr) }
}

#[test]
fn every_published_command_is_explained_as_it_was_read() {
    let folder = Folder::new();
    assert!(names().len() >= 21);
    for name in names() {
        let pasted = std::fs::read_to_string(texts("pasted").join(&name)).unwrap();
        let ended = piped(&folder, &["explain", "--all"], &pasted);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{name}");
        let wide = ended.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{name}");
        let golden = texts("read").join(&name);
        if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
            std::fs::write(&golden, &ended.out).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap();
        assert!(ended.out == expected, "{name} is told in other words:\n{}", ended.out);
    }
}

#[test]
fn a_file_stdin_and_words_are_the_same() {
    let folder = Folder::new();
    let pasted = std::fs::read_to_string(texts("pasted").join("d1-mixed.txt")).unwrap();
    std::fs::write(folder.path("text"), &pasted).unwrap();
    let from_stdin = piped(&folder, &["explain"], &pasted);
    let from_dash = piped(&folder, &["explain", "-"], &pasted);
    let from_file = ended(&mut folder.plimsoll(&["explain", "@/text"]));
    let in_one_word = ended(&mut folder.plimsoll(&["explain", pasted.trim()]));
    let words: Vec<&str> = ["explain"].into_iter().chain(pasted.split_whitespace()).collect();
    let in_words = ended(&mut folder.plimsoll(&words));
    for other in [&from_dash, &from_file, &in_one_word, &in_words] {
        assert_eq!(other.out, from_stdin.out, "{}", other.err);
    }
}

#[test]
fn json_is_one_document() {
    let folder = Folder::new();
    for name in names() {
        let pasted = std::fs::read_to_string(texts("pasted").join(&name)).unwrap();
        let document = piped(&folder, &["explain", "--format", "json"], &pasted).json();
        let explained = document["explained"].as_array().unwrap();
        assert!(!explained.is_empty() && explained.iter().all(|one| one["asks"][0].is_string()), "{name}");
    }
}

#[test]
fn what_a_page_prints_as_the_command_can_be_pasted_again() {
    let folder = Folder::new();
    let pasted = std::fs::read_to_string(texts("pasted").join("a1-bandwidth.txt")).unwrap();
    let first = piped(&folder, &["explain", "--all"], &pasted);
    let section = |page: &str, heading: &str| {
        let from = page.split_once(&format!("{heading}\n")).unwrap().1;
        from.split("\n\n").next().unwrap().to_owned()
    };
    let again = piped(&folder, &["explain"], &section(&first.out, "The command"));
    assert_eq!(section(&again.out, "What it asks for"), section(&first.out, "What it asks for"));
    let corrected = section(&first.out, "Corrected");
    let command = corrected.split_once(":\n").unwrap().1;
    let corrected = piped(&folder, &["explain"], command);
    assert!(
        !corrected.out.contains("There is no size") && corrected.out.contains("For 120 s"),
        "{}",
        corrected.out
    );
}

#[test]
fn the_corrected_command_runs() {
    let folder = Folder::new();
    let words = [
        "explain",
        "--format",
        "json",
        "fio",
        "--name=a",
        "--rw=randread",
        "--filename=@/f",
        "--runtime=200ms",
    ];
    let document = ended(&mut folder.plimsoll(&words)).json();
    let command = document["explained"][0]["corrected"]["command"].as_str().unwrap().replace("4G", "1M");
    let mut fio: Vec<&str> = command.split(' ').collect();
    fio.push("--direct=0");
    let ran = ended(&mut folder.plimsoll(&fio));
    assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
}

#[test]
fn a_job_file_that_a_command_names_is_read_from_the_disk() {
    let folder = Folder::new();
    std::fs::write(folder.path("jobs.ini"), "[j]\nrw=randread\nsize=30g\n").unwrap();
    let ended = ended(&mut folder.plimsoll(&["explain", "sudo", "fio", "--runtime", "30", "@/jobs.ini"]));
    assert!(ended.told().contains("One job, j, reads blocks of 4 KiB at random places."), "{}", ended.out);
    assert!(ended.told().contains("at most for 30 s"), "{}", ended.out);
}

#[test]
fn a_file_that_is_not_there_is_called_so() {
    let folder = Folder::new();
    for (word, told) in [("@/nosuch.fio", "there is no such file"), ("@/", "it is a folder")] {
        let ended = ended(&mut folder.plimsoll(&["explain", word]));
        assert_eq!(ended.code, Some(2), "{word}");
        assert!(ended.complained().contains(told), "{word}: {}", ended.err);
    }
}

#[test]
fn what_is_not_understood_ends_with_its_place_and_the_code_of_a_refusal() {
    let folder = Folder::new();
    for (pasted, told) in [
        ("", "there is no command line"),
        ("hello world", "line 1, column 1: hello: "),
        ("\n\nls -l /tmp\n", "line 3, column 1: ls: "),
        ("fio --name=a --iodepht=3", "line 1, column 14: --iodepht=3: "),
        ("fio --name=a \\\n --bs=x4 --size=1g", "line 2, column 2: --bs=x4: "),
        ("[a]\nrw=sideways\n", "line 2, column 1: rw=sideways: "),
        ("ioping -c 1 . .", "more than one destination"),
        ("diskspd -w100 -b4Q t.dat", "-b4Q"),
        ("dd if=a of=b bs=big", "line 1, column 14: bs=big: "),
        ("iostat -x -o XML", "JSON is the only one"),
        ("1048576 bytes (1.0 MB) copied, 0.5 s, 2.1 MB/s\n", "read it with 'plimsoll import'"),
    ] {
        let ended = piped(&folder, &["explain"], pasted);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{pasted}");
        assert!(ended.complained().contains(told), "{pasted}: {}", ended.err);
    }
}

//! What surrounds a measurement: manual pages, completions, the list of runs, a ticket, the doctor, the catalogue.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::machine::*;

/// Writes every manual page into a folder.
fn pages() -> (Folder, Vec<PathBuf>) {
    let folder = Folder::new();
    let written = ended(&mut folder.plimsoll(&["man", "--to", "@/man"]));
    assert_eq!(written.code, Some(0), "{}", written.err);
    let mut pages: Vec<PathBuf> =
        fs::read_dir(folder.path("man")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    (folder, pages)
}

/// Returns the words of the command that a page describes: `lab up` for `plimsoll-lab-up.1`.
fn command_of(page: &Path) -> Vec<String> {
    let stem = page.file_stem().unwrap().to_string_lossy().into_owned();
    stem.split('-').skip(1).map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_page_that_man_reads_without_a_warning() {
    let (folder, pages) = pages();
    for name in ["plimsoll", "plimsoll-check", "plimsoll-lab-up", "plimsoll-fio", "plimsoll-iostat"] {
        assert!(pages.contains(&folder.path(&format!("man/{name}.1"))), "{name}: {pages:?}");
    }
    let text = fs::read_to_string(folder.path("man/plimsoll-fio.1")).unwrap();
    assert!(text.contains("\\-\\-iodepth") && text.contains(".SH \"REFUSED BY NAME\""), "{text}");
    if !has("mandoc") {
        return;
    }
    for page in &pages {
        let told = ended(Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(page));
        assert!(told.out.is_empty() && told.code == Some(0), "{}", told.out);
    }
}

#[test]
fn every_command_gives_examples_and_no_terminal_of_80_columns_breaks_a_line_of_them() {
    let (_folder, pages) = pages();
    let foreign = ["fio", "diskspd", "ioping", "iostat"];
    for page in &pages {
        let command = command_of(page);
        // Groups show the examples of their subcommands, and a bare `list` needs none.
        let is_bare = matches!(command.last().map(String::as_str), None | Some("lab" | "policy" | "profile"))
            || ["lab list", "profile list"].contains(&&*command.join(" "));
        if is_bare || foreign.contains(&command[0].as_str()) {
            continue;
        }
        let text = fs::read_to_string(page).unwrap().replace("\\-", "-").replace("\\&", "");
        let (_, notes) =
            text.split_once(".SH NOTES").unwrap_or_else(|| panic!("{command:?} has no examples"));
        assert!(notes.contains(&format!("  plimsoll {}", command.join(" "))), "{command:?}: {notes}");
        let long = notes.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{command:?}: clap breaks this line");
    }
}

#[test]
fn the_help_of_import_names_every_tool_of_its_reference() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/import.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("## What is read").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    let help = ended(&mut Folder::new().plimsoll(&["import", "--help"])).out;
    let tools: Vec<&str> =
        table.lines().skip(2).filter_map(|row| row.split('|').nth(1)).map(str::trim).collect();
    assert!(tools.len() > 20, "{tools:?}");
    for tool in tools {
        let name = tool.split(' ').next().unwrap();
        assert!(help.contains(name), "{tool} is not named: {help}");
    }
}

#[test]
fn a_page_that_is_not_there_is_told_with_the_nearest() {
    let folder = Folder::new();
    let told = ended(&mut folder.plimsoll(&["man", "chekc"]));
    assert_eq!(told.code, Some(2));
    assert!(told.err.contains("did you mean 'plimsoll man check'"), "{}", told.err);
}

#[test]
fn shells_complete_words_of_plimsoll_and_of_the_tools_that_it_speaks() {
    let folder = Folder::new();
    for (shell, wanted) in [("bash", "--iodepth"), ("zsh", "--iodepth"), ("fish", "iodepth")] {
        let printed = ended(&mut folder.plimsoll(&["completions", shell]));
        assert_eq!(printed.code, Some(0), "{}", printed.err);
        for word in [wanted, "write-most", "headroom", "randread"] {
            assert!(printed.out.contains(word), "{shell} lacks {word}");
        }
        fs::write(folder.path(shell), &printed.out).unwrap();
    }
    let own = ended(folder.plimsoll(&["completions"]).env("SHELL", "/usr/bin/fish"));
    assert_eq!(own.out, fs::read_to_string(folder.path("fish")).unwrap());
    let unknown = ended(folder.plimsoll(&["completions"]).env("SHELL", "/bin/nosuch"));
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.complained().contains("bash | elvish | fish"), "{}", unknown.err);
    let asked = "source $0; COMP_WORDS=(plimsoll fio --rw rand); COMP_CWORD=3; _plimsoll plimsoll rand --rw; echo ${COMPREPLY[@]}";
    let answer = ended(Command::new("bash").args(["-c", asked, &folder.text("bash")]));
    assert!(answer.out.contains("randread") && !answer.out.contains(" read"), "{}{}", answer.out, answer.err);
}

#[test]
fn runs_are_listed_newest_first_with_what_came_out() {
    let folder = Folder::new();
    let none = ended(&mut folder.plimsoll(&["list"]));
    assert!(none.code == Some(0) && none.out.contains("no run yet in"), "{}{}", none.out, none.err);
    for target in ["sim:aws-gp2,size=100GiB", "sim:do-volumes-pre-burst"] {
        let checked = ended(&mut folder.plimsoll(&["check", target, "--effort", "brief", "--out", "@/runs"]));
        assert!(matches!(checked.code, Some(0 | 3 | 4)), "{}", checked.err);
    }
    fs::write(folder.path("runs/broken.plimsoll"), "SQLite format 3").unwrap();
    let listed = ended(&mut folder.plimsoll(&["list", "@/runs"]));
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let at = |word: &str| listed.out.find(word).unwrap_or_else(|| panic!("{word}: {}", listed.out));
    assert!(at("check sim:do-volumes") < at("check sim:aws-gp2"), "{}", listed.out);
    assert!(at("cannot be read") < at("check sim:do-volumes"), "{}", listed.out);
    assert!(
        listed.out.lines().all(|line| line.chars().count() <= 80 || line.contains('/')),
        "{}",
        listed.out
    );
    let one: Value = serde_json::from_str(
        &ended(&mut folder.plimsoll(&["list", "@/runs", "--most", "1", "--format", "json"])).out,
    )
    .unwrap();
    assert_eq!((one["run_files"].as_u64(), one["runs"].as_array().unwrap().len()), (Some(3), 1));
    fs::remove_file(folder.path("runs/broken.plimsoll")).unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/runs", "--html", "@/pages/"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert_eq!(fs::read_dir(folder.path("pages")).unwrap().count(), 2, "a page a run file: {}", drawn.out);
    let missing = ended(&mut folder.plimsoll(&["list", "@/nowhere"]));
    assert_eq!(missing.code, Some(2), "{}", missing.out);
}

#[test]
fn a_ticket_has_the_verdict_the_claims_one_picture_and_no_name_of_the_machine() {
    let folder = Folder::new();
    let words = ["check", "sim:aws-gp2,size=100GiB", "--policy", "aws-gp2,size=100GiB", "--out", "@/runs"];
    assert!(ended(&mut folder.plimsoll(&words)).code.is_some());
    let run = run_file(&folder.path("runs"));
    let ticket = ended(&mut folder.plimsoll(&["report", "--ticket", &run]));
    assert_eq!(ticket.code, Some(0), "{}", ticket.err);
    for wanted in [
        "| what | claimed | measured |",
        "**Particulars**",
        "- held against: `aws-gp2,size=100GiB`",
        "![",
        "UTC",
    ] {
        assert!(ticket.out.contains(wanted), "{wanted}: {}", ticket.out);
    }
    let picture = ticket.out.split("](").nth(1).unwrap().split(')').next().unwrap();
    let png = fs::read(folder.path("runs").join(picture)).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert!(name.trim().len() < 4 || !ticket.out.contains(name.trim()), "{}", ticket.out);
    // A procedure's own table is part of the ticket.
    let words = ["map", "sim:do-volumes-pre-burst", "--out", "@/maps"];
    assert_eq!(ended(&mut folder.plimsoll(&words)).code, Some(0));
    let map = ended(&mut folder.plimsoll(&["ticket", &run_file(&folder.path("maps"))]));
    assert!(map.out.contains("```\n") && map.out.contains("the whole grid of"), "{}", map.out);
}

#[test]
fn a_command_goes_on_working_by_its_old_name_and_says_the_new_one() {
    let folder = Folder::new();
    for (old, new) in
        [("quick", "plimsoll stream"), ("ticket", "report --ticket"), ("export", "report --parquet")]
    {
        let help = ended(&mut folder.plimsoll(&[old, "--help"]));
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
        let done = ended(
            &mut folder.plimsoll(&[old, "@/none"].iter().chain(more(old)).copied().collect::<Vec<_>>()),
        );
        assert_eq!(done.code, Some(2));
        assert!(done.err.contains(new), "{}", done.err);
    }
    fn more(old: &str) -> &'static [&'static str] {
        if old == "export" { &["--parquet", "@/tables"] } else { &[] }
    }
}

#[test]
fn where_no_run_is_named_the_newest_is_meant() {
    let folder = Folder::new();
    let commands = [
        &["report"][..],
        &["report", "--ticket"],
        &["export", "--parquet", "@/tables"],
        &["policy", "match"],
    ];
    for words in commands {
        let none = ended(&mut folder.plimsoll(words));
        assert_eq!(none.code, Some(2), "{words:?}: {}", none.out);
        assert!(none.complained().contains("no run is named"), "{words:?}: {}", none.err);
    }
    for target in ["sim:aws-gp2,size=100GiB", "sim:aws-gp3"] {
        let ran = ended(&mut folder.plimsoll(&["check", target, "--effort", "brief"]));
        assert!(matches!(ran.code, Some(0 | 4)), "{}", ran.err);
    }
    for words in commands {
        let done = ended(&mut folder.plimsoll(words));
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
        let told = done.err.lines().find(|line| line.starts_with("newest  ")).unwrap_or(&done.err);
        assert!(told.contains("/sim-aws-gp3-check-"), "{words:?}: {told}");
    }
    assert!(folder.path("tables/steps.parquet").exists());
}

#[test]
fn the_doctor_names_what_it_looked_at_and_ends_by_what_it_found() {
    let folder = Folder::new();
    let told = ended(&mut folder.plimsoll(&["doctor", "@", "--format", "json"]));
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let signs = document["signs"].as_array().unwrap();
    for what in ["io_uring", "clock", "memory", "volume", "rights", "lab", "fio"] {
        assert!(signs.iter().any(|sign| sign["what"] == what), "{what}: {}", told.out);
    }
    let spoilt = signs.iter().any(|sign| sign["weight"] == "spoils");
    assert_eq!(told.code, Some(i32::from(spoilt)), "{}", told.err);
    let nowhere = ended(&mut folder.plimsoll(&["doctor", "@/nowhere"]));
    assert_eq!(nowhere.code, Some(2), "{}", nowhere.out);
}

#[test]
fn the_catalogue_is_listed_with_figures_and_by_words() {
    let folder = Folder::new();
    let all = ended(&mut folder.plimsoll(&["policy", "list"]));
    assert!(all.out.lines().all(|line| line.chars().count() <= 80), "{}", all.out);
    let line = all.out.lines().find(|line| line.starts_with("aws-gp2 ")).unwrap();
    assert!(line.contains("300*") && line.contains("3,000") && line.contains("128 MiB/s*"), "{line}");
    let some = ended(&mut folder.plimsoll(&["policy", "list", "aws", "gp3", "--format", "json"]));
    let document: Value = serde_json::from_str(&some.out).unwrap();
    let policies = document["policies"].as_array().unwrap();
    assert!(
        !policies.is_empty() && policies.iter().all(|policy| policy["provider"] == "aws"),
        "{}",
        some.out
    );
    let none = ended(&mut folder.plimsoll(&["policy", "list", "nosuch"]));
    assert!(none.code == Some(2) && none.err.contains("nosuch"), "{}", none.err);
}

/// Set `PLIMSOLL_REGENERATE=1` to write the page anew.
#[test]
fn the_reference_of_commands_is_what_help_prints() {
    let (folder, pages) = pages();
    let mut text = "# Commands\n\nWhat `--help` prints of each. The words of [fio](fio.md), [DiskSpd](diskspd.md), [ioping](ioping.md)\n\
                    and [iostat](iostat.md) have pages of their own; `plimsoll man` has all of them as manual pages.\n"
        .to_owned();
    let foreign = ["fio", "diskspd", "ioping", "iostat"];
    let mut commands: Vec<Vec<String>> = pages.iter().map(|page| command_of(page)).collect();
    commands.retain(|words| words.first().is_none_or(|word| !foreign.contains(&word.as_str())));
    commands.sort();
    for command in commands {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        words.push("--help");
        let help = ended(&mut folder.plimsoll(&words));
        assert_eq!(help.code, Some(0), "{words:?}: {}", help.err);
        let heading = format!("plimsoll {}", command.join(" "));
        let lines: Vec<&str> = help.out.trim_end().lines().map(str::trim_end).collect();
        text += &format!("\n## {}\n\n```\n{}\n```\n", heading.trim_end(), lines.join("\n"));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let page = fs::read_to_string(&path).unwrap();
    assert!(
        page == text,
        "docs/reference/commands.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p cli --test quick commands"
    );
}

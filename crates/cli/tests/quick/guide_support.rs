//! The guide on what to send to support: its commands, with a simulated volume in place of its mounted one.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

#[test]
fn the_commands_of_the_guide_run_as_printed() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/support.md");
    let guide = fs::read_to_string(guide).unwrap();
    let commands: Vec<&str> =
        guide.split("```sh\n").skip(1).flat_map(|rest| rest.split("```").next().unwrap().lines()).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    let folder = Folder::new();
    let mut run = String::new();
    for command in commands {
        let of_the_test = command
            .replace("doctor /mnt/vol", "doctor @")
            .replace("check /mnt/vol", "check sim:aws-gp3 --out @/state/plimsoll")
            .replace("~/.local/state/plimsoll/vol-check-2026-11-23-2130.plimsoll", &run)
            .replace("--png . > ticket.md", "--png @");
        let words: Vec<&str> = of_the_test.split_whitespace().skip(1).collect();
        let done = ended(&mut folder.plimsoll(&words));
        // The doctor may have found something, and the verdict may be any.
        let fine = match words[0] {
            "doctor" => matches!(done.code, Some(0 | 1)),
            "check" => matches!(done.code, Some(0 | 3 | 4)),
            _ => done.code == Some(0),
        };
        assert!(fine, "{of_the_test}: {:?} {}", done.code, done.err);
        if words[0] == "check" {
            run = run_file(&folder.path("state/plimsoll"));
        }
    }
    assert!(folder.listing().iter().any(|line| line.contains("-ticket.png")), "{:?}", folder.listing());
}

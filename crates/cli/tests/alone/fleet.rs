//! `plimsoll fleet`, with real processes of a real MPI on this machine.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::*;

/// Steps of three seconds, which are real on the null target.
const RUN: [&str; 6] = ["run", "five-figures", "null:", "--time", "3s", "--busy"];

/// Finds an `mpiexec` with the library of the standard ABI beside it; records a skip if there is none.
fn mpiexec() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_library = |found: &PathBuf| {
        let real = found.canonicalize().unwrap_or_default();
        real.parent().is_some_and(|bin| bin.with_file_name("lib").join("libmpi_abi.so.1").exists())
    };
    let found = std::env::split_paths(&path).map(|folder| folder.join("mpiexec")).find(has_library);
    if found.is_none() {
        skipped(Lack::Tool, "no MPI with the standard ABI is installed (pip install mpich)");
    }
    found
}

/// Returns the command that starts so many processes of a fleet with these words, each as on a host of its own: MPICH's launcher
/// ends all of a host if one dies.
fn fleet(folder: &Folder, launcher: &Path, processes: usize, words: &[&str]) -> Command {
    let here = "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nshift\nexec sh -c \"$*\"\n";
    let remote_shell = folder.path("remote-shell");
    fs::write(&remote_shell, here).unwrap();
    fs::set_permissions(&remote_shell, fs::Permissions::from_mode(0o755)).unwrap();
    let hosts: Vec<String> = (1..=processes).map(|host| format!("127.0.0.{host}")).collect();
    let (launcher, hosts) = (launcher.display().to_string(), hosts.join(","));
    let remotely = ["-launcher", "rsh", "-launcher-exec", "@/remote-shell", "-hosts", &hosts];
    let before = ["-disable-auto-cleanup", "plimsoll", "fleet", "--out", "@/all"];
    folder.through(&launcher, &[&remotely[..], &before, words].concat())
}

/// Processes whose words contain the folder's path, with their words and surroundings.
fn ours(folder: &Folder) -> Vec<(u32, String, String)> {
    let path = folder.text(".").trim_end_matches('.').to_owned();
    let read = |process: u32, file: &str| {
        let bytes = fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', "\n")
    };
    let all = kernel::processes(Path::new("/")).into_iter();
    let all = all.map(|process| (process, read(process, "cmdline"), read(process, "environ")));
    all.filter(|(_, words, _)| words.contains(&path)).collect()
}

/// Whether the launcher says that all went well, or died of a broken pipe, as MPICH 5.0.2's may after -disable-auto-cleanup.
fn is_done(ended: &ProgramOutput) -> bool {
    matches!(ended.code, Some(0) | None)
}

fn run_files(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("all")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut runs: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "plimsoll"))
        .map(|path| path.display().to_string())
        .collect();
    runs.sort();
    runs
}

/// I/Os of all steps of a run file.
fn ops(folder: &Folder, run: &str) -> u64 {
    let document = ended(&mut folder.plimsoll(&["report", run, "--format", "json"])).json();
    let steps = document["steps"].as_array().unwrap().iter();
    let totals = steps.flat_map(|step| step["totals"].as_object().unwrap().values());
    totals.map(|of| of["ops"].as_u64().unwrap()).sum()
}

#[test]
fn what_three_processes_have_together_is_the_sum_of_their_runs() {
    let Some(launcher) = mpiexec() else { return };
    let folder = Folder::new();
    let run = ["run", "five-figures", "sim:custom,iops=2000,noise=1%", "--out", "@/own"];
    let done = ended(&mut fleet(&folder, &launcher, 3, &run));
    assert!(is_done(&done), "{}{}", done.out, done.err);
    assert!(
        done.out.contains("3 machines together") && done.out.contains("clocks compared to ±"),
        "{}",
        done.out
    );
    let (merged, single): (Vec<String>, Vec<String>) =
        run_files(&folder).into_iter().partition(|run| run.contains("merged-3-machines"));
    assert_eq!((merged.len(), single.len()), (1, 3), "{merged:?} {single:?}");
    let sum: u64 = single.iter().map(|run| ops(&folder, run)).sum();
    assert_eq!(ops(&folder, &merged[0]), sum);
    assert!(sum > 10_000, "{sum}");
    // Each keeps its own run besides.
    assert_eq!(fs::read_dir(folder.path("own")).unwrap().flatten().count(), 6);
}

#[test]
fn alone_and_together_simulated_volumes_of_their_own_share_nothing() {
    let Some(launcher) = mpiexec() else { return };
    let folder = Folder::new();
    let run = ["--alone", "run", "database", "sim:custom,iops=2000,noise=1%", "--out", "@/own"];
    let done = ended(&mut fleet(&folder, &launcher, 2, &run));
    assert!(is_done(&done), "{}{}", done.out, done.err);
    assert!(done.out.starts_with("APART: 2 machines"), "{}", done.out);
}

#[test]
fn a_process_that_dies_is_named_and_the_others_go_on_and_nothing_is_left_behind() {
    let Some(launcher) = mpiexec() else { return };
    let folder = Folder::new();
    let own = ["--out", "@/own"];
    let mut running = Running::start(&mut fleet(&folder, &launcher, 3, &[&RUN[..], &own].concat()));
    // The layout is over, and the first step is under way.
    let child = |word: &(u32, String, String)| word.1.contains("--start-at") && !word.1.contains("fleet");
    assert!(comes_true(|| ours(&folder).iter().filter(|word| child(word)).count() == 3), "no runs");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let second = ours(&folder).into_iter().find(|(_, words, surroundings)| {
        words.contains("fleet") && !words.contains("mpiexec") && surroundings.contains("PMI_RANK=1\n")
    });
    let (second, ..) = second.unwrap();
    let killed = Command::new("kill").args(["-9", &second.to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(running.has_said(":2 has not answered for"), "not named");
    let done = running.wait();
    assert!(done.out.contains("2 of 3 machines"), "{}{}", done.out, done.err);
    assert!(done.out.contains("no run of ") && done.err.contains("without "), "{}{}", done.out, done.err);
    assert_eq!(run_files(&folder).len(), 3, "{:?}", run_files(&folder));
    assert!(comes_true(|| ours(&folder).is_empty()), "{:?}", ours(&folder));
}

#[test]
fn ctrl_c_ends_all_with_what_they_have_together() {
    let Some(launcher) = mpiexec() else { return };
    let folder = Folder::new();
    let mut running =
        Running::start(&mut fleet(&folder, &launcher, 2, &[&RUN[..], &["--out", "@/own"]].concat()));
    assert!(running.has_said("IOPS on 2 machines"), "no step has ended");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    running.signal("INT");
    let done = running.wait();
    assert!(done.out.contains("2 machines together"), "{}{}", done.out, done.err);
    assert!(comes_true(|| ours(&folder).is_empty()), "{:?}", ours(&folder));
}

#[test]
fn nothing_is_loaded_anywhere_if_one_cannot_be_measured() {
    let Some(launcher) = mpiexec() else { return };
    let folder = Folder::new();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    folder.make_dir("vol");
    let (good, bad) = (format!("{host}=@/vol"), format!("{host}=@/missing/vol"));
    let targets = ["--target", &good, "--target", &bad];
    let words = ["run", "database", "--busy", "--size", "64MiB", "--out", "@/own"];
    let done = ended(&mut fleet(&folder, &launcher, 2, &[&targets[..], &words].concat()));
    assert!(done.err.contains("could not begin (above)") && done.err.contains("missing"), "{}", done.err);
    assert!(run_files(&folder).is_empty());
    assert_eq!(fs::read_dir(folder.path("vol")).unwrap().count(), 0);
    let twice = ["--target", &good, "--target", &good, "--target", &good, "run", "database", "--busy"];
    let done = ended(&mut fleet(&folder, &launcher, 2, &twice));
    assert!(done.err.contains("there are more --target"), "{}", done.err);
    let nobody = ["--target", "nobody=@/vol", "run", "database", "--busy"];
    let done = ended(&mut fleet(&folder, &launcher, 2, &nobody));
    assert!(done.err.contains("no machine is called nobody"), "{}", done.err);
}

#[test]
fn without_mpi_and_for_commands_that_decide_by_themselves_the_refusal_says_what_to_do() {
    let folder = Folder::new();
    let alone = |words: &[&str]| {
        let mut command = folder.plimsoll(words);
        command.env("PATH", "").env_remove("VIRTUAL_ENV").env_remove("PLIMSOLL_LIBMPI");
        ended(&mut command)
    };
    let check = alone(&["fleet", "check", "@"]);
    assert_eq!(check.code, Some(2), "{}", check.err);
    assert!(check.complained().contains("a fleet runs profiles"), "{}", check.err);
    let own = alone(&["fleet", "run", "database", "null:", "--progress=json"]);
    assert_eq!(own.code, Some(2), "{}", own.err);
    assert!(own.complained().contains("--progress after run"), "{}", own.err);
    let wrong = alone(&["fleet", "--mpi", "@/no-library.so", "run", "database", "null:"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    assert!(wrong.complained().contains("no-library.so"), "{}", wrong.err);
    let is_installed = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
        .iter()
        .any(|folder| Path::new(folder).join("libmpi_abi.so.1").exists());
    if !is_installed {
        let none = alone(&["fleet", "run", "database", "null:"]);
        assert_eq!(none.code, Some(2), "{}", none.err);
        assert!(none.complained().contains("pip install mpich"), "{}", none.err);
    }
}

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
    assert!(done.out.contains("\nAPART: 2 machines"), "{}", done.out);
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

/// Three hosts, `host-1` to `host-3`, each in a network namespace on one bridge; removed when the test ends.
struct Hosts {
    _undo: Vec<Undo>,
}

impl Hosts {
    const NETWORK: &str = "10.213.77";
    const NUMBERS: [u8; 3] = [1, 2, 3];

    /// Name of the bridge, and start of all other names.
    fn bridge() -> String {
        format!("pl{}", std::process::id())
    }

    fn cable(host: u8) -> String {
        format!("{}-{host}", Hosts::bridge())
    }

    fn address(host: u8) -> String {
        format!("{}.{host}", Hosts::NETWORK)
    }

    /// Makes the hosts; `None`, and a skip, if this machine cannot.
    fn or_skip() -> Option<Hosts> {
        let bridge = Hosts::bridge();
        let mut undo = vec![Undo::by(&["ip", "link", "del", &bridge])];
        let own = format!("{}/24", Hosts::address(254));
        let mut is_made = run(&["ip", "link", "add", &bridge, "type", "bridge"])
            && run(&["ip", "addr", "add", &own, "dev", &bridge])
            && run(&["ip", "link", "set", &bridge, "up"]);
        for host in Hosts::NUMBERS {
            let (name, cable) = (Hosts::address(host), Hosts::cable(host));
            undo.push(Undo::by(&["ip", "netns", "del", &name]));
            let address = format!("{name}/24");
            is_made = is_made
                && run(&["ip", "netns", "add", &name])
                && run(&[
                    "ip", "link", "add", &cable, "type", "veth", "peer", "name", "eth0", "netns", &name,
                ])
                && run(&["ip", "link", "set", &cable, "master", &bridge, "up"])
                && run(&["ip", "-n", &name, "addr", "add", &address, "dev", "eth0"])
                && run(&["ip", "-n", &name, "link", "set", "eth0", "up"])
                && run(&["ip", "-n", &name, "link", "set", "lo", "up"]);
        }
        is_made.then_some(Hosts { _undo: undo })
    }

    /// Has each host measure one of the devices, first by itself and then with the others; returns what is printed.
    fn alone_and_together(&self, folder: &Folder, launcher: &Path, devices: [&Path; 3]) -> ProgramOutput {
        let remotely = folder.path("remote-shell");
        let words = "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1; shift\n\
                     exec ip netns exec $host unshare --uts sh -c \"hostname host-${host##*.}; $*\"\n";
        fs::write(&remotely, words).unwrap();
        fs::set_permissions(&remotely, fs::Permissions::from_mode(0o755)).unwrap();
        let profile = "title = \"Reads\"\nsize = \"64MiB\"\ntime = \"5s\"\nramp = \"1s\"\n[[step]]\nname = \"reads\"\n\
                       [[step.job]]\norder = \"random\"\nread = 100\nblock = \"4KiB\"\ndepth = 32\n";
        fs::write(folder.path("reads.toml"), profile).unwrap();
        let hosts = Hosts::NUMBERS.map(Hosts::address).join(",");
        let bridge = Hosts::bridge();
        let mut all = vec!["-disable-auto-cleanup", "-launcher", "rsh", "-launcher-exec", "@/remote-shell"];
        all.extend(["-iface", &bridge, "-genv", "UCX_TLS", "tcp,self", "-hosts", &hosts]);
        all.extend(["plimsoll", "fleet", "--alone", "--out", "@/all"]);
        let target = |(host, device): (u8, &Path)| format!("--target=host-{host}={}", device.display());
        let targets: Vec<String> = Hosts::NUMBERS.into_iter().zip(devices).map(target).collect();
        all.extend(targets.iter().map(String::as_str));
        all.extend(["run", "@/reads.toml", "--busy", "--out", "@/own"]);
        ended(&mut folder.through(&launcher.display().to_string(), &all))
    }

    /// Bytes that a host has sent to the others.
    fn sent(host: u8) -> u64 {
        let path = format!("/sys/class/net/{}/statistics/rx_bytes", Hosts::cable(host));
        fs::read_to_string(path).unwrap().trim().parse().unwrap()
    }
}

#[test]
#[ignore = "night: real rates"]
fn three_hosts_on_a_network_share_what_lies_behind_all_of_their_volumes_or_have_each_their_own() {
    let Some(launcher) = mpiexec() else { return };
    if !root_or_skip("a network namespace") {
        return;
    }
    let neighbours = Neighbours::watch();
    let Some(hosts) = Hosts::or_skip() else { return };
    let of_group = |group: &QemuThrottle, part: u64| {
        let (size, offset) = ((64u64 << 20).to_string(), ((64u64 << 20) * part).to_string());
        LoopOver::with(group.path(), &["--direct-io=on", "--sizelimit", &size, "--offset", &offset])
    };
    let judge = |devices: [LoopOver; 3], answer: &str| {
        let folder = Folder::new();
        let [one, two, three] = &devices;
        let done = hosts.alone_and_together(&folder, &launcher, [one.path(), two.path(), three.path()]);
        eprintln!("{}{}", done.out, done.err);
        assert!(done.out.contains("3 machines"), "{}{}", done.out, done.err);
        if !done.out.contains(&format!("\n{answer}")) {
            neighbours.excuse_or_fail(&done.out);
        }
    };
    let Some(group) = QemuThrottle::or_skip(192, &[("iops-total", 900)]) else { return };
    let [Some(one), Some(two), Some(three)] = [0, 1, 2].map(|part| of_group(&group, part)) else { return };
    judge([one, two, three], "SHARED");
    let groups = [0; 3].map(|_| QemuThrottle::or_skip(64, &[("iops-total", 300)]));
    let [Some(one), Some(two), Some(three)] = groups.each_ref().map(|group| of_group(group.as_ref()?, 0))
    else {
        return;
    };
    judge([one, two, three], "APART");
    // Their messages and run files went over the network.
    assert!(Hosts::NUMBERS.into_iter().skip(1).all(|host| Hosts::sent(host) > 100_000));
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
    let none = alone(&["fleet", "run", "database", "null:"]);
    assert!(none.code == Some(0) || none.complained().contains("pip install mpich"), "{}", none.err);
}

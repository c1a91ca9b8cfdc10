//! What makes figures misleading is named in the verdict: memory, layers, caches, blocks without data, other loads,
//! too little CPU.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::process::Command;

use crate::machine::*;
use serde_json::Value;

/// Checks `target` to the end, or until stderr contains `until`.
fn checked(folder: &Folder, target: &str, options: &[&str], until: Option<&str>) -> ProgramOutput {
    let fixed = ["check", target, "--effort", "brief", "--format", "json"];
    stopped(Running::start(&mut folder.plimsoll(&[&fixed[..], options].concat())), until)
}

fn stopped(mut running: Running, until: Option<&str>) -> ProgramOutput {
    if let Some(words) = until {
        assert!(running.has_said(words), "never said {words}: {}", running.wait().err);
        running.signal("INT");
    }
    let ended = running.wait();
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    ended
}

/// Late enough to have read a little and found everything that does not depend on rates.
const EARLY: Option<&str> = Some("latency read");

fn sentence(document: &Value) -> String {
    squeezed(document["verdict"]["sentence"].as_str().unwrap())
}

fn kinds(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().filter_map(|finding| finding["kind"].as_str()).collect()
}

/// Fails if the verdict does not contain every one of `words`.
fn names(document: &Value, words: &[&str]) {
    let told = sentence(document);
    let missing: Vec<&&str> = words.iter().filter(|word| !told.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?} not in: {told}");
}

#[test]
#[ignore = "night: half a minute of a check"]
fn a_file_system_in_memory_is_named_and_voids_the_verdict() {
    let folder = Folder::new();
    let point = folder.path("memory");
    let Some(memory) = MountGuard::at(point, &["-t", "tmpfs", "-o", "size=300m", "none"]) else { return };
    let ended = checked(&folder, &memory.text(), &["--size", "64M", "--policy", "aws-gp3"], None);
    names(&ended.json(), &["CANNOT TELL", "tmpfs keeps its files in memory"]);
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert!(memory.names().is_empty(), "{:?}", memory.names());
}

#[test]
fn layers_over_another_file_system_are_named() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 200, Through::Direct) else { return };
    let [lower, upper, work] = ["lower", "upper", "work"].map(|name| {
        let path = volume.mount.path(name);
        std::fs::create_dir(&path).unwrap();
        text(&path)
    });
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work}");
    let Some(layers) = MountGuard::at(folder.path("layers"), &["-t", "overlay", "-o", &options, "none"])
    else {
        return;
    };
    let ended = checked(&folder, &layers.text(), &["--size", "64M", "--busy"], EARLY);
    names(&ended.json(), &["overlay lies over another file system"]);
    let devices = ended.json()["run"]["target"]["devices"].to_string();
    assert!(devices.contains(&volume.disk.name()), "the device below is not seen: {devices}");
}

#[test]
fn a_device_that_the_page_cache_serves_is_named() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 200, Through::Cache) else { return };
    let directory = volume.mount.text();
    let ended = checked(&folder, &directory, &["--size", "64M", "--busy"], EARLY);
    names(&ended.json(), &["CANNOT TELL", &volume.disk.name(), "goes through this machine's page cache"]);
    let node = volume.disk.node();
    let ended = checked(&folder, &node, &["--busy"], EARLY);
    names(&ended.json(), &["CANNOT TELL", "goes through this machine's page cache"]);
}

#[test]
fn a_file_system_without_direct_io_is_named() {
    let folder = Folder::in_memory();
    let Some(disk) = Disk::of(&folder, 200, Through::Direct) else { return };
    // ext4 that journals data has no direct I/O (kernel document filesystems/ext4, data=journal).
    let Some(volume) = Volume::with(&folder, disk, &["-o", "data=journal"]) else { return };
    let directory = volume.mount.text();
    let ended = checked(&folder, &directory, &["--size", "64M", "--busy"], EARLY);
    names(&ended.json(), &["CANNOT TELL", "knows no direct I/O, so the page cache takes part"]);
}

/// Asserts that a check and a run of the file at `path`, `percent` of which was never written, are refused before
/// anything is measured, with a command that lays data out.
fn refused_as_unwritten(folder: &Folder, path: &Path, percent: &str) {
    let target = text(path);
    for words in [&["check", &target, "--busy"][..], &["run", "crystaldiskmark", &target, "--busy"]] {
        let ended = ended(&mut folder.plimsoll(words));
        assert_eq!(ended.code, Some(2), "{words:?}: {}\n{}", ended.out, ended.err);
        let said = ended.complained();
        let folder = text(&path.parent().unwrap().canonicalize().unwrap());
        for part in
            [&format!("{percent} % of the 80 MiB"), "was never written", &format!("plimsoll check {folder}")]
        {
            assert!(squeezed(&said).contains(part), "{part} not in: {said}");
        }
        assert!(ended.out.is_empty(), "{}", ended.out);
    }
}

#[test]
fn a_file_of_holes_is_refused_with_the_command_that_lays_data_out() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    let path = volume.mount.path("holes");
    write_data(&path, 20);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(80 << 20).unwrap();
    refused_as_unwritten(&folder, &path, "75");
}

#[test]
fn a_file_of_unwritten_extents_is_refused_unless_the_region_holds_data() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    let path = volume.mount.path("reserved");
    write_data(&path, 64);
    if !run(&["fallocate", "-l", "80M", &text(&path)]) {
        return;
    }
    refused_as_unwritten(&folder, &path, "20");
    let ended = checked(&folder, &text(&path), &["--busy", "--size", "64M"], EARLY);
    assert_eq!(ended.json()["run"]["target"]["unwritten_share"], 0.0);
}

/// Each dialect reads a file that was only reserved: its output is unchanged, and stderr says what it read.
#[test]
fn a_dialect_says_on_stderr_that_it_reads_what_was_never_written() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 200, Through::Direct) else { return };
    let path = volume.mount.path("fa.dat");
    write_data(&path, 4);
    let target = text(&path);
    if !run(&["fallocate", "-l", "64M", &target]) {
        return;
    }
    let filename = format!("--filename={target}");
    let fixed = ["fio", "--name=a", &filename, "--rw=randread", "--output-format=json"];
    let said = |more: &[&str]| {
        let ended = ended(&mut folder.plimsoll(&[&fixed[..], more].concat()));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(ended.json()["jobs"].is_array());
        squeezed(&ended.err)
    };
    let told = said(&["--direct=1", "--size=64m", "--number_ios=2000"]);
    assert!(told.contains("94 % of ") && told.contains("fa.dat was never written"), "{told}");
    assert!(told.contains(&format!("the device {} served at most ", volume.disk.name())), "{told}");
    assert!(told.contains(" of 2,000 reads"), "{told}");
    let told = said(&["--direct=1", "--offset=4m", "--size=60m", "--number_ios=2000"]);
    assert!(told.contains("100 % of ") && told.contains(" served 0 of 2,000 reads"), "{told}");
    assert_eq!(said(&["--direct=1", "--size=4m"]), "", "what holds data is not doubted");

    let words = ["diskspd", "-d1", "-W0", "-r", "-b4K", "-Su", &target];
    let told = squeezed(&ended(&mut folder.plimsoll(&words)).err);
    assert!(told.contains("94 % of ") && told.contains("was never written"), "{told}");
    assert!(told.contains(&format!("the device {} served at most ", volume.disk.name())), "{told}");
    let told = squeezed(&ended(&mut folder.plimsoll(&["ioping", "-c", "1", "-D", &target])).err);
    assert!(told.contains("94 % of what is read holds no data"), "{told}");
}

/// A directory's region starts as a hole, and holds data before anything is read from it.
#[test]
fn a_directory_is_laid_out_before_it_is_read_and_nothing_else_is_held_against_it() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    let ended = checked(&folder, &volume.mount.text(), &["--size", "64M", "--busy"], Some("read depth 2"));
    let document = ended.json();
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(
        (&steps[0]["name"], &steps[0]["totals"]["write"]["bytes"]),
        (&"layout".into(), &(64 << 20).into())
    );
    let read_first = steps.iter().find(|step| !step["totals"]["read"].is_null()).unwrap();
    assert!(read_first["started_ns"].as_u64() >= steps[0]["ended_ns"].as_u64());
    assert_eq!(document["run"]["target"]["unwritten_share"], 0.0);
    let doubts = ["target_doubt", "cached_reads", "unwritten", "foreign_load", "reads_only"];
    let held: Vec<&str> = kinds(&document).into_iter().filter(|kind| doubts.contains(kind)).collect();
    assert!(held.is_empty(), "{held:?}: {}", sentence(&document));
}

/// If the time for the layout ends first, only what was written is read.
#[test]
#[ignore = "night: a signal at a real moment"]
fn a_layout_that_was_cut_short_cuts_the_region() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 400, Through::Direct) else { return };
    let Some(mut throttle) = Throttle::or_skip("cut") else { return };
    throttle.limit(&volume.disk, 20 << 20);
    let fixed = ["check", &volume.mount.text(), "--effort", "brief", "--format", "json", "--size", "300M"];
    let mut running = Running::start(&mut folder.plimsoll(&fixed));
    throttle.holds(running.id());
    assert!(running.has_said("read depth 1"), "{}", running.wait().err);
    running.signal("INT");
    let document = running.wait().json();
    let steps = document["steps"].as_array().unwrap();
    let written = steps[0]["totals"]["write"]["bytes"].as_u64().unwrap();
    assert!(written < 300 << 20, "{written}");
    for step in &steps[1..] {
        let region = step["plan"]["workers"][0]["files"][0]["size"].as_u64().unwrap();
        assert!(
            region <= written,
            "{} reaches into what was never written: {region} of {written}",
            step["name"]
        );
    }
    assert_eq!(document["run"]["target"]["unwritten_share"], 0.0);
}

#[test]
fn what_a_writer_left_in_the_page_cache_is_not_held_against_reads_that_go_past_it() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    let path = volume.mount.path("warm");
    write_data(&path, 80);
    assert!(std::fs::read(&path).unwrap().len() == 80 << 20, "it is in the page cache now");
    let ended = checked(&folder, &text(&path), &["--busy"], EARLY);
    assert!(!sentence(&ended.json()).contains("page cache"), "{}", sentence(&ended.json()));
}

#[test]
#[ignore = "night: real load"]
fn a_foreign_load_on_the_device_is_named() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    let reading = format!(
        "while :; do dd if={} of=/dev/null bs=64k iflag=direct status=none || exit; done",
        volume.disk.node()
    );
    let _others = Running::start(Command::new("sh").args(["-c", &reading]));
    // At full length, because a step of two seconds has too few samples for a conclusion.
    let target = volume.mount.text();
    let words = ["check", &target, "--size", "64M", "--busy", "--policy", "aws-gp3", "--format", "json"];
    let running = Running::start(&mut folder.plimsoll(&words));
    let document = stopped(running, Some("latency write")).json();
    names(&document, &["CANNOT TELL", "omebody else used the device meanwhile"]);
    let found =
        document["findings"].as_array().unwrap().iter().find(|finding| finding["kind"] == "foreign_load");
    assert_eq!(found.unwrap()["device"], volume.disk.name());
}

/// Starts three busy loops on `cpu`.
fn busy_loops(cpu: &str) -> Vec<Running> {
    let one =
        |_| Running::start(Command::new("taskset").args(["-c", cpu, "sh", "-c", "while :; do :; done"]));
    (0..3).map(one).collect()
}

#[test]
#[ignore = "night: half a minute with the CPUs taken"]
fn a_generator_that_lacks_cpu_is_named() {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 300, Through::Direct) else { return };
    if !Path::new("/proc/self/schedstat").exists() {
        return skipped(Lack::Kernel, "this kernel does not say how long a thread waited for a CPU");
    }
    let path = volume.mount.path("file");
    write_data(&path, 80);
    // The loops have a higher priority, on the only CPU that plimsoll may use.
    let loops = busy_loops("0");
    let words = ["-c", "0", "nice", "-n", "19", "plimsoll", "check", &text(&path)];
    let options = ["--effort", "brief", "--busy", "--format", "json", "--expect", "read 1000000 iops"];
    let mut running = Running::start(&mut folder.through("taskset", &[&words[..], &options].concat()));
    assert!(running.has_said("read depth 1"), "{}", running.wait().err);
    running.signal("INT");
    let document = running.wait().json();
    drop(loops);
    names(&document, &["CANNOT TELL", "short of CPU"]);
    assert!(kinds(&document).contains(&"generator_bound"), "{:?}", kinds(&document));
}

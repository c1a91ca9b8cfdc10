//! Files that plimsoll makes: no other file is replaced, run files are complete from their first moment even if the
//! process is killed, and if the device that holds them stops answering, nothing waits for it.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::machine::*;

const CHECK: [&str; 2] = ["check", "sim:aws-gp3,size=100GiB"];

fn names_in(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns the name that a check gets in this minute, without its extension.
fn stem_now() -> String {
    let out = Command::new("date").arg("+%F-%H%M").output().unwrap();
    format!("sim-aws-gp3-size-100GiB-check-{}", String::from_utf8_lossy(&out.stdout).trim())
}

/// Runs `of` with the name of this minute, in a folder of its own; again if the minute ended meanwhile.
fn within_a_minute(of: impl Fn(&Folder, &str), new: impl Fn() -> Folder) {
    for _ in 0..3 {
        let stem = stem_now();
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| of(&new(), &stem)));
        match told {
            Ok(()) => return,
            Err(panic) if stem == stem_now() => std::panic::resume_unwind(panic),
            Err(_) => {}
        }
    }
    panic!("the minute ended three times meanwhile");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// Anyone who may write in a folder could link the report's name to a file of the user who runs a check there.
#[test]
fn a_link_planted_at_the_reports_name_costs_no_file() {
    within_a_minute(planted, Folder::for_everybody);
}

fn planted(folder: &Folder, stem: &str) {
    let (victim, out) = (folder.path("victim"), folder.make_dir("out"));
    fs::write(&victim, "precious").unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o600)).unwrap();
    for ending in ["html", "json"] {
        symlink(&victim, out.join(format!("{stem}.{ending}"))).unwrap();
    }
    let checked = ended(&mut folder.plimsoll(&[&CHECK[..], &["--out", "@/out"]].concat()));
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert_eq!((fs::read_to_string(&victim).unwrap().as_str(), mode(&victim)), ("precious", 0o600));
    let page = out.join(format!("{stem}-2.html"));
    assert!(page.is_file() && page.with_extension("plimsoll").is_file(), "{:?}", names_in(&out));
    // Drawn again under a name that plimsoll chooses: a page is replaced by a page, but a link is not.
    let run = text(&page.with_extension("plimsoll"));
    fs::remove_file(&page).unwrap();
    symlink(&victim, &page).unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", &run]));
    assert_eq!(drawn.code, Some(2), "{}", drawn.err);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    // The user may still ask for it: a link that is typed is followed.
    fs::write(&victim, "").unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", &run, "--html", &text(&page)]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert!(fs::read_to_string(&victim).unwrap().contains("</html>") && page.is_symlink());
    assert_eq!(mode(&victim), 0o600, "what is there keeps its mode");
}

#[test]
fn a_page_of_that_minute_stays_where_its_run_file_was_moved() {
    within_a_minute(moved, Folder::new);
}

fn moved(folder: &Folder, stem: &str) {
    let words = [&CHECK[..], &["--out", "@/out"]].concat();
    assert_eq!(ended(&mut folder.plimsoll(&words)).code, Some(0));
    let out = folder.path("out");
    let page = out.join(format!("{stem}.html"));
    let before = fs::read(&page).unwrap();
    fs::rename(page.with_extension("plimsoll"), folder.path("kept.plimsoll")).unwrap();
    assert_eq!(ended(&mut folder.plimsoll(&words)).code, Some(0));
    assert!(fs::read(&page).unwrap() == before, "the page of the first run was replaced");
    let expected = ["-2.html", "-2.plimsoll", ".html"].map(|end| format!("{stem}{end}"));
    assert_eq!(names_in(&out), expected);
}

#[test]
fn a_table_takes_the_place_of_a_table_and_of_nothing_else() {
    let folder = Folder::new();
    assert_eq!(ended(&mut folder.plimsoll(&[&CHECK[..], &["--out", "@/out"]].concat())).code, Some(0));
    let run = run_file(&folder.path("out"));
    let csv = || ended(&mut folder.plimsoll(&["report", &run, "--csv", "@/csv"]));
    assert_eq!(csv().code, Some(0));
    let tables = names_in(&folder.path("csv"));
    assert!(tables.len() > 1, "{tables:?}");
    let second = csv();
    assert_eq!(second.code, Some(0), "tables of before give way: {}", second.err);
    let last = folder.path("csv").join(tables.last().unwrap());
    fs::write(&last, "my,own,numbers\n1,2,3\n").unwrap();
    let first = folder.path("csv").join(&tables[0]);
    fs::remove_file(&first).unwrap();
    let refused = csv();
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.complained().contains("no table of plimsoll's"), "{}", refused.err);
    assert_eq!(fs::read_to_string(&last).unwrap(), "my,own,numbers\n1,2,3\n");
    assert!(!first.exists(), "nothing is written before all is known to fit");
}

#[test]
fn an_output_file_of_fios_words_keeps_its_mode_its_owner_and_its_links() {
    let folder = Folder::new();
    let (output, link) = (folder.path("result"), folder.path("link"));
    fs::write(&output, "of before").unwrap();
    fs::set_permissions(&output, fs::Permissions::from_mode(0o640)).unwrap();
    if is_root() {
        std::os::unix::fs::chown(&output, Some(12345), Some(12346)).unwrap();
    }
    symlink(&output, &link).unwrap();
    let before = fs::metadata(&output).unwrap();
    let job = ["--name=a", "--ioengine=null", "--size=1m", "--number_ios=16"];
    let to = format!("--output={}", text(&link));
    let ran = ended(&mut folder.plimsoll(&[&["fio"], &job[..], &[&to]].concat()));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let after = fs::metadata(&output).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert!(link.is_symlink() && fs::read_to_string(&output).unwrap().contains("Run status"));
}

#[test]
fn a_log_of_fios_words_is_not_written_through_a_link() {
    let folder = Folder::new();
    fs::write(folder.path("victim"), "precious").unwrap();
    symlink(folder.path("victim"), folder.path("log_bw.1.log")).unwrap();
    let log = format!("--write_bw_log={}", folder.text("log"));
    let job = ["fio", "--name=a", "--ioengine=null", "--size=1m", "--number_ios=16", &log];
    let ran = ended(&mut folder.plimsoll(&job));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.complained().contains("is a link, and no log is written through one"), "{}", ran.err);
    assert_eq!(fs::read_to_string(folder.path("victim")).unwrap(), "precious");
}

#[test]
fn where_plimsoll_chooses_the_folder_it_is_its_owners_alone() {
    let folder = Folder::new();
    assert_eq!(ended(&mut folder.plimsoll(&CHECK)).code, Some(0));
    let state = folder.path("state/plimsoll");
    let names = names_in(&state);
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(mode(&state), 0o700);
    names.iter().for_each(|name| assert_eq!(mode(&state.join(name)), 0o600, "{name}"));
    if !is_root() {
        return skipped(Lack::Root, "only root can give a folder to somebody else");
    }
    std::os::unix::fs::chown(&state, Some(12345), None).unwrap();
    let refused = ended(&mut folder.plimsoll(&CHECK));
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.complained().contains("belongs to user 12345"), "{}", refused.err);
}

/// As cron and services start it: /tmp is everybody's, and the first user to make a folder there once owned what was kept in it.
#[test]
fn without_a_home_root_keeps_runs_where_only_root_writes_and_others_are_refused() {
    if !is_root() {
        return skipped(Lack::Root, "needs root");
    }
    let folder = Folder::for_everybody();
    fs::copy(env!("CARGO_BIN_EXE_plimsoll"), folder.path("plimsoll")).unwrap();
    let homeless = |command: &mut Command| {
        ended(command.env_remove("HOME").env_remove("XDG_STATE_HOME").env("TMPDIR", folder.make_dir("tmp")))
    };
    // A mount of the test's own hides the machine's folder.
    let script = "mount -t tmpfs none /var/lib && \"$0\" check sim:aws-gp3,size=100GiB && stat -c '%a %n' /var/lib/plimsoll";
    let words = ["--mount", "sh", "-c", script, "@/plimsoll"];
    let root = homeless(&mut folder.through("unshare", &words));
    if root.err.contains("unshare failed") || root.err.contains("mount:") {
        return skipped(Lack::Kernel, root.err);
    }
    assert_eq!(root.code, Some(0), "{}", root.err);
    assert!(root.out.contains("700 /var/lib/plimsoll"), "{}", root.out);
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "@/plimsoll", CHECK[0], CHECK[1]];
    let other = homeless(&mut folder.through("setpriv", &nobody));
    assert_eq!(other.code, Some(2), "{}", other.out);
    let told = other.complained();
    assert!(told.contains("HOME is not set") && told.contains("--out"), "{told}");
    assert!(names_in(&folder.path("tmp")).is_empty(), "nothing in a folder for everybody");
}

/// A file system that cannot be written for a while: writers wait in the kernel.
struct FrozenFileSystem {
    point: String,
    /// Thaws the file system even if the test is killed.
    _thaw: Running,
}

impl FrozenFileSystem {
    fn at(mount: &MountGuard) -> Option<FrozenFileSystem> {
        let point = mount.text();
        let thaw = format!("sleep 60; fsfreeze --unfreeze {point}");
        let thaw = Running::start(Command::new("setsid").args(["sh", "-c", &thaw]));
        run(&["fsfreeze", "--freeze", &point]).then_some(FrozenFileSystem { point, _thaw: thaw })
    }
}

impl Drop for FrozenFileSystem {
    fn drop(&mut self) {
        let _ = Command::new("fsfreeze").args(["--unfreeze", &self.point]).stderr(Stdio::null()).status();
    }
}

/// Ctrl-C while the run file's device accepts no writes: the run ends, and that is reported, before the device answers.
fn stops_beside_a_silent_run_file(words: &[&str], under_way: &str) {
    let folder = Folder::in_memory();
    let Some(volume) = Volume::ext4(&folder, 100, Through::Direct) else { return };
    let out = volume.mount.text() + "/out";
    folder.make_file("target", 80);
    let all = [words, &["--out", &out]].concat();
    let mut running = Running::start(&mut folder.plimsoll(&all));
    assert!(running.has_said(under_way), "{}", running.wait().err);
    // If there is no file yet, no thread waits for one.
    assert!(comes_true(|| names_in(Path::new(&out)).len() > 1), "{}", running.wait().err);
    let Some(frozen) = FrozenFileSystem::at(&volume.mount) else { return };
    std::thread::sleep(Duration::from_secs(3));
    running.signal("INT");
    let said = running.has_said("answer;");
    drop(frozen);
    let ended = running.wait();
    assert!(said, "nothing was said while the device was silent: {}", ended.err);
    assert!(matches!(ended.code, Some(1 | 130)), "{:?}", ended.code);
    let run = run_file(Path::new(&out));
    let drawn = crate::machine::ended(&mut folder.plimsoll(&["report", &run, "--html", "@/page.html"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
}

#[test]
#[ignore = "night: real seconds"]
fn a_watch_stops_beside_a_silent_run_file() {
    stops_beside_a_silent_run_file(&["watch", "--every", "100ms"], "run file");
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_check_stops_beside_a_silent_run_file() {
    stops_beside_a_silent_run_file(&["check", "@/target", "--effort", "brief", "--busy"], "latency read");
}

/// Commands to kill, in turn; each gets a folder for its run file.
const VICTIMS: [&[&str]; 8] = [
    &["check", "sim:aws-gp2,size=100GiB"],
    &["check", "@on", "--size", "64M", "--effort", "brief", "--busy"],
    &["check", "@/data", "--effort", "brief", "--busy"],
    &["run", "crystaldiskmark", "@on", "--size", "64M", "--time", "200ms", "--busy"],
    &["stream", "@on", "--size", "32M", "--time", "500ms", "--busy"],
    &["watch", "--every", "50ms", "--for", "10"],
    &[
        "watch",
        "--load",
        "@/load.fio",
        "--on",
        "@on",
        "--cycle",
        "1s",
        "--size",
        "64M",
        "--every",
        "50ms",
        "--busy",
    ],
    &["watch", "--every", "50ms", "--", "sleep", "2"],
];

/// The lab's leftovers are checked only if asked for, because that takes a second and a loop device each time.
const LAB_VICTIM: &[&str] = &["check", "lab:aws-gp3", "--size", "64M", "--effort", "brief", "--busy"];

const LOAD: &str = "[load]\nrw=randwrite\nbs=4k\niodepth=4\ndirect=1\nsize=64m\n";

/// Returns when to kill: a third of the times within the first 50 ms, otherwise within the first four seconds.
fn moment(number: usize, state: &mut u64) -> Duration {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let most = if number.is_multiple_of(3) { 50_000 } else { 4_000_000 };
    Duration::from_micros(*state % most)
}

/// One worker's place: a volume for the data, a folder for run files.
struct Killing {
    /// Declared before the folder that it is mounted in, because fields are dropped in this order.
    volume: Volume,
    folder: Folder,
    free_before: u64,
    found: BTreeMap<&'static str, usize>,
    faults: Vec<String>,
}

impl Killing {
    fn new() -> Option<Killing> {
        let folder = Folder::in_memory();
        let volume = Volume::ext4(&folder, 300, Through::Direct)?;
        folder.make_file("data", 64);
        fs::write(folder.path("load.fio"), LOAD).unwrap();
        let free_before = volume.mount.free();
        Some(Killing { folder, volume, free_before, found: BTreeMap::new(), faults: Vec::new() })
    }

    /// Kills a command after `moment` and checks what it has left.
    fn kill(&mut self, victim: &[&str], moment: Duration) {
        let on = self.volume.mount.text();
        let out = self.folder.make_dir("out");
        let words: Vec<&str> =
            victim.iter().map(|word| if *word == "@on" { on.as_str() } else { word }).collect();
        let at = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let words = [&words[..at], &["--out", "@/out"], &words[at..]].concat();
        let mut command = self.folder.plimsoll(&words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        let _ = child.kill();
        child.wait().unwrap();
        let faults = self.left_in(&out);
        self.faults
            .extend(faults.into_iter().map(|fault| format!("{victim:?} killed after {moment:?}: {fault}")));
        fs::remove_dir_all(&out).unwrap();
    }

    fn count(&mut self, what: &'static str) {
        *self.found.entry(what).or_default() += 1;
    }

    fn left_in(&mut self, out: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        let names = names_in(out);
        let ours = |name: &String| {
            [".plimsoll", ".plimsoll-wal", ".plimsoll-shm", ".html"].iter().any(|end| name.ends_with(end))
        };
        faults.extend(names.iter().filter(|name| !ours(name)).map(|name| format!("{name} is left")));
        let runs: Vec<PathBuf> =
            names.iter().filter(|name| name.ends_with(".plimsoll")).map(|name| out.join(name)).collect();
        self.count(if runs.is_empty() { "before any file" } else { "with a run file" });
        for run in runs {
            faults.extend(self.alone(&run));
            faults.extend(self.drawn("beside its -wal", &run));
        }
        let mount = &self.volume.mount;
        if !comes_true(|| mount.free() == self.free_before) {
            faults.push(format!("{} bytes are not free again", self.free_before.abs_diff(mount.free())));
        }
        faults.extend(mount.names().into_iter().map(|name| format!("{name} is left on the target")));
        faults
    }

    /// Checks the main file without its side files: it must be drawable, and complete unless the kill came during a
    /// checkpoint; together with its `-wal` it must be complete.
    fn alone(&mut self, run: &Path) -> Vec<String> {
        let copy = self.folder.path("alone.plimsoll");
        fs::copy(run, &copy).unwrap();
        let mut faults: Vec<String> = self.drawn("alone", &copy).into_iter().collect();
        if whole(&copy).is_err() {
            self.count(AMID);
            let _ = fs::remove_file(text(&copy) + "-shm");
            fs::copy(run, &copy).unwrap();
            let _ = fs::copy(text(run) + "-wal", text(&copy) + "-wal");
            faults.extend(whole(&copy).err());
        }
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(text(&copy) + end);
        }
        faults
    }

    fn drawn(&mut self, how: &'static str, run: &Path) -> Option<String> {
        let drawn = ended(&mut self.folder.plimsoll(&[
            "report",
            &text(run),
            "--format",
            "json",
            "--html",
            "@/page.html",
        ]));
        if drawn.code == Some(0) {
            self.count(how);
            return None;
        }
        Some(format!("{how} it is not readable: {}", drawn.err))
    }
}

/// What a kill during a checkpoint is counted as.
const AMID: &str = "amid a checkpoint";

/// Returns what SQLite's own check finds wrong with the file; nothing if there is no `sqlite3`.
fn whole(run: &Path) -> Result<(), String> {
    let checked = Command::new("sqlite3").args([&text(run), "PRAGMA integrity_check"]).output();
    match checked {
        Ok(checked) if checked.stdout != b"ok\n" => {
            let [said, complained] =
                [&checked.stdout, &checked.stderr].map(|out| String::from_utf8_lossy(out));
            Err(format!("integrity_check: {}: {said}{complained}", checked.status))
        }
        _ => Ok(()),
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

/// `PLIMSOLL_KILLS` is the number of kills (40), `PLIMSOLL_KILLS_SEED` draws their moments, `PLIMSOLL_KILLS_AT_ONCE`
/// is how many run at a time (4), and `PLIMSOLL_KILLS_LAB` after how many others one kills a lab volume (never).
#[test]
#[ignore = "night: kills at real moments"]
fn killed_at_any_moment_a_run_file_opens_alone_and_nothing_else_is_left() {
    let (kills, at_once) = (setting("PLIMSOLL_KILLS", 40), setting("PLIMSOLL_KILLS_AT_ONCE", 4));
    let (seed, lab) = (setting("PLIMSOLL_KILLS_SEED", 1), setting("PLIMSOLL_KILLS_LAB", 0));
    let next = AtomicUsize::new(0);
    let work = |worker: u64| -> Option<Killing> {
        let mut killing = Killing::new()?;
        let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(worker) | 1;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number as u64 >= kills {
                return Some(killing);
            }
            let is_lab = lab > 0 && (number as u64).is_multiple_of(lab);
            let victim = if is_lab { LAB_VICTIM } else { VICTIMS[number % VICTIMS.len()] };
            killing.kill(victim, moment(number, &mut state));
        }
    };
    let ends: Vec<Option<Killing>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for end in ends.into_iter().flatten() {
        end.found.iter().for_each(|(what, count)| *found.entry(what).or_default() += count);
        faults.extend(end.faults.iter().cloned());
    }
    println!("{kills} kills with seed {seed}: {found:?}, {} faults", faults.len());
    assert!(faults.is_empty(), "seed {seed}:\n{}", faults.join("\n"));
    let amid = found.get(AMID).copied().unwrap_or(0);
    assert!(amid * 100 <= kills.max(100) as usize, "{amid} of {kills} lone files are not whole");
}

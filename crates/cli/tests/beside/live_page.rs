//! The live page of a run in a real browser, and `plimsoll serve`: what they show, whom they let in, and that a
//! watched run ends as it would have otherwise.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test may stop at what it did not expect, and prints what it measured

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::machine::{Folder, ended, run_file};
use crate::page_zoom::{browser_is_missing, web};

/// Patience beyond which something will not happen at all.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running program, and the address that it has printed.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    /// Starts `plimsoll` with these words, and reads its address from the line of stderr or stdout that contains `http://`.
    fn started(folder: &Folder, words: &[&str]) -> Serving {
        let mut command = folder.plimsoll(words);
        let is_list = words[0] == "serve";
        command.stdout(if is_list { Stdio::piped() } else { Stdio::null() });
        command.stderr(if is_list { Stdio::null() } else { Stdio::piped() });
        let mut child = command.spawn().unwrap();
        let from: Box<dyn std::io::Read + Send> = match child.stderr.take() {
            Some(stderr) => Box::new(stderr),
            None => Box::new(child.stdout.take().unwrap()),
        };
        let mut lines = BufReader::new(from).lines();
        let url = lines.find_map(|line| {
            let line = line.unwrap();
            line.find("http://").map(|at| line[at..].trim().to_owned())
        });
        // Its other output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Serving { child, url: url.unwrap() }
    }

    /// Returns its address without `http://`: host with port, and path.
    fn parts(&self) -> (&str, &str) {
        let rest = self.url.strip_prefix("http://").unwrap();
        rest.split_at(rest.find('/').unwrap())
    }

    fn told(&self, path: &str) -> String {
        let (host, token) = self.parts();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.write_all(format!("GET {token}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        let mut told = Vec::new();
        let _ = stream.read_to_end(&mut told);
        String::from_utf8_lossy(&told).into_owned()
    }

    fn end(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

/// Ends the program even if the test fails.
impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the story of that name in the browser.
fn tell(story: &str, words: &[&str]) {
    let told = ended(Command::new("node").current_dir(web()).args(["out/live.mjs", story]).args(words));
    assert_eq!(told.code, Some(0), "{story}: {}\n{}", told.err, told.out);
    print!("{}", told.out);
}

/// Returns the CPU ticks (1/100 s) of the threads of `pid` with these names.
fn ticks_of(pid: u32, names: &[&str]) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
    let of_ours = stats.filter(|stat| names.iter().any(|name| stat.contains(&format!("({name})"))));
    of_ours
        .map(|stat| {
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
        })
        .sum()
}

#[test]
#[ignore = "night: real seconds in a browser"]
fn a_run_is_followed_in_a_browser_and_ends_as_its_file() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    let run = Serving::started(
        &folder,
        &["run", "five-figures", "null:", "--time", "1s", "--serve", "--out", "@/runs"],
    );
    // Other clients meanwhile connect and never complete a request.
    let slow: Vec<TcpStream> = (0..300)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(run.parts().0).ok()?;
            let _ = stream.write_all(b"GET / HTTP");
            Some(stream)
        })
        .collect();
    let file = run_file(&folder.path("runs")).replace(".plimsoll", ".html");
    tell("theRunIsFollowedToItsFile", &[&run.url, &file]);
    drop(slow);
    assert_eq!(run.end(), Some(0));
}

#[test]
#[ignore = "night: half a minute of load"]
fn a_page_that_is_looked_at_costs_a_hundredth_of_a_processor() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    let run = Serving::started(
        &folder,
        &["run", "five-figures", "null:", "--time", "5s", "--serve", "--out", "@/runs"],
    );
    let (host, token) = run.parts();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(format!("GET {token}news HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
    let begun = Instant::now();
    std::thread::sleep(Duration::from_secs(20));
    let (ticks, seconds) = (ticks_of(run.child.id(), &["serve", "live page"]), begun.elapsed().as_secs_f64());
    println!("{ticks} ticks in {seconds:.1} s: {:.2} % of a processor", ticks as f64 / seconds);
    assert!(ticks as f64 / 100.0 <= 0.015 * seconds, "{ticks} ticks in {seconds} s");
}

#[test]
fn the_list_of_a_folder_shows_its_runs_and_nothing_else_of_the_machine() {
    let folder = Folder::new();
    let made = ended(&mut folder.plimsoll(&[
        "run",
        "five-figures",
        "sim:aws-gp3",
        "--time",
        "1s",
        "--out",
        "@/runs",
    ]));
    assert_eq!(made.code, Some(0), "{}", made.err);
    let run = run_file(&folder.path("runs"));
    let name = std::path::Path::new(&run).file_name().unwrap().to_str().unwrap().to_owned();
    std::fs::write(folder.path("secret.plimsoll"), "precious").unwrap();
    std::os::unix::fs::symlink(folder.path("secret.plimsoll"), folder.path("runs/link.plimsoll")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path("runs/passwd.plimsoll")).unwrap();
    std::fs::write(folder.path("runs/other.txt"), "precious").unwrap();

    let list = Serving::started(&folder, &["serve", "@/runs"]);
    let told = list.told("");
    assert!(told.contains(&format!("href=\"run/{name}\"")), "{told}");
    assert!(!told.contains("link.plimsoll") && !told.contains("passwd"), "{told}");
    assert!(list.told(&format!("run/{name}")).starts_with("HTTP/1.1 200"));
    for path in [
        "run/link.plimsoll",
        "run/passwd.plimsoll",
        "run/other.txt",
        "run/../secret.plimsoll",
        "run/..%2fsecret.plimsoll",
        "run//etc/passwd",
        "run/",
        "other.txt",
        "../secret.plimsoll",
    ] {
        let told = list.told(path);
        assert!(told.starts_with("HTTP/1.1 404") && !told.contains("precious"), "{path}: {told}");
    }
    if !browser_is_missing() {
        tell("theListLeadsToItsPages", &[&list.url]);
    }
}

//! `--progress json`: every line is an object, and together they agree with the result; and `q` on a terminal.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::fs;

use crate::machine::*;
use serde_json::Value;

/// Returns every line as an object of the schema, and checks that their times ascend.
fn events(text: &str) -> Vec<Value> {
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let mut before = 0.0;
    for event in &events {
        assert_eq!((&event["schema"], &event["schema_version"]), (&"plimsoll-progress".into(), &1.into()));
        let elapsed = event["elapsed_s"].as_f64().unwrap();
        assert!(elapsed >= before, "{event}");
        before = elapsed;
    }
    events
}

fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

/// Sums the operations by step, counted from 1, and direction over `intervals`, each with its step.
fn ops<'a>(intervals: impl Iterator<Item = (u64, &'a Value)>) -> BTreeMap<(u64, String), u64> {
    let mut sums = BTreeMap::new();
    for (step, interval) in intervals {
        for (direction, part) in interval["directions"].as_object().unwrap() {
            *sums.entry((step, direction.clone())).or_default() += part["ops"].as_u64().unwrap();
        }
    }
    sums
}

#[test]
fn the_lines_of_a_check_say_what_its_result_says() {
    let folder = Folder::new();
    let words = ["check", "sim:aws-gp3", "--policy", "aws-gp3", "--progress", "json", "--format", "json"];
    let done = ended(&mut folder.plimsoll(&words));
    let (result, events) = (done.json(), events(&done.err));
    let first = named(&events, "run_started").next().unwrap();
    assert_eq!((&first["target"], &first["run"]), (&"sim:aws-gp3".into(), &1.into()));
    let steps = result["steps"].as_array().unwrap();
    let names =
        |key: &'static str| named(&events, key).map(|event| event["name"].clone()).collect::<Vec<_>>();
    let ran: Vec<Value> = steps.iter().map(|step| step["name"].clone()).collect();
    assert!(ran.len() > 10 && names("step_started") == ran && names("step_ended") == ran, "{ran:?}");
    let numbers: Vec<u64> =
        named(&events, "step_started").map(|event| event["step"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=ran.len() as u64).collect::<Vec<_>>());
    let told = ops(named(&events, "interval").map(|event| (event["step"].as_u64().unwrap(), event)));
    let kept = ops(steps.iter().enumerate().flat_map(|(at, step)| {
        step["intervals"].as_array().unwrap().iter().map(move |interval| (at as u64 + 1, interval))
    }));
    assert_eq!(told, kept);
    for (event, step) in named(&events, "step_ended").zip(steps) {
        for key in ["totals", "ending", "started_ns", "ended_ns"] {
            assert_eq!(event[key], step[key], "{key} of {}", step["name"]);
        }
    }
    let caps: Vec<&Value> =
        named(&events, "so_far").flat_map(|event| event["caps"].as_array().unwrap()).collect();
    let reached = named(&events, "so_far").flat_map(|event| event["reached"].as_array().unwrap());
    let figures: Vec<&Value> = reached.chain(caps).map(|found| &found["per_second"]).collect();
    assert!(!figures.is_empty());
    for figure in figures {
        let [low, value, high] = ["low", "value", "high"].map(|key| figure[key].as_f64().unwrap());
        assert!(low <= value && value <= high, "{figure}");
    }
    let over = named(&events, "run_ended").next().unwrap();
    assert_eq!(
        (&over["answer"], &over["sentence"]),
        (&result["verdict"]["answer"], &result["verdict"]["sentence"])
    );
    assert!(fs::exists(over["report"].as_str().unwrap()).unwrap(), "{over}");
    let last = events.last().unwrap();
    assert_eq!((&last["event"], last["exit_code"].as_i64()), (&"ended".into(), done.code.map(i64::from)));
}

#[test]
fn a_profile_tells_which_step_of_how_many_it_is() {
    let folder = Folder::new();
    let done = ended(&mut folder.plimsoll(&["run", "five-figures", "sim:aws-gp3", "--progress", "json"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told = events(&done.err);
    let steps: Vec<(u64, u64)> = named(&told, "step_started")
        .map(|event| (event["step"].as_u64().unwrap(), event["steps"].as_u64().unwrap()))
        .collect();
    let many = steps.len() as u64;
    assert_eq!(steps, (1..=many).map(|step| (step, many)).collect::<Vec<_>>());
}

#[test]
fn what_fails_is_told_in_lines_too() {
    let folder = Folder::new();
    let done = ended(&mut folder.plimsoll(&["check", "sim:nosuch", "--progress", "json"]));
    assert_eq!(done.code, Some(2));
    let events = events(&done.err);
    assert!(events[0]["text"].as_str().unwrap().contains("nosuch"), "{}", done.err);
    assert_eq!(events.last().unwrap()["exit_code"], 2);
}

#[test]
fn a_watch_tells_its_phases_and_a_comparison_its_two_runs() {
    let folder = Folder::new();
    let load = ["watch", "--load", "database", "--on", "sim:aws-gp3", "--cycle", "5s", "--repeat", "1"];
    let done = ended(&mut folder.plimsoll(&[&load[..], &["--progress", "json"]].concat()));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told = events(&done.err);
    let phases: Vec<&Value> = named(&told, "phase_ended").map(|event| &event["name"]).collect();
    assert_eq!(phases.len(), 3, "{}", done.err);
    assert!(named(&told, "device").count() > 5, "{}", done.err);
    let sides = ["sim:custom,iops=3000,noise=2%", "sim:custom,iops=2850,noise=2%"];
    let done =
        ended(&mut folder.plimsoll(&["compare", sides[0], sides[1], "--progress", "json", "--blocks", "8"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let told = events(&done.err);
    let runs: Vec<u64> = named(&told, "run_ended").map(|event| event["run"].as_u64().unwrap()).collect();
    assert_eq!(runs, [1, 2], "{}", done.err);
}

#[test]
fn a_file_or_a_descriptor_takes_the_lines_and_stderr_stays_peoples() {
    let folder = Folder::new();
    let map = ["map", "sim:aws-gp3", "--out", "@/runs", "--progress"];
    let file = "json:@/lines.ndjson";
    for _ in 0..2 {
        let done = ended(&mut folder.plimsoll(&[&map[..], &[file]].concat()));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(!done.err.contains('{') && done.err.contains("simulated"), "{}", done.err);
    }
    let told = events(&fs::read_to_string(folder.path("lines.ndjson")).unwrap());
    assert_eq!(named(&told, "ended").count(), 1, "the second run has begun the file anew");
    let line = "\"$0\" map sim:aws-gp3 --progress json:/dev/fd/3 3> \"$1\"";
    let piped = ended(&mut folder.through("sh", &["-c", line, "plimsoll", "@/third"]));
    assert_eq!(piped.code, Some(0), "{}", piped.err);
    assert_eq!(named(&events(&fs::read_to_string(folder.path("third")).unwrap()), "run_ended").count(), 1);
    fs::write(folder.path("precious"), "something else\n").unwrap();
    let refused = ended(&mut folder.plimsoll(&[&map[..], &["json:@/precious"]].concat()));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.complained().contains("no progress of plimsoll's"), "{}", refused.err);
    assert_eq!(fs::read_to_string(folder.path("precious")).unwrap(), "something else\n");
}

#[test]
fn lines_that_a_full_file_does_not_take_are_told_of_once_and_cost_no_result() {
    let folder = Folder::new();
    let full = ended(&mut folder.plimsoll(&["map", "sim:aws-gp3", "--progress", "json:/dev/full"]));
    assert_eq!(full.code, Some(0), "{}", full.err);
    let told = full.err.matches("json:/dev/full: lines are missing from it: No space left").count();
    assert_eq!(told, 1, "{}", full.err);
}

/// Runs the words on a terminal and follows `keys`: `z` suspends the program as Ctrl-Z does and resumes it, `q`
/// presses that key. Prints whether the terminal echoes before, during and after the run; then the exit code.
const TERMINAL: &str = r"
import os, pty, select, signal, sys, termios, time
keys, words = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.environ['TERM'] = 'xterm'
    time.sleep(0.3)
    os.execvp(words[0], words)
def echoes():
    return 'on' if termios.tcgetattr(terminal)[3] & termios.ECHO else 'off'
said = [echoes()]
shown = b''
def until(done):
    global shown
    end = time.monotonic() + 60
    while not done() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try: shown += os.read(terminal, 65536)
            except OSError: time.sleep(0.02)
until(lambda: b'what is known' in shown)
said.append(echoes())
for key in keys:
    if key == 'z':
        os.write(terminal, b'\x1a')
        until(lambda: os.waitpid(child, os.WUNTRACED | os.WNOHANG)[0])
        said.append(echoes())
        os.kill(child, signal.SIGCONT)
        until(lambda: echoes() == 'off')
        said.append(echoes())
    else:
        os.write(terminal, key.encode())
status = []
def over():
    pid, how = os.waitpid(child, os.WNOHANG)
    if pid: status.append(how)
    return pid
until(over)
said.append(echoes())
print(' '.join(said), os.waitstatus_to_exitcode(status[0]) if status else 'hangs')
sys.stderr.buffer.write(shown)
";

#[test]
fn q_ends_it_with_what_is_known_and_the_terminal_is_as_it_was() {
    let Some(python) = python_with("import pty") else {
        return skipped(Lack::Tool, "no python3 here");
    };
    let folder = Folder::new();
    for (keys, words, said) in [
        ("q", &["--for", "60s"][..], "on off on 130\n"),
        ("xzq", &[], "on off on off on 0\n"),
        ("\u{3}", &["--for", "60s"], "on off on 130\n"),
    ] {
        let all = [&["-c", TERMINAL, keys, "plimsoll", "watch", "--every", "100ms"], words].concat();
        let done = ended(&mut folder.through(python, &all));
        assert_eq!(done.out, said, "{keys:?}: {}", done.err);
        assert!(done.err.contains("run "), "{}", done.err);
    }
}

#[test]
fn a_command_that_is_watched_is_asked_to_end_when_the_time_of_for_is_over() {
    let folder = Folder::new();
    let watch = |words: &[&str]| {
        ended(&mut folder.plimsoll(&[&["watch", "--every", "50ms", "--for"], words].concat()))
    };
    let asked =
        watch(&["200ms", "--", "sh", "-c", "trap 'echo asked; exit 7' TERM; while :; do sleep 0.05; done"]);
    assert_eq!((asked.code, asked.out.as_str()), (Some(7), "asked\n"), "{}", asked.err);
    let killed = watch(&["200ms", "--", "sleep", "600"]);
    assert_eq!(killed.code, Some(128 + 15), "{}", killed.err);
    let early = watch(&["60s", "--", "true"]);
    assert_eq!((early.code, early.out.as_str()), (Some(0), ""), "{}", early.err);
}

#[test]
fn each_step_begins_when_a_line_on_stdin_says_so_and_the_end_of_stdin_stops_the_run() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let folder = Folder::new();
    let words = [
        "run",
        "five-figures",
        "sim:custom,iops=1000",
        "--start-at",
        "-",
        "--progress",
        "json",
        "--out",
        "@",
    ];
    let mut command = folder.plimsoll(&words);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take();
    let (mut ready, mut started) = (Vec::new(), Vec::new());
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let name = || event["name"].as_str().unwrap().to_owned();
        match event["event"].as_str().unwrap() {
            "ready" => {
                assert_eq!(ready.len(), started.len(), "a step began before its time was given");
                ready.push(name());
                // The third is not to begin any more.
                match ready.len() {
                    3 => to = None,
                    _ => to.as_mut().unwrap().write_all(b"@1700000000.5\n").unwrap(),
                }
            }
            "step_started" => started.push(name()),
            _ => {}
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((ready.len(), &ready[..2]), (3, &started[..2]), "{ready:?} {started:?}");
}

//! The terminal recording in the README: a real check in a terminal of 80 by 24, drawn as one animated SVG.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::machine::*;

/// The recorded command: its volume is throttled by this kernel to a published policy, so that load and time are real.
const COMMAND: &str = "plimsoll check lab:aws-gp3 --out .";
const COLUMNS: usize = 80;
const ROWS: usize = 24;
/// Most frames kept, spread over the run, and seconds for which each is shown.
const FRAMES: usize = 44;
const SHOWN_S: f64 = 0.33;
/// Seconds for the last frame, which has the answer and must be read.
const LAST_S: f64 = 8.0;
/// Most bytes of the picture: a README is opened on phones too.
const BYTES_MOST: usize = 150_000;

/// Pixels of a cell, of the space around all of them, and of the bar above.
const CELL: (f64, f64) = (8.4, 18.0);
const AROUND: f64 = 14.0;
const ABOVE: f64 = 30.0;

fn picture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/terminal.svg")
}

/// What the terminal showed at some moment, lines with their colours.
struct Frame {
    at: Duration,
    screen: String,
}

/// A part of a line in one colour.
struct Part {
    text: String,
    is_bold: bool,
    colour: Option<u8>,
}

/// A terminal multiplexer of the test's own, which ends with it.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn tmux(&self, words: &[&str]) -> ProgramOutput {
        let own = ["-L", &self.socket, "-f", "/dev/null"];
        ended(Command::new("tmux").args(own).args(words).env("TERM", "xterm-256color"))
    }

    /// Runs `line` in a shell in `folder`.
    fn open(folder: &Path, line: &str) -> Terminal {
        let terminal = Terminal { socket: format!("plimsoll-recording-{}", std::process::id()) };
        let size = (COLUMNS.to_string(), ROWS.to_string());
        let place = folder.display().to_string();
        let sized = ["new-session", "-d", "-x", &size.0, "-y", &size.1, "-c", &place, line];
        let opened = terminal.tmux(&[&["set-option", "-g", "status", "off", ";"], &sized[..]].concat());
        assert_eq!(opened.code, Some(0), "{}", opened.err);
        terminal
    }

    fn screen(&self) -> String {
        let shown = self.tmux(&["capture-pane", "-p", "-e"]);
        shown.out.trim_end().to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Records the frames of the run, each different from the one before it.
fn recorded() -> Vec<Frame> {
    let folder = Folder::new();
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap().display().to_string();
    let done = folder.text("done");
    let line = format!(
        "PATH={bin}:$PATH XDG_STATE_HOME={}; export PATH XDG_STATE_HOME; echo '$ {COMMAND}'; {COMMAND}; \
         touch {done}; sleep 9",
        folder.text("state")
    );
    let terminal = Terminal::open(&folder.make_dir("here"), &line);
    let (begun, mut frames) = (Instant::now(), Vec::<Frame>::new());
    loop {
        let is_over = Path::new(&done).exists();
        let frame = Frame { at: begun.elapsed(), screen: terminal.screen() };
        if !frame.screen.is_empty() && frames.last().is_none_or(|last| last.screen != frame.screen) {
            frames.push(frame);
        }
        if is_over {
            return frames;
        }
        sleep(Duration::from_millis(200));
    }
}

/// Returns at most [`FRAMES`] of them, spread over the time of the run, including the last.
fn spread(frames: &[Frame]) -> Vec<&Frame> {
    let whole = frames.last().unwrap().at;
    let mut kept: Vec<&Frame> = Vec::new();
    for nth in 0..FRAMES as u32 {
        let due = whole * nth / (FRAMES as u32 - 1);
        let shown = frames.iter().take_while(|frame| frame.at <= due).last().unwrap_or(&frames[0]);
        if kept.last().is_none_or(|last| last.at != shown.at) {
            kept.push(shown);
        }
    }
    kept
}

/// Splits a line from the terminal at its colour codes.
fn parts(line: &str) -> Vec<Part> {
    let (mut is_bold, mut colour, mut parts) = (false, None, Vec::new());
    for (at, piece) in line.split("\x1b[").enumerate() {
        let text = match at {
            0 => piece,
            _ => {
                let (codes, text) = piece.split_once('m').unwrap();
                for code in codes.split(';') {
                    match code {
                        "" | "0" => (is_bold, colour) = (false, None),
                        "1" => is_bold = true,
                        "31" | "32" | "33" => colour = code.parse().ok(),
                        _ => {}
                    }
                }
                text
            }
        };
        if !text.is_empty() {
            parts.push(Part { text: text.to_owned(), is_bold, colour });
        }
    }
    parts
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws one line at its place, with a fixed length, so that columns align in every font.
fn line_drawn(line: &str, y: f64) -> String {
    let parts = parts(line);
    let columns: usize = parts.iter().map(|part| part.text.chars().count()).sum();
    let mut text = String::new();
    for part in parts {
        let inner = escaped(&part.text);
        match (part.is_bold, part.colour) {
            (false, None) => text += &inner,
            (_, colour) => {
                let kind = colour.map_or("b".to_owned(), |colour| format!("b c{colour}"));
                let _ = write!(text, "<tspan class=\"{kind}\">{inner}</tspan>");
            }
        }
    }
    format!("<text y=\"{y}\" textLength=\"{:.1}\">{text}</text>\n", columns as f64 * CELL.0)
}

/// Draws everything: the frames below each other, and a window that moves from one to the next.
fn drawn(frames: &[&Frame], took: Duration) -> String {
    let (wide, high) = (COLUMNS as f64 * CELL.0, ROWS as f64 * CELL.1);
    let length = (frames.len() - 1) as f64 * SHOWN_S + LAST_S;
    let mut keys = String::new();
    let mut film = String::new();
    for (nth, frame) in frames.iter().enumerate() {
        let share = 100.0 * nth as f64 * SHOWN_S / length;
        let _ = write!(keys, "{share:.2}%{{transform:translateY(-{}px)}}", nth as f64 * high);
        let _ = writeln!(film, "<g transform=\"translate(0 {})\">", nth as f64 * high);
        for (row, line) in frame.screen.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            film += &line_drawn(line, row as f64 * CELL.1 + 13.0);
        }
        film += "</g>\n";
    }
    let last = (frames.len() - 1) as f64 * high;
    let faster = took.as_secs_f64() / ((frames.len() - 1) as f64 * SHOWN_S);
    let (seconds, faster) = (took.as_secs(), faster.round());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         aria-label=\"{COMMAND} in a terminal, from the forecast to the verdict\">\n<style>\
         text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dde4;white-space:pre}}\
         .b{{font-weight:700}}.c31{{fill:#ff7b72}}.c32{{fill:#56d364}}.c33{{fill:#e3b341}}.s{{fill:#8b949e;font-size:12px}}\
         .film{{animation:film {length:.2}s step-end infinite}}\
         @keyframes film{{{keys}}}\
         @media (prefers-reduced-motion:reduce){{.film{{animation:none;transform:translateY(-{last}px)}}}}\
         </style>\n<rect width=\"{w}\" height=\"{h}\" rx=\"8\" fill=\"#0d1117\"/>\n\
         <text class=\"s\" x=\"{AROUND}\" y=\"20\">{COMMAND}: {seconds} s, shown {faster} times as fast</text>\n\
         <svg x=\"{AROUND}\" y=\"{ABOVE}\" width=\"{wide}\" height=\"{high}\" xml:space=\"preserve\">\n\
         <g class=\"film\">\n{film}</g>\n</svg>\n</svg>\n",
        w = wide + 2.0 * AROUND,
        h = high + ABOVE + AROUND,
    )
}

/// Set `PLIMSOLL_REGENERATE=1` to record it anew, which needs root and takes two minutes.
#[test]
fn the_recording_of_the_readme_is_a_run_from_its_first_line_to_its_verdict() {
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        assert!(has("tmux"), "a recording needs tmux");
        let frames = recorded();
        let last = frames.last().unwrap();
        assert!(
            last.screen.contains("MEETS"),
            "others disturbed the run, and its verdict is another one; again, when the machine is quieter: {}",
            last.screen
        );
        fs::write(picture(), drawn(&spread(&frames), last.at)).unwrap();
    }
    let svg = fs::read_to_string(picture()).unwrap();
    assert!(svg.len() <= BYTES_MOST, "{} bytes", svg.len());
    let frames: Vec<&str> = svg.split("<g transform=").skip(1).collect();
    assert!(frames.len() > 20 && frames.len() <= FRAMES, "{} frames", frames.len());
    assert!(frames[0].contains(&format!("$ {COMMAND}")), "{}", frames[0]);
    let last = frames.last().unwrap();
    for words in ["claim ", "report  ", "No change within"] {
        assert!(last.contains(words), "{words}: {last}");
    }
    assert_eq!(last.matches("<tspan class=\"b c3").count(), 1, "one verdict, coloured: {last}");
    assert!(frames.iter().any(|frame| frame.contains("s left")), "no frame has the live view");
    assert!(frames.iter().all(|frame| frame.matches("<text").count() <= ROWS), "a frame is too long");
    assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
}

#[test]
fn a_recording_keeps_columns_colours_and_the_last_frame() {
    let frame = |second: u64, screen: &str| Frame { at: Duration::from_secs(second), screen: screen.into() };
    let frames = [frame(0, "$ a <b>"), frame(50, "half"), frame(100, "x\n\n\x1b[1m\x1b[32mMEETS\x1b[0m it")];
    let kept = spread(&frames);
    assert_eq!(kept.iter().map(|frame| frame.at.as_secs()).collect::<Vec<_>>(), [0, 50, 100]);
    let svg = drawn(&kept, Duration::from_secs(100));
    assert!(svg.contains("textLength=\"58.8\">$ a &lt;b&gt;</text>"), "{svg}");
    let verdict = "<text y=\"49\" textLength=\"67.2\"><tspan class=\"b c32\">MEETS</tspan> it</text>";
    assert!(svg.contains(verdict), "{svg}");
    assert!(svg.contains("100 s, shown 152 times as fast"), "{svg}");
}

//! Suggestions for refused words: place, problem, and corrected line.

use options::near::nearest;

use super::engines;
use super::error::{Place, RefusedOption};
use super::number::DASHES;
use super::row::{Part, Row};
use super::rows::{self, ROWS};
use super::section::Setting;
use super::value::{ValueError, is_wrapping};

/// Returns plimsoll's addition to the error of a value; empty if fio's own lines are sufficient.
pub fn value(setting: &Setting, error: &ValueError) -> String {
    let correction = error.correction();
    let place = place_of(&setting.typed, error.word());
    let mut text = match (&place, &correction) {
        (Some(place), _) => format!("{place}: {}", error.why()),
        // fio's output on stdout already lists the valid words, and the line above states the bounds.
        (None, None) if fio_says_it(error) => return String::new(),
        (None, _) => error.why(),
    };
    if let Some((word, write)) = correction {
        let dashes = if place.is_some() { "" } else { "--" };
        let value = setting.value.replacen(&word, &write, 1);
        text.push_str(&format!("; write {dashes}{}={value}", setting.name));
    }
    text
}

fn fio_says_it(error: &ValueError) -> bool {
    matches!(error, ValueError::Choice { .. } | ValueError::Below { .. } | ValueError::Above { .. })
}

/// Place of `word` in the value of an option of a job file; the start of the value if it does not contain `word`.
pub fn place_of(typed: &RefusedOption, word: &str) -> Option<Place> {
    let (_, place) = typed.within.as_ref()?;
    let behind = typed.text.find('=').map_or(0, |at| at + 1);
    let at = typed.text[behind..].find(word).filter(|_| !word.is_empty()).unwrap_or(0) + behind;
    let column = place.column + typed.text[..at].chars().count();
    Some(Place { column, ..place.clone() })
}

/// Returns plimsoll's addition to the error of an unknown option in a job file.
pub fn option(typed: &RefusedOption) -> Option<String> {
    let (_, place) = typed.within.as_ref()?;
    let (name, rest) = typed.text.split_at(typed.text.find('=').unwrap_or(typed.text.len()));
    let name = name.trim_end();
    let said = match engine_of(name) {
        Some(engines) => format!("an option of the engine {engines}, which this job does not use"),
        None => match known_form(name) {
            Some((why, known)) => format!("{why}; write {known}{rest}"),
            None => match nearest(name, ROWS.iter().flat_map(Row::names)) {
                Some(known) => format!("no option is named '{name}'; write {known}{rest} if that is meant"),
                None => format!("no option is named '{name}'"),
            },
        },
    };
    Some(format!("{place}: {said}"))
}

/// Returns plimsoll's addition to the error of an unknown engine.
pub fn engine(name: &str) -> Option<String> {
    let meant = match name.to_ascii_lowercase().as_str() {
        "uring" | "iouring" | "io-uring" | "liburing" => Some("io_uring"),
        "aio" | "linuxaio" | "native" => Some("libaio"),
        "posix" => Some("psync"),
        lower => nearest(lower, engines::names().into_iter()),
    };
    meant.map(|engine| format!("Did you mean ioengine={engine}?"))
}

fn engine_of(name: &str) -> Option<String> {
    match rows::named(name)?.own {
        Part::Engine(engines) => Some(engines.join(" or ")),
        Part::Job(_) => None,
    }
}

/// The option that `name` means in the notation of a command line, heading or web page, and what is wrong with it.
fn known_form(name: &str) -> Option<(&'static str, &'static str)> {
    let known = |name: &str| ROWS.iter().flat_map(Row::names).find(|known| *known == name);
    let undashed = name.trim_start_matches(|c| c == '-' || DASHES.contains(&c));
    let bare = undashed.trim_matches(is_wrapping);
    let why = match name {
        _ if undashed != name => "options of a job file have no dashes",
        _ if bare != name => "nothing may stand around an option",
        _ => "names of options are written in small letters",
    };
    known(bare).or_else(|| known(&bare.to_ascii_lowercase())).map(|known| (why, known))
}

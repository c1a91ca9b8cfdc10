//! Words whose values stand only where the command runs: variables of a shell, values of a template or of a program.

use super::concerns::{OF_MISSING_VALUES, OF_MISSING_WORDS};
use super::explanation::{Explanation, Missing};
use super::files_fio::enumerated;
use super::fio_words::{counts_zones, needs_value, stand_in};
use super::risk::Level;
use super::tool::Tool;
use super::variables::{Computed, is_name as is_variable};
use super::word::{OF_FIO, Piece, is_star};
use super::words::takes_next;

/// Who knows the variables of a command.
pub(super) const SHELL: &str = "the shell";

/// Who alone knows the whole of `value`; `None` if it stands there.
pub(super) fn knows(value: &str) -> Option<&'static str> {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c));
    let braced = |text: &str| {
        text.split('{').skip(1).any(|part| part.split_once('}').is_some_and(|(name, _)| is_name(name)))
    };
    let variable = |rest: &str| {
        let is_of_fio = OF_FIO.iter().any(|name| rest.starts_with(name));
        !is_of_fio && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_{(@*".contains(c))
    };
    let is_batch = |name: &str| is_variable(name) && !matches!(name, "s" | "d");
    let of_batch = value.matches('%').count() > 1 && value.split('%').skip(1).step_by(2).any(is_batch);
    if value.split('$').skip(1).any(variable) || value.contains('`') || value.starts_with('(') || of_batch {
        Some(SHELL)
    } else if value.contains("{{") {
        Some("the template")
    } else if braced(value) || is_star(value) || ["%s", "%d", "%%"].iter().any(|mark| value.contains(mark)) {
        Some("the program around it")
    } else {
        None
    }
}

/// Returns the words whose values are known. Variables and lost values are replaced or left out, and listed as gaps.
pub(super) fn known(words: &[Piece], explanation: &mut Explanation) -> Vec<Piece> {
    let mut kept = Vec::new();
    for (at, piece) in words.iter().enumerate() {
        let value = piece.text.split_once('=').map_or(piece.text.as_str(), |(_, value)| value);
        let place = format!("line {}, column {}", piece.line, piece.column);
        if let Some(why) = counts_zones(&piece.text).filter(|_| explanation.tool == Tool::Fio) {
            explanation.gaps.push(format!("{place}: {why}"));
        } else if let Some(who) = knows(value).filter(|_| value.len() > 1) {
            let (stand_in, how) = match explanation.tool {
                Tool::Fio => of_fio(piece, &mut kept),
                tool => of_others(tool, &words[at..], &mut kept),
            };
            if stand_in.is_none() {
                explanation.missing = explanation.missing.max(Missing::Values);
            }
            explanation.gaps.push(format!("{place}: {} is known to {who} alone; {how}.", piece.text));
            kept.extend(stand_in.map(|text| Piece { text, ..piece.clone() }));
        } else if let Some(value) = stray_value(words, at) {
            let whole = format!("{}{value}", piece.text);
            explanation.gaps.push(format!(
                "{place}: {} has no value, so that fio runs nothing: {value} is a word of its own; write {whole}. It is taken so below.",
                piece.text
            ));
            explanation.command = explanation.command.replacen(&format!("{} {value}", piece.text), &whole, 1);
            kept.push(Piece { text: whole, ..piece.clone() });
        } else if at > 0 && stray_value(words, at - 1).is_some() {
            // It is a part of the word before it.
        } else if value.is_empty() && piece.text.starts_with('-') {
            let (example, stand_in) = lost(&piece.text);
            explanation
                .gaps
                .push(format!("{place}: {} has lost its value; write for example {example}.", piece.text));
            if let Some(text) = stand_in {
                explanation.command = explanation.command.replacen(&piece.text, text, 1);
                kept.push(Piece { text: text.to_owned(), ..piece.clone() });
            }
        } else {
            kept.push(piece.clone());
        }
    }
    kept
}

/// The word after `--filename= `, which a blank has cut off from its option.
fn stray_value(words: &[Piece], at: usize) -> Option<&str> {
    let (option, next) = (words.get(at)?, words.get(at + 1)?);
    let is_cut = option.text.starts_with("--") && option.text.ends_with('=') && option.line == next.line;
    let is_value = !next.text.starts_with('-') && !next.text.contains(['=', '$']);
    (is_cut && is_value).then_some(next.text.as_str())
}

/// Removes what would be a guess: risks of a time that is not known, and of words that may be among those that are missing.
pub(super) fn without_guesses(words: &[Piece], explanation: &mut Explanation) {
    let tool = explanation.tool;
    let is_time = |piece: &Piece| {
        let bare = piece.text.trim_start_matches('-');
        bare.starts_with(if tool == Tool::Fio { "runtime=" } else { "d" }) && knows(bare).is_some()
    };
    let is_timed = !words.iter().any(is_time);
    explanation.risks.retain(|told| match explanation.missing {
        _ if told.id == "shorter-than-a-burst" && !is_timed => false,
        Missing::Nothing => true,
        Missing::Values => !OF_MISSING_VALUES.contains(&told.id),
        Missing::Words => told.level != Level::Wrong && !OF_MISSING_WORDS.contains(&told.id),
    });
}

/// Whether a word may stand for others.
pub(super) fn hides(piece: &Piece) -> bool {
    piece.text.starts_with("$(")
        || piece.text.starts_with('$') && !piece.text.contains('=')
        || is_star(&piece.text)
        || piece.text.starts_with('{') && piece.text.ends_with('}')
}

/// Whether the first of the words is where the tool works, as no other follows that is no option.
fn is_the_target(tool: Tool, words: &[Piece]) -> bool {
    let is_last = words[1..].iter().all(|word| tool == Tool::Ioping && word.text.starts_with('-'));
    is_last && matches!(tool, Tool::DiskSpd | Tool::Ioping)
}

/// The words of a command that may stand for any others.
pub(super) fn hidden(tool: Tool, words: &[Piece]) -> impl Iterator<Item = &Piece> {
    // The last word of DiskSpd and of ioping is the target, and the words of iostat are devices.
    let is_target = move |at: usize| is_the_target(tool, &words[at..]);
    let is_value = move |at: usize| at > 0 && takes_next(tool, &words[at - 1].text);
    let stands = words
        .iter()
        .enumerate()
        .filter(move |(at, _)| tool != Tool::Iostat && !is_target(*at) && !is_value(*at));
    stands.map(|(_, piece)| piece).filter(|piece| hides(piece))
}

/// The sentence on variables whose values the text computes.
pub(super) fn of_computed(all: &[Computed]) -> Option<String> {
    let place = |one: &Computed| match one.lines.as_slice() {
        [line] => format!("{} (line {line})", one.name),
        [first, second] => format!("{} (lines {first} and {second})", one.name),
        [first, .., last] => format!("{} (lines {first} to {last})", one.name),
        [] => one.name.clone(),
    };
    let places: Vec<String> = all.iter().map(place).collect();
    let (values, are, them) = if all.len() > 1 { ("values", "are", "them") } else { ("value", "is", "it") };
    (!all.is_empty()).then(|| {
        format!(
            "The {values} of {} {are} computed by the script: what stands here holds without {them}; print the finished line (set -x, or echo) and explain that.",
            enumerated(&places)
        )
    })
}

/// What hides further words.
const HIDDEN: &str = "what stands below holds as far as it says nothing else";
/// What is said of a path or a name that is not wholly known.
const AS_IT_IS: &str = "it stands as it is below";

/// What stands for a word of fio, and how.
fn of_fio(piece: &Piece, kept: &mut Vec<Piece>) -> (Option<String>, String) {
    let option = piece.text.split_once('=').map(|(option, _)| option);
    // The value of the word before it.
    let before = kept.pop_if(|last: &mut Piece| option.is_none() && needs_value(&last.text));
    let option = option.or(before.as_ref().map(|before| before.text.as_str()));
    let typed =
        before.as_ref().map_or(piece.text.clone(), |before| format!("{}={}", before.text, piece.text));
    match option {
        Some(option) => stand_in(option, &typed),
        None if hides(piece) => (None, HIDDEN.to_owned()),
        None => (Some(piece.text.clone()), AS_IT_IS.to_owned()),
    }
}

/// Words that stand for those that are not known, by their first letters: what may write is said to write, and to end.
const STAND_INS: [(Tool, &str); 3] = [(Tool::DiskSpd, "-w50"), (Tool::Dd, "bs=1M"), (Tool::Dd, "count=1024")];

/// What stands for the first of the words of another tool, and how: a path stands as it is, for anything else the default.
fn of_others(tool: Tool, words: &[Piece], kept: &mut Vec<Piece>) -> (Option<String>, String) {
    let text = words[0].text.as_str();
    let is_value = kept.pop_if(|last| takes_next(tool, &last.text) && !text.starts_with('-')).is_some();
    let is_bare = !is_value && !text.starts_with('-') && tool != Tool::Iostat;
    let is_operand =
        matches!(text.split('=').next(), Some("if" | "of" | "seek" | "oseek" | "skip" | "iseek"));
    let is_number = |piece: &Piece| piece.text.bytes().all(|byte| byte.is_ascii_digit());
    let names = if tool == Tool::Dd { is_operand } else { words.len() == 1 || is_the_target(tool, words) };
    let stand_in = STAND_INS.iter().find(|(of, value)| *of == tool && text.starts_with(&value[..2]));
    match stand_in {
        Some((_, value)) => (Some((*value).to_owned()), format!("{value} stands for it below")),
        None if is_bare && names => (Some(text.to_owned()), AS_IT_IS.to_owned()),
        None if is_bare && text.starts_with('$') => (None, HIDDEN.to_owned()),
        // Devices stand before the interval.
        None if tool == Tool::Iostat && (text.contains('/') || words[1..].iter().any(is_number)) => {
            (Some(text.to_owned()), AS_IT_IS.to_owned())
        }
        None if tool == Tool::Iostat => (None, "it is left out below".to_owned()),
        None => (None, "the default stands for it below".to_owned()),
    }
}

/// For an option that has lost its value: an example to suggest, and the word used in its place.
fn lost(word: &str) -> (String, Option<&'static str>) {
    let name = word.trim_start_matches('-').trim_end_matches('=');
    match name {
        "filename" => {
            ("--filename=/mnt/volume/fio.test; it is called FILE below".to_owned(), Some("--filename=FILE"))
        }
        "directory" => {
            ("--directory=/mnt/volume; it is called DIR below".to_owned(), Some("--directory=DIR"))
        }
        _ => (format!("--{name}=VALUE; it is left out below"), None),
    }
}

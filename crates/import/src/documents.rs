//! JSON documents within a text: several in a row, warnings before them, and the readable part of one cut short.

use serde_json::Value;

use super::pieces::{near, shortened};
use super::scan::begins_line;
use super::text::{Text, walked};
use super::trouble::{Trouble, Troubles};

/// One JSON document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The document's value; for a broken document, the value of the text before the break.
    pub value: Value,
    /// Offset of the first byte in [`Text::raw`].
    pub at: usize,
}

/// Returns every wanted document that begins a line or has a first key that reveals its kind. Adds a trouble for
/// each broken one.
pub(crate) fn documents(
    text: &Text,
    troubles: &mut Troubles,
    is_wanted: impl Fn(&Document) -> bool,
) -> Vec<Document> {
    let raw = text.raw.as_str();
    let mut found = Vec::new();
    let mut at = 0;
    // Bytes that may still be read twice: a document broken at its end is read again from after its first bracket.
    let mut again = AGAIN_LEAST + AGAIN * raw.len();
    while let Some(start) = next_start(raw, at).filter(|_| again > 0 && found.len() < DOCUMENTS_MOST) {
        let mut stream = serde_json::Deserializer::from_str(&raw[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) if value.is_object() || value.is_array() => {
                at = start + stream.byte_offset().max(1);
                found.extend(Some(Document { value, at: start }).filter(&is_wanted));
            }
            Some(Err(error)) => {
                let break_at = offset_of(&raw[start..], error.line(), error.column());
                at = start + 1;
                again = again.saturating_sub(break_at);
                let is_comma = plain_words(&error) == TRAILING;
                if let Some((value, end)) = is_comma.then(|| mended(&raw[start..], &mut again)).flatten() {
                    let comma = raw[..start + break_at].rfind(',').unwrap_or(start);
                    troubles.push(text.raw_trouble(
                        comma,
                        "JSON without a comma before a closing bracket",
                        ",",
                    ));
                    found.extend(Some(Document { value, at: start }).filter(&is_wanted));
                    at = start + end;
                } else if let Some(value) =
                    before_break(&raw[start..start + break_at]).filter(tells_something)
                {
                    let last = (0..break_at).rev().find(|&at| raw.is_char_boundary(start + at)).unwrap_or(0);
                    let expected = format!("JSON ({})", plain_words(&error));
                    troubles.push(text.raw_trouble(start + last, expected, near(raw, start + last, 256)));
                    found.extend(Some(Document { value, at: start }).filter(&is_wanted));
                    at = start + break_at.max(1);
                }
            }
            _ => at = start + 1,
        }
        at = raw.ceil_char_boundary(at);
    }
    found
}

/// The decoder's words for a comma before a closing bracket.
const TRAILING: &str = "trailing comma";

/// Reads a document in which commas stand before closing brackets; returns its value and its end, and takes the bytes that
/// were read again from `again`.
fn mended(text: &str, again: &mut usize) -> Option<(Value, usize)> {
    let mut kept = Vec::new();
    let (mut quoted, mut escaped, mut comma, mut depth) = (false, false, None, 0_usize);
    for letter in text.bytes().take(*again) {
        kept.push(letter);
        match letter {
            _ if quoted => {
                quoted = escaped || letter != b'"';
                escaped = !escaped && letter == b'\\';
            }
            b'"' => (quoted, comma) = (true, None),
            b',' => comma = Some(kept.len() - 1),
            b'{' | b'[' => (depth, comma) = (depth + 1, None),
            b'}' | b']' => {
                comma.take().into_iter().for_each(|at: usize| kept[at] = b' ');
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            _ if letter.is_ascii_whitespace() => {}
            _ => comma = None,
        }
    }
    *again = again.saturating_sub(kept.len());
    Some((serde_json::from_slice(&kept).ok()?, kept.len()))
}

/// Most documents read; more than the results that are kept.
const DOCUMENTS_MOST: usize = 1000;

/// Most bytes read again, as a multiple of the text's length, beyond [`AGAIN_LEAST`].
const AGAIN: usize = 4;
/// Bytes that may be read again regardless of the text's length.
const AGAIN_LEAST: usize = 1 << 20;

/// Returns the offset of the next bracket that begins a line or a result of fio.
fn next_start(raw: &str, from: usize) -> Option<usize> {
    let mut brackets = raw.get(from..)?.match_indices(['{', '[']).map(|(index, _)| from + index);
    brackets.find(|&index| begins_line(raw, index) || shows_fio(raw, index))
}

/// Whether the bracket begins a result of fio, as its first key shows; a live line or a page's tag may precede it.
fn shows_fio(raw: &str, at: usize) -> bool {
    let rest = near(raw, at, KEY_WITHIN).trim_start_matches(['{', '[']).trim_start();
    ["\"fio version\"", "\"jobname\"", "\"jobs\""].iter().any(|key| rest.starts_with(key))
}

/// Longest first key with the blanks and line ends before it, in bytes.
const KEY_WITHIN: usize = 64;

/// Whether an object has fields, or a list has objects.
fn tells_something(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

/// Returns the decoder's message without its position, which is relative to the document's start.
fn plain_words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or(&words).to_owned()
}

/// Returns the offset of a line and column that a decoder reports, both counted from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    text.ceil_char_boundary(start + column)
}

/// Returns a trouble at an offset of a text, with the text there.
pub(crate) fn trouble(raw: &str, at: usize, expected: impl Into<String>) -> Trouble {
    let (line, column) = walked(raw.get(..at).unwrap_or(raw), (1, 1));
    Trouble { line, column, expected: expected.into(), found: shortened(near(raw, at, 1024)) }
}

/// Most cuts tried, from the break backwards.
const TRIES: usize = 64;

/// Returns the document up to its last complete part, with its open brackets closed.
fn before_break(text: &str) -> Option<Value> {
    let mut cuts: Vec<(usize, Vec<char>)> = Vec::new();
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for (index, letter) in text.char_indices() {
        if quoted {
            quoted = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => quoted = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop();
                keep(&mut cuts, (index + 1, open.clone()));
            }
            ',' => keep(&mut cuts, (index, open.clone())),
            _ => {}
        }
    }
    cuts.iter().rev().find_map(|(end, open)| {
        let closing: String = open.iter().rev().collect();
        serde_json::from_str(&format!("{}{closing}", &text[..*end])).ok()
    })
}

fn keep(cuts: &mut Vec<(usize, Vec<char>)>, cut: (usize, Vec<char>)) {
    if cuts.len() >= 2 * TRIES {
        cuts.drain(..TRIES);
    }
    cuts.push(cut);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Value>, Vec<Trouble>) {
        let mut troubles = Troubles::default();
        let found = documents(&Text::of(text.to_owned(), Vec::new()), &mut troubles, |_| true);
        (found.into_iter().map(|document| document.value).collect(), troubles.told().0)
    }

    #[test]
    fn documents_stand_one_after_the_other_with_words_between() {
        let (found, troubles) = read("fio: warning {x}\n{\"a\": 1}\n{\n\"b\": [2]}\nend\n");
        assert_eq!(found, [serde_json::json!({"a": 1}), serde_json::json!({"b": [2]})]);
        assert_eq!(troubles, []);
    }

    #[test]
    fn one_cut_short_is_read_up_to_there() {
        let (found, troubles) = read("{\n \"a\": {\"b\": 1, \"c\": 2},\n \"d\": {\"e\": 3, \"f");
        assert_eq!(found, [serde_json::json!({"a": {"b": 1, "c": 2}, "d": {"e": 3}})]);
        assert_eq!((troubles[0].line, troubles.len()), (3, 1));
    }

    #[test]
    fn a_comma_before_a_bracket_hides_nothing() {
        let (found, troubles) = read("{\"a\": [1, 2,], \"b\": {\"c\": \",}\",\n},\n}\n{\"d\": 3}\n");
        let first = serde_json::json!({"a": [1, 2], "b": {"c": ",}"}});
        assert_eq!(found, [first, serde_json::json!({"d": 3})]);
        assert_eq!((troubles.len(), troubles[0].line, troubles[0].column), (1, 1, 12));
    }

    #[test]
    fn a_broken_one_does_not_hide_the_next() {
        let (found, troubles) = read("{\"a\": 1, \"b\" 2}\n{\"c\": 3}\n");
        assert_eq!(found.last(), Some(&serde_json::json!({"c": 3})));
        assert_eq!(troubles.len(), 1);
    }
}

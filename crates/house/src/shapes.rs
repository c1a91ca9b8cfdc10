//! The shape of a function: how many values it takes, its widest tuple, and how deep its blocks are nested.

use crate::source::{closing, has_word, in_name};

/// The parameters of a function and the depth of its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of values that the function takes: its parameters without `self`, each tuple as the values in it.
    pub values: usize,
    /// Number of values in the widest parameter that is a tuple or a reference to one; zero if no parameter is.
    pub tuple: usize,
    /// Number of `if`, `else`, `match`, `for`, `while` and `loop` blocks around the deepest place. Blocks of match
    /// arms, of closures, and those without a keyword add nothing.
    pub depth: usize,
}

/// Keywords that open a block which counts.
const OPENERS: [&str; 6] = ["if", "else", "match", "for", "while", "loop"];

/// Returns the shape of a function from its `parameters`, without their parentheses, and its `body`, with its braces.
pub(crate) fn shape(parameters: &str, body: &str) -> Shape {
    let values: Vec<(usize, bool)> = split(parameters).into_iter().filter_map(kind).map(values).collect();
    Shape {
        values: values.iter().map(|(count, _)| count).sum(),
        tuple: values.iter().filter(|(_, tuple)| *tuple).map(|(count, _)| *count).max().unwrap_or(0),
        depth: depth(body),
    }
}

/// Splits `text` at the commas outside all brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    for at in outside(text).filter(|&at| text[at..].starts_with(',')) {
        pieces.push(&text[from..at]);
        from = at + 1;
    }
    pieces.push(&text[from..]);
    pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// Returns the offsets in `text` that are outside all brackets.
fn outside(text: &str) -> impl Iterator<Item = usize> + '_ {
    let (mut depth, mut before) = (0usize, ' ');
    text.char_indices().filter_map(move |(at, letter)| {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = letter;
        (depth == 0).then_some(at)
    })
}

/// Returns the type of a parameter; `None` for `self`.
fn kind(parameter: &str) -> Option<&str> {
    let colon = outside(parameter).find(|&at| {
        let (before, after) = (&parameter[..at], &parameter[at..]);
        after.starts_with(':') && !after.starts_with("::") && !before.ends_with(':')
    })?;
    let (name, kind) = (parameter[..colon].trim_end(), &parameter[colon + 1..]);
    (!has_word(name, "self")).then_some(kind)
}

/// Counts the values of a type, and returns whether it is a tuple.
fn values(kind: &str) -> (usize, bool) {
    let kind = behind_marks(kind);
    if !kind.starts_with('(') || closing(kind, 0) != kind.len() {
        return (1, false);
    }
    let inside = split(&kind[1..kind.len() - 1]);
    (inside.into_iter().map(|kind| values(kind).0).sum(), true)
}

/// Returns a type without the marks of a reference: `&`, `mut` and a lifetime.
fn behind_marks(kind: &str) -> &str {
    let kind = kind.trim();
    let name = |from: &str| from.find(|letter| !in_name(letter)).unwrap_or(from.len());
    let rest = match kind.strip_prefix('\'') {
        Some(lifetime) => Some(&lifetime[name(lifetime)..]),
        None => kind.strip_prefix('&').or(kind.strip_prefix("mut ")),
    };
    rest.map_or(kind, behind_marks)
}

/// The role of an open bracket of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    /// A block that counts.
    Counted,
    /// The fields of a struct value or of a pattern.
    Fields,
    /// Any other bracket.
    Other,
}

/// Returns the greatest number of counted blocks around a place of `body`.
fn depth(body: &str) -> usize {
    let (mut open, mut deepest) = (Vec::new(), 0);
    // The start of the words that belong to a following brace.
    let mut from = 0;
    for (at, letter) in body.char_indices() {
        match letter {
            '{' => open.push((bracket(&body[from..at]), from)),
            '(' | '[' => open.push((Bracket::Other, from)),
            '}' | ')' | ']' => {
                let (bracket, outer) = open.pop().unwrap_or((Bracket::Other, at));
                let goes_on = bracket == Bracket::Fields || letter != '}';
                from = if goes_on { outer } else { at + 1 };
                continue;
            }
            ';' | ',' => {}
            '>' if body[..at].ends_with('=') => {}
            _ => continue,
        }
        from = at + 1;
        deepest = deepest.max(open.iter().filter(|(bracket, _)| *bracket == Bracket::Counted).count());
    }
    deepest
}

/// Classifies the brace that follows these words.
fn bracket(words: &str) -> Bracket {
    let words = words.trim();
    let ends_in_name = words.ends_with(|letter| in_name(letter) || letter == '>');
    let has_opener = OPENERS.iter().any(|opener| has_word(words, opener));
    match (has_opener && !is_pattern(words), ends_in_name) {
        (true, _) => Bracket::Counted,
        (false, true) if !["unsafe", "move", "const"].iter().any(|word| words.ends_with(word)) => {
            Bracket::Fields
        }
        (false, _) => Bracket::Other,
    }
}

/// Whether `words` end within a pattern: after a `let` without its `=`, or after a `for` without its `in`.
fn is_pattern(words: &str) -> bool {
    let open = words.rfind("let ").is_some_and(|at| !words[at..].contains('='));
    open || has_word(words, "for") && !has_word(words, "in")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(parameters: &str) -> (usize, usize) {
        let shape = shape(parameters, "{}");
        (shape.values, shape.tuple)
    }

    #[test]
    fn a_tuple_counts_as_what_is_in_it() {
        assert_eq!(taken(""), (0, 0));
        assert_eq!(taken("&mut self, a: u8, b: &'a mut [u8]"), (2, 0));
        assert_eq!(taken("self: &Self, (a, b): (u8, u8),"), (2, 2));
        assert_eq!(taken("(a, (b, c)): &'a mut (u8, (u8, &(u8, u8))), d: u8"), (5, 4));
    }

    #[test]
    fn brackets_within_a_type_are_no_tuples_of_parameters() {
        assert_eq!(taken("f: impl Fn(u8, u8, u8) -> (u8, u8, u8), g: Vec<(u8, u8, u8)>"), (2, 0));
        assert_eq!(taken("Pair { a, b }: Pair<u8, std::path::PathBuf>, c: [(u8, u8, u8); 3]"), (2, 0));
        assert_eq!(taken("f: &dyn Fn() -> u8, done: ()"), (1, 0));
    }

    fn deep(body: &str) -> usize {
        shape("", body).depth
    }

    #[test]
    fn what_asks_or_repeats_counts_and_what_only_holds_it_does_not() {
        assert_eq!(deep("{ a; { b } }"), 0);
        assert_eq!(deep("{ if a { b } else if c { d } else { e } }"), 1);
        assert_eq!(
            deep(
                "{ let Some(x) = y else { return };\n for a in b { match c { D => { if e { f } } _ => {} } } }"
            ),
            3
        );
        assert_eq!(
            deep("{ a.map(|b| { if c { d } }).filter(|e| match e { F => 1 }); loop { unsafe { g } } }"),
            1
        );
    }

    #[test]
    fn fields_are_no_blocks() {
        assert_eq!(deep("{ if let Foo { a } = b { Foo { a: Bar { c } } } }"), 1);
        assert_eq!(deep("{ if c && let Foo { a, .. } = b { d } else { e } }"), 1);
        assert_eq!(deep("{ for Foo { a } in b { c } match d { Foo { a } if a => 1, _ => 2 } }"), 1);
        assert_eq!(deep("{ impl Foo for Bar { fn f() { if a { b } } } }"), 1);
    }
}

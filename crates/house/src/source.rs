//! Rust text without what the compiler skips: comments and literals are blanked, so that a search finds code only.

use std::ops::Range;

/// Returns the text with comments, string and character literals blanked; all line breaks, and so all line numbers, stay.
pub fn code_only(text: &str) -> String {
    Reader::of(text).out
}

/// Returns the text as [`code_only`] does, and the ranges, in characters, between the quotes of each string.
pub(crate) fn code_and_strings(text: &str) -> (String, Vec<Range<usize>>) {
    let reader = Reader::of(text);
    (reader.out, reader.strings)
}

/// Returns the text with everything but comments blanked; all line breaks, and so all line numbers, stay.
pub(crate) fn comments_only(text: &str) -> String {
    let reader = Reader::of(text);
    let blank = |letter: &char| if *letter == '\n' { '\n' } else { ' ' };
    let mut kept: Vec<char> = reader.text.iter().map(blank).collect();
    for comment in &reader.comments {
        kept[comment.clone()].copy_from_slice(&reader.text[comment.clone()]);
    }
    kept.into_iter().collect()
}

/// Whether `code` contains `word` as a whole word.
pub fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(in_name) && !after.is_some_and(in_name)
    })
}

/// Returns the byte ranges of the modules under `#[cfg(test)]`, in text that [`code_only`] has cleaned.
pub fn test_spans(code: &str) -> Vec<Range<usize>> {
    let attribute = "#[cfg(test)]";
    let opens = code.match_indices(attribute).filter_map(|(at, _)| {
        let rest = &code[at + attribute.len()..];
        let brace = rest.find(['{', ';']).filter(|&end| rest[end..].starts_with('{'))?;
        Some((at, at + attribute.len() + brace))
    });
    opens.map(|(start, brace)| start..closing(code, brace)).collect()
}

/// Returns the byte offset just after the bracket that closes the one at `open`, or the end of the text if none does.
pub(crate) fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, letter) in code[open..].char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return open + at + 1;
        }
    }
    code.len()
}

/// Whether a letter can be part of a Rust name.
pub(crate) fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

struct Reader {
    text: Vec<char>,
    at: usize,
    out: String,
    /// Ranges between the quotes of the strings so far.
    strings: Vec<Range<usize>>,
    /// Ranges of the comments so far, with their markers.
    comments: Vec<Range<usize>>,
}

impl Reader {
    /// Returns a reader that has read all of `text`.
    fn of(text: &str) -> Reader {
        let out = String::with_capacity(text.len());
        let text = text.chars().collect();
        let mut reader = Reader { text, at: 0, out, strings: Vec::new(), comments: Vec::new() };
        while reader.at < reader.text.len() {
            reader.step();
        }
        reader
    }

    fn peek(&self, ahead: usize) -> char {
        self.text.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn keep(&mut self) {
        self.out.push(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count.min(self.text.len() - self.at) {
            self.out.push(if self.peek(0) == '\n' { '\n' } else { ' ' });
            self.at += 1;
        }
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.comment(Reader::line_comment),
            ('/', '*') => self.comment(Reader::block_comment),
            ('"', _) => self.string(),
            ('r', '"' | '#') if !self.inside_name() => self.raw_string(),
            ('b' | 'c', 'r') if !self.inside_name() && matches!(self.peek(2), '"' | '#') => {
                self.blank(1);
                self.raw_string();
            }
            ('\'', _) => self.character(),
            _ => self.keep(),
        }
    }

    fn inside_name(&self) -> bool {
        // A `b` or `c` before `r"` has been blanked, so a name that ends here is a real one.
        self.out.chars().next_back().is_some_and(in_name)
    }

    fn comment(&mut self, skip: fn(&mut Reader)) {
        let start = self.at;
        skip(self);
        self.comments.push(start..self.at);
    }

    fn line_comment(&mut self) {
        while self.at < self.text.len() && self.peek(0) != '\n' {
            self.blank(1);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ if self.at >= self.text.len() => return,
                _ => {
                    self.blank(1);
                    continue;
                }
            }
            self.blank(2);
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.blank(1);
        let start = self.at;
        while self.at < self.text.len() && self.peek(0) != '"' {
            self.blank(if self.peek(0) == '\\' { 2 } else { 1 });
        }
        self.strings.push(start..self.at);
        self.blank(1);
    }

    fn raw_string(&mut self) {
        let hashes = (1..).take_while(|&ahead| self.peek(ahead) == '#').count();
        if self.peek(1 + hashes) != '"' {
            return self.keep(); // r#name is a name, not a string
        }
        self.blank(2 + hashes);
        let start = self.at;
        let ends =
            |reader: &Reader| reader.peek(0) == '"' && (1..=hashes).all(|ahead| reader.peek(ahead) == '#');
        while self.at < self.text.len() && !ends(self) {
            self.blank(1);
        }
        self.strings.push(start..self.at);
        self.blank(1 + hashes);
    }

    /// Blanks a character literal; keeps a lifetime.
    fn character(&mut self) {
        if self.peek(1) == '\\' {
            self.blank(3);
            while self.at < self.text.len() && self.peek(0) != '\'' {
                self.blank(1);
            }
            self.blank(1);
        } else if self.peek(2) == '\'' {
            self.blank(3);
        } else {
            self.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        code_only(text).split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn comments_and_literals_vanish() {
        assert_eq!(words("a /* b /* c */ d */ e // f\ng"), ["a", "e", "g"]);
        assert_eq!(
            words(r##"x("y \" z", b"q", r#"raw " it"#, br"w") u"##),
            ["x(", ",", "b", ",", ",", ")", "u"]
        );
        assert_eq!(words(r"p('{', '\'', '\u{7f}', b'}') q"), ["p(", ",", ",", ",", "b", ")", "q"]);
    }

    #[test]
    fn comments_alone_are_kept_where_they_stand() {
        let text = "a // b \"c\"\nd(\"// e\") /* f\ng */ h";
        assert_eq!(comments_only(text), "  // b \"c\"\n          /* f\ng */  ");
    }

    #[test]
    fn lifetimes_and_raw_names_stay() {
        assert_eq!(words("fn f<'a>(x: &'a str) r#fn"), ["fn", "f<'a>(x:", "&'a", "str)", "r#fn"]);
    }

    #[test]
    fn line_numbers_stay() {
        let text = "one \"two\nthree\" /* four\nfive */ six";
        assert_eq!(code_only(text).matches('\n').count(), 2);
    }

    #[test]
    fn a_word_is_found_only_whole() {
        assert!(has_word("let x = unsafe { y };", "unsafe"));
        assert!(!has_word("#![deny(unsafe_code)] my_unsafe", "unsafe"));
    }

    #[test]
    fn test_modules_are_spanned_to_their_last_brace() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { } }\nfn c() {}";
        let spans = test_spans(code);
        assert_eq!(&code[spans[0].clone()], "#[cfg(test)]\nmod tests { fn b() { } }");
        assert!(test_spans("#[cfg(test)]\nmod tests;\nfn c() {}").is_empty());
    }
}

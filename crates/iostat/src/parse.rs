//! Turns words into a request.

use options::Support;

use super::asked::{IostatRequest, Request, Units};
use super::error::IostatError;
use super::rows::{ROWS, Row, Takes, bare};

/// The version that the output states.
pub(super) const VERSION: &str = "sysstat version 12.6.1";

/// Reads the words after `iostat`. `units` applies if no unit was typed: sectors if `POSIXLY_CORRECT` is set.
///
/// # Errors
/// [`IostatError`], with the word, its place and the closest option.
pub fn parse(words: &[String], units: Units) -> Result<Request, IostatError> {
    let mut reader = Reader { words, at: 0, asked: IostatRequest::default(), interval: None, say: None };
    while reader.at < words.len() {
        reader.word()?;
    }
    if let Some(text) = reader.say {
        return Ok(Request::Say(text));
    }
    finish(reader.asked, reader.interval, units).map(|asked| Request::Watch(Box::new(asked)))
}

struct Reader<'w> {
    words: &'w [String],
    at: usize,
    asked: IostatRequest,
    interval: Option<u64>,
    say: Option<String>,
}

impl Reader<'_> {
    fn word(&mut self) -> Result<(), IostatError> {
        let word = self.words[self.at].as_str();
        self.at += 1;
        if word == "--help" {
            self.say = Some(super::reference::help());
            return Ok(());
        }
        if let Some((name, value)) = word.split_once('=').filter(|(name, _)| name.starts_with("--")) {
            let row = ROWS.iter().find(|row| row.name == name && row.takes != Takes::Nothing);
            return match row {
                Some(row) => self.apply(row, value),
                None => Err(self.unknown(word)),
            };
        }
        if let Some(row) = ROWS.iter().find(|row| row.name == word) {
            return self.whole(row);
        }
        if word.starts_with("--") || word.starts_with('+') || word == "-" {
            return Err(self.unknown(word));
        }
        match word.strip_prefix('-') {
            Some(letters) => self.letters(letters),
            None if word.bytes().all(|byte| byte.is_ascii_digit()) => self.number(word),
            None => self.device(word),
        }
    }

    fn whole(&mut self, row: &Row) -> Result<(), IostatError> {
        match row.takes {
            Takes::Nothing => self.apply(row, ""),
            Takes::Word(_) if row.name.starts_with("--") => Err(self.bad("needs a value, as in --dec=1")),
            Takes::Word(_) => {
                let Some(value) = self.words.get(self.at) else {
                    return Err(self.bad("needs a word after it"));
                };
                self.at += 1;
                self.apply(row, value)
            }
            Takes::Devices => {
                let list = self
                    .words
                    .get(self.at)
                    .filter(|word| !word.starts_with('-') && !word.bytes().all(|byte| byte.is_ascii_digit()));
                self.at += usize::from(list.is_some());
                self.apply(row, list.map_or("", String::as_str))
            }
        }
    }

    fn apply(&mut self, row: &Row, value: &str) -> Result<(), IostatError> {
        if let Support::Refused(why) = row.support {
            return Err(IostatError::Unsupported { position: self.at, word: row.name.to_owned(), why });
        }
        if row.name == "-V" {
            self.say = Some(format!("{VERSION}\n"));
        }
        match (row.apply)(&mut self.asked, value) {
            true => Ok(()),
            false if row.name == "-o" => Err(self.bad("is no form of output; JSON is the only one")),
            false if row.name == "--dec" => Err(self.bad("is not 0, 1 or 2")),
            false => Err(IostatError::Apart("-k and -m exclude each other; keep one")),
        }
    }

    fn letters(&mut self, letters: &str) -> Result<(), IostatError> {
        for letter in letters.chars() {
            let named = |row: &&Row| row.name.strip_prefix('-') == letter.to_string().as_str().into();
            match ROWS.iter().find(named) {
                // As in sysstat, -p in a group of letters takes no list: the next word is a device.
                Some(row) if !matches!(row.takes, Takes::Word(_)) => self.apply(row, "")?,
                Some(_) => {
                    return Err(
                        self.bad("holds an option that must stand by itself, with its value after it")
                    );
                }
                None => return Err(self.unknown(&format!("-{letters}"))),
            }
        }
        Ok(())
    }

    fn number(&mut self, word: &str) -> Result<(), IostatError> {
        let number: u64 = word.parse().map_err(|_| self.bad("is too large a number"))?;
        match (self.interval, self.asked.count) {
            (None, _) => self.interval = Some(number),
            (Some(_), None) if number > 0 => self.asked.count = Some(number),
            (Some(_), None) => {
                return Err(self.bad("reports would be none; leave the count out for endless ones"));
            }
            (Some(_), Some(_)) => {
                return Err(self.bad("is a third number; there are an interval and a count"));
            }
        }
        Ok(())
    }

    /// Adds a device; after `-g`, it is a member of the group.
    fn device(&mut self, word: &str) -> Result<(), IostatError> {
        if word == "ALL" {
            self.asked.never_used_too = true;
            return Ok(());
        }
        let name = bare(word);
        if let Some(group) = self.asked.groups.last_mut() {
            // A device belongs to the first group that lists it.
            group.members.push(name.clone());
        }
        if !self.asked.names.contains(&name) {
            self.asked.names.push(name);
        }
        Ok(())
    }

    fn bad(&self, problem: &'static str) -> IostatError {
        let word = self.words.get(self.at.saturating_sub(1)).cloned().unwrap_or_default();
        IostatError::Word { position: self.at, word, problem, nearest: None }
    }

    fn unknown(&self, word: &str) -> IostatError {
        let near = |row: &&Row| row.name.starts_with("--") && row.name.get(..4) == word.get(..4);
        let nearest = ROWS.iter().find(near).map(|row| row.name.to_owned());
        IostatError::Word {
            position: self.at,
            word: word.to_owned(),
            problem: "is no option of iostat",
            nearest,
        }
    }
}

fn finish(
    mut asked: IostatRequest,
    interval: Option<u64>,
    units: Units,
) -> Result<IostatRequest, IostatError> {
    if asked.only_groups && asked.groups.is_empty() {
        return Err(IostatError::Apart("-H shows groups only and needs -g NAME"));
    }
    if !asked.cpu && !asked.devices {
        (asked.cpu, asked.devices) = (true, true);
    }
    let about_devices = asked.extended || asked.is_chosen() || asked.source != super::Source::Disks;
    asked.devices |= about_devices || asked.never_used_too;
    asked.units.get_or_insert(units);
    asked.interval_s = interval.unwrap_or(0);
    if interval == Some(0) && asked.count.is_some() {
        return Err(IostatError::Apart(
            "an interval of 0 is one report and takes no count; give it a second or more",
        ));
    }
    if asked.interval_s == 0 {
        asked.count = Some(1);
    }
    Ok(asked)
}

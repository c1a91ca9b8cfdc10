//! iostat: its options, and what they show.

use super::figures::count;

/// What an iostat command asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iostat {
    /// Seconds between reports; `None`: one report.
    pub interval: Option<u64>,
    /// How many reports; `None`: until it is stopped.
    pub count: Option<u64>,
    /// The shell alone knows how many.
    pub count_of_the_shell: bool,
    /// Letters that were given.
    pub letters: String,
    /// JSON was asked for.
    pub json: bool,
    /// Devices by name.
    pub devices: Vec<String>,
}

/// Letters and what they do.
const LETTERS: [(char, &str); 15] = [
    ('c', "The CPU report alone."),
    ('d', "The device report alone."),
    ('x', "The extended device report: rates, request sizes, waiting, queue, utilisation."),
    ('s', "A short device report."),
    ('k', "Kilobytes."),
    ('m', "Megabytes."),
    ('h', "Figures with units, for people."),
    ('t', "The time of each report."),
    ('p', "Partitions too."),
    ('N', "Names of the device mapper."),
    ('j', "Persistent names."),
    ('y', "Leaves out the first report, which counts since the machine started."),
    ('z', "Leaves out devices without any I/O."),
    ('g', "A line for a group of devices."),
    ('H', "Groups alone."),
];

impl Iostat {
    /// Reads words.
    ///
    /// # Errors
    /// The number of the word that is not understood, from 0, and why.
    pub fn parse(words: &[String]) -> Result<Iostat, (usize, String)> {
        let mut iostat = Iostat::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            match word.strip_prefix('-') {
                Some("o") => {
                    iostat.json = words.get(at).is_some_and(|format| format == "JSON");
                    if !iostat.json {
                        return Err((at - 1, "-o takes JSON and nothing else".to_owned()));
                    }
                    at += 1;
                }
                Some(long) if long.starts_with('-') => {}
                Some(letters) => {
                    if let Some(letter) =
                        letters.chars().find(|letter| !LETTERS.iter().any(|(known, _)| known == letter))
                    {
                        return Err((at - 1, format!("iostat has no option -{letter}")));
                    }
                    iostat.letters.push_str(letters);
                }
                None => iostat.plain(word),
            }
        }
        Ok(iostat)
    }

    fn plain(&mut self, word: &str) {
        match (word.parse::<u64>(), self.interval) {
            (Ok(number), None) => self.interval = Some(number),
            (Ok(number), Some(_)) => self.count = Some(number),
            (Err(_), _) => self.devices.push(word.to_owned()),
        }
    }

    /// Whether `letter` was given.
    pub fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    /// What it asks for.
    pub fn asks(&self) -> Vec<String> {
        let how_often = match (self.interval, self.count) {
            (None, _) => "one report with averages since the machine started".to_owned(),
            (Some(interval), Some(reports)) => format!("{} reports, one every {interval} s", count(reports)),
            (Some(interval), None) if self.count_of_the_shell => {
                format!("a report every {interval} s, as often as the shell says")
            }
            (Some(interval), None) => format!("a report every {interval} s until it is stopped"),
        };
        let mut said = vec![format!("Makes no load: reads the kernel's counters and prints {how_often}.")];
        said.push(match (self.has('x'), self.has('c') && !self.has('d')) {
            (true, _) => {
                "Per device, for reads, writes, discards and flushes apart: rates, merges, average wait and \
                          size of a request; queue and utilisation of the device as a whole."
                    .to_owned()
            }
            (false, true) => "CPU alone.".to_owned(),
            (false, false) => "Per device: transfers and kilobytes a second.".to_owned(),
        });
        if !self.devices.is_empty() {
            said.push(format!("Devices: {}.", self.devices.join(", ")));
        }
        if self.json {
            said.push("The result is one JSON document, complete when it ends.".to_owned());
        }
        said
    }
}

/// What a word means.
pub fn meaning(word: &str) -> String {
    match word.strip_prefix('-') {
        Some("o") => "Form of the output.".to_owned(),
        Some(letters) if !letters.starts_with('-') => {
            let told =
                letters.chars().filter_map(|letter| LETTERS.iter().find(|(known, _)| *known == letter));
            told.map(|(_, meaning)| *meaning).collect::<Vec<_>>().join(" ")
        }
        Some(_) => "See iostat(1).".to_owned(),
        None if word == "JSON" => "JSON, for programs.".to_owned(),
        None if word.bytes().all(|byte| byte.is_ascii_digit()) => {
            "First the seconds between reports, then how many.".to_owned()
        }
        None => "A device.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_interval_and_count_in_this_order() {
        let words: Vec<String> = ["-x", "-t", "-o", "JSON", "10", "30"].map(str::to_owned).into();
        let iostat = Iostat::parse(&words).expect("it is right");
        assert_eq!(
            (iostat.interval, iostat.count, iostat.json, iostat.has('x')),
            (Some(10), Some(30), true, true)
        );
        assert!(Iostat::parse(&["-Q".to_owned()]).is_err());
        assert!(Iostat::parse(&["-o".to_owned(), "XML".to_owned()]).is_err());
    }
}

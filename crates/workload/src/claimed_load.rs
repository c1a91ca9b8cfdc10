//! The load under which a claim must hold: `mix 70/30, bs 4k, random 50%`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::units::size;
use crate::{Access, Bytes, Mix};

/// The load of a claim, as far as its words state one. A parameter that they leave open is `None`, and the claim then
/// holds for any value of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedLoad {
    /// Mix of reads and writes.
    pub mix: Option<Mix>,
    /// Block size.
    pub block: Option<Bytes>,
    /// Percent of I/Os at a random place; each of the others follows the previous one.
    pub random_percent: Option<u8>,
}

impl ClaimedLoad {
    /// Whether the words state no load.
    pub fn is_empty(&self) -> bool {
        *self == ClaimedLoad::default()
    }

    /// Access pattern of this load, with `mix` if the words state none; random unless the words say otherwise.
    pub fn access(&self, mix: Mix) -> Access {
        let mix = self.mix.unwrap_or(mix);
        match self.random_percent {
            None | Some(100) => Access::random(mix),
            Some(0) => Access::sequential(mix),
            Some(percent) => Access::partly_random(percent, mix),
        }
    }

    /// Reads one term; returns `Ok(false)` if it does not describe a load.
    ///
    /// # Errors
    /// Returns the problem with the term.
    pub(crate) fn read(&mut self, first: &str, rest: &[&str]) -> Result<bool, &'static str> {
        let value = rest.concat();
        let doubled = match first.to_ascii_lowercase().as_str() {
            "mix" => self.mix.replace(mix(&value)?).is_some(),
            "bs" | "block" => self.block.replace(block(&value)?).is_some(),
            "random" => self.random_percent.replace(percent(&value)?).is_some(),
            "sequential" if value.is_empty() => self.random_percent.replace(0).is_some(),
            _ => return Ok(false),
        };
        if doubled { Err("is said twice") } else { Ok(true) }
    }
}

/// Reads a mix: `70/30`, or `70` for the share of reads alone.
///
/// # Errors
/// Returns the problem with `words`, to be printed after them.
pub fn mix(words: &str) -> Result<Mix, &'static str> {
    const PROBLEM: &str = "needs the shares of reads and writes, which make 100 (for example 70/30)";
    let (reads, writes) = words.split_once('/').unwrap_or((words, ""));
    let reads: u8 = reads.trim_end_matches('%').parse().map_err(|_| PROBLEM)?;
    let writes = match writes.trim_end_matches('%') {
        "" => 100u8.checked_sub(reads).ok_or(PROBLEM)?,
        words => words.parse().map_err(|_| PROBLEM)?,
    };
    if u32::from(reads) + u32::from(writes) == 100 { Ok(Mix::reads(reads)) } else { Err(PROBLEM) }
}

fn block(words: &str) -> Result<Bytes, &'static str> {
    let block = size(words).map_err(|_| "needs a size (for example 4k)")?;
    if block.0 > 0 { Ok(block) } else { Err("needs a size above 0") }
}

/// Reads a share such as `50%`; the word `random` alone means 100 %.
fn percent(words: &str) -> Result<u8, &'static str> {
    const PROBLEM: &str = "needs a share of 0 to 100 % (for example 50%)";
    if words.is_empty() {
        return Ok(100);
    }
    words.trim_end_matches('%').parse().ok().filter(|percent| *percent <= 100).ok_or(PROBLEM)
}

impl fmt::Display for ClaimedLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mix = self.mix.map(Mix::read_percent).map(|reads| format!("mix {reads}/{}", 100 - reads));
        let block = self.block.map(|block| match block.0 % 1024 {
            0 => format!("bs {} KiB", block.0 / 1024),
            _ => format!("bs {} B", block.0),
        });
        let random = self.random_percent.map(|percent| format!("random {percent}%"));
        let words: Vec<String> = [mix, block, random].into_iter().flatten().collect();
        f.write_str(&words.join(", "))
    }
}

//! Words of the command line that a web page, a word processor or a line break has altered.

use super::error::FioError;
use super::number::DASHES;

/// Refuses a word that fio would wrongly take for the name of a job file.
///
/// # Errors
/// [`FioError::Spoilt`], which says how the word was altered and what to write.
pub fn file_name(word: &str) -> Result<(), FioError> {
    let spoilt = |problem: String| Err(FioError::Spoilt { word: word.to_owned(), problem });
    if let Some(bare) = word.strip_prefix(DASHES) {
        let bare = bare.trim_start_matches(|c| c == '-' || DASHES.contains(&c));
        return spoilt(format!("the dash in front is a typographic one; write --{bare}"));
    }
    if let Some(bare) = word.strip_prefix(['“', '”', '„', '‘', '’', '«']) {
        return spoilt(format!("the quotation mark in front is a typographic one; write \"{bare}"));
    }
    let number = word.strip_suffix(['.', ')']).unwrap_or_default();
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return spoilt("the number of a list was pasted with the line; take it away".to_owned());
    }
    match word.trim() {
        "" => spoilt("an empty word is no job file; remove the blank after the backslash".to_owned()),
        "\\" => spoilt("a backslash stands alone; it goes at the very end of a line, or away".to_owned()),
        "$" | "#" | "%" | ">" => spoilt("the prompt was pasted with the line; take it away".to_owned()),
        "sudo" | "fio" => spoilt("it was pasted with the line once too often; take it away".to_owned()),
        _ => Ok(()),
    }
}

/// Refuses an option with a typographic dash or a no-break space in its name.
///
/// # Errors
/// [`FioError::Spoilt`], with the correct option.
pub fn option(word: &str) -> Result<(), FioError> {
    let name = word.split('=').next().unwrap_or_default();
    if word == "-" || word == "--" || !name.contains(|c: char| DASHES.contains(&c) || c == '\u{a0}') {
        return Ok(());
    }
    let bare: String = word.chars().filter(|c| *c != '\u{a0}').collect();
    let bare = bare.trim_start_matches(|c| c == '-' || DASHES.contains(&c));
    let problem = format!("a dash or a blank in it is a typographic one; write --{bare}");
    Err(FioError::Spoilt { word: word.to_owned(), problem })
}

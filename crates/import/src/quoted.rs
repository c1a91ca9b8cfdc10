//! Text as mail carries it: quoted-printable (RFC 2045, section 6.7), in which `=` is `=3D` and long lines are cut.

/// Fewest escaped equals signs, or cut lines, in a mail: a tool's result has neither.
const LEAST: usize = 2;
/// An equals sign as mail writes it.
const SIGN: &str = "=3D";
/// The end of a line that goes on.
const CUT: char = '=';

/// Returns the text that `text` encodes; `None` if it is not quoted-printable.
pub(crate) fn printable(text: &str) -> Option<String> {
    // A ruler of equals signs is not a line that goes on.
    let goes_on = |line: &&str| line.trim_end().strip_suffix(CUT).is_some_and(|line| !line.ends_with(CUT));
    let cut = text.lines().filter(goes_on).take(LEAST).count();
    if text.matches(SIGN).take(LEAST).count() < LEAST && cut < LEAST {
        return None;
    }
    let mut said = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let (letter, length) = if byte == b'=' { quoted(behind) } else { (Some(byte), 0) };
        said.extend(letter);
        rest = &behind[length..];
    }
    Some(String::from_utf8_lossy(&said).into_owned())
}

/// Returns the byte, if any, that an equals sign followed by `behind` stands for, and how many bytes of `behind` belong to it.
fn quoted(behind: &[u8]) -> (Option<u8>, usize) {
    let hex = |at: usize| behind.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    if let (Some(high), Some(low)) = (hex(0), hex(1)) {
        return (Some((high * 16 + low) as u8), 2);
    }
    // Blanks that a server added may precede the end of a line that goes on.
    let blanks = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    match behind.get(blanks) {
        Some(b'\n') => (None, blanks + 1),
        _ => (Some(b'='), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_come_back_and_cut_lines_are_whole_again() {
        let text = "a=3D1, b=\r\n=3D2, caf=C3=A9, x=y= \nz\n=";
        assert_eq!(printable(text).unwrap(), "a=1, b=2, café, x=yz\n=");
        assert_eq!(printable("IOPS=3D, BW=1"), None, "one may be a figure");
        assert_eq!(printable("=====\na\n====="), None, "rulers");
    }
}

//! Marks before the lines of a text that was quoted, compared or numbered, and the codes of mail.

/// What a text has before its lines.
#[derive(Debug)]
pub(super) struct Margin {
    /// Whether each line begins with its number, without a full stop behind it.
    is_numbered: bool,
    /// Whether `=3D` stands for each equals sign.
    is_encoded: bool,
}

impl Margin {
    /// Looks at the whole text.
    pub fn of(text: &str) -> Margin {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let numbers: Vec<Option<usize>> = lines.map(|line| Some(numbered(line)?.0)).collect();
        let rises = |pair: &[Option<usize>]| pair[0].is_some() && pair[0] < pair[1];
        let is_code =
            |rest: &str| rest.is_empty() || rest.starts_with(['\r', '\n']) || rest.starts_with("3D");
        Margin {
            is_numbered: numbers.len() > 2 && numbers.windows(2).all(rises),
            is_encoded: text.matches("=3D").count() > 1 && text.split('=').skip(1).all(is_code),
        }
    }

    /// Returns the line with blanks for the marks before it.
    pub fn without(&self, line: &str) -> String {
        let number = numbered(line).filter(|_| self.is_numbered).map_or(0, |(_, length)| length);
        let rest = line[number..].trim_start_matches(['>', ' ', '\t']).trim_start_matches('+');
        let head = line[..line.len() - rest.len()].chars().map(|mark| if mark == '\t' { mark } else { ' ' });
        let blanked: String = head.chain(rest.chars()).collect();
        if self.is_encoded { blanked.replace("=3D", "=") } else { blanked }
    }
}

/// The number before a line, and where it ends; a number with a mark behind it is one of a list.
fn numbered(line: &str) -> Option<(usize, usize)> {
    let begins = line.len() - line.trim_start().len();
    let end = begins + line[begins..].bytes().take_while(u8::is_ascii_digit).count();
    let number = line[begins..end].parse().ok()?;
    (!line[end..].starts_with(['.', ')', ':'])).then_some((number, end))
}

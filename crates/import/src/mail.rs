//! Quoted-printable text, as in the source of a mail: `=3D` is an equals sign, and `=` ends a line that was broken.

/// Returns the text decoded; `None` if it is not encoded.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    let (mut others, mut breaks) = (0, 0);
    while let Some(at) = rest.iter().position(|&byte| byte == b'=') {
        bytes.extend(&rest[..at]);
        rest = &rest[at + 1..];
        match code(rest) {
            Some((length, byte)) => {
                // Rulers of equals signs end lines too.
                breaks += usize::from(byte.is_none() && bytes.last() != Some(&b'='));
                bytes.extend(byte);
                rest = &rest[length..];
            }
            None => {
                bytes.push(b'=');
                others += 1;
            }
        }
    }
    bytes.extend(rest);
    // The headers of a mail have equals signs of their own.
    (text.matches("=3D").count() + breaks > others).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the length of what follows an equals sign of a code, and the byte that it stands for: none at the end of a line.
fn code(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_lowercase());
    match *rest {
        [b'\n', ..] => Some((1, None)),
        [b'\r', b'\n', ..] => Some((2, None)),
        [high, low, ..] => Some((2, Some((digit(high)? * 16 + digit(low)?) as u8))),
        _ => None,
    }
}

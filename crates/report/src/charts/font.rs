//! The font of the charts: Noto Sans, cut down to the characters that charts use.

/// CSS font family: the embedded subset first, then what the viewer has.
pub(crate) const FAMILY: &str = "plimsoll,sans-serif";

/// Returns the font as `@font-face` rules with `data:` addresses: Noto Sans (Copyright 2012 Google Inc., Apache
/// License 2.0).
pub(crate) fn font_faces() -> String {
    const REGULAR: &str = include_str!(concat!(env!("OUT_DIR"), "/regular.base64"));
    const BOLD: &str = include_str!(concat!(env!("OUT_DIR"), "/bold.base64"));
    let face = |weight: &str, data: &str| {
        format!(
            "@font-face{{font-family:plimsoll;font-weight:{weight};src:url(data:font/ttf;base64,{data})}}"
        )
    };
    face("400", REGULAR) + &face("700", BOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_there_and_small() {
        let faces = font_faces();
        assert!(faces.contains("data:font/ttf;base64,AAEAAA"), "no TrueType header");
        assert!(faces.len() < 60_000, "{} bytes", faces.len());
    }
}

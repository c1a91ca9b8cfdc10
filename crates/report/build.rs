//! Cuts the chart font down to the characters that charts use and leaves it as text for `data:` addresses.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use font_subset::Font;

/// Beside printable ASCII: what axes, labels and sentences use.
const BEYOND_ASCII: &str = "±µ×·–—…≤≥²°“”’";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR")?;
    let wanted: BTreeSet<char> = (' '..='~').chain(BEYOND_ASCII.chars()).collect();
    for (name, font) in [("regular", ttf_noto_sans::REGULAR), ("bold", ttf_noto_sans::BOLD)] {
        let cut = Font::opentype(font)?.subset(&wanted)?.to_opentype();
        fs::write(Path::new(&folder).join(format!("{name}.base64")), base64(&cut))?;
    }
    Ok(())
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word =
            three.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            match digit <= three.len() {
                true => text.push(char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

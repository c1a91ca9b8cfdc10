//! Build script: embeds the chart font, cut down to the characters that charts use, and the zoom script if it has
//! been built.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use font_subset::Font;

/// Characters beyond printable ASCII that axes, labels and sentences use.
const BEYOND_ASCII: &str = "±µ×·–—…≤≥²°“”’";

/// Files that `./dev` bundles from the TypeScript in `web/`; embedded as empty files when it was not built.
const ZOOM: [&str; 3] = ["zoom.js", "zoom.css", "zoom.sha256"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let folder = env::var("OUT_DIR")?;
    let wanted: BTreeSet<char> = (' '..='~').chain(BEYOND_ASCII.chars()).collect();
    for (name, font) in [("regular", ttf_noto_sans::REGULAR), ("bold", ttf_noto_sans::BOLD)] {
        let cut = Font::opentype(font)?.subset(&wanted)?.to_opentype();
        fs::write(Path::new(&folder).join(format!("{name}.ttf")), cut)?;
    }
    zoom(Path::new(&folder))
}

/// Writes the whole bundle, or empty files if any part is missing. Fetches and runs nothing: a build needs neither
/// Node nor a network.
fn zoom(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let web = Path::new("../../web");
    let built = web.join("dist");
    let parts: Vec<String> =
        ZOOM.iter().filter_map(|name| fs::read_to_string(built.join(name)).ok()).collect();
    let whole = parts.len() == ZOOM.len();
    // A path that does not exist would make cargo rerun this script on every build; the parent folder changes when
    // `dist` appears.
    let watched = if built.is_dir() { &built } else { web };
    println!("cargo:rerun-if-changed={}", watched.display());
    for (at, name) in ZOOM.iter().enumerate() {
        let text = parts.get(at).filter(|_| whole).map_or("", String::as_str);
        fs::write(folder.join(name), text.trim_end())?;
    }
    Ok(())
}

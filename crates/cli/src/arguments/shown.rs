//! Options for showing progress and results.

use std::path::PathBuf;

use clap::Args;
use session::browser;
use session::failure::Failure;
use session::files::{Output, Over, PAGE};
use session::place::Place;
use session::progress::Form;

/// What is shown besides the result.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShownArguments {
    /// Open the page in your browser when it is drawn
    #[arg(long)]
    pub open: bool,
    /// Draw the page into this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// What is shown while it runs: auto, plain, json (an object a line on stderr) or json:FILE
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = Form::parse, hide_default_value = true)]
    pub progress: Form,
}

impl ShownArguments {
    /// Checks whether the page can be written into the file that was named.
    ///
    /// # Errors
    /// It cannot, or holds something that is no page.
    pub fn named_page(&self) -> Result<Option<Output<'_>>, Failure> {
        let over = Over { kind: Some(PAGE), inputs: &[] };
        Ok(self.html.as_deref().map(|html| Output::ask(html, over)).transpose()?)
    }

    /// Copies the page of a run that has ended to where it was named, and opens it, if requested; returns `code`.
    ///
    /// # Errors
    /// The page could not be copied.
    pub fn page_of(&self, place: &Place, named: Option<Output<'_>>, code: u8) -> Result<u8, Failure> {
        let page = place.drawn();
        if let (Some(mut named), Some(page)) = (named, &page) {
            named.write(&std::fs::read(page).map_err(Failure::failed)?)?;
        }
        match page {
            Some(page) if self.open => browser::open(&page),
            None if self.open => browser::nothing(),
            _ => {}
        }
        Ok(code)
    }
}

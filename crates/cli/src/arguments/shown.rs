//! Options for showing progress and results.

use clap::Args;
use session::browser;
use session::place::Place;
use session::progress::Form;

/// What is shown besides the result.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShownArguments {
    /// Open the page in your browser when it is drawn
    #[arg(long)]
    pub open: bool,
    /// What is shown while it runs: auto, plain, json (an object a line on stderr) or json:FILE
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = Form::parse, hide_default_value = true)]
    pub progress: Form,
}

impl ShownArguments {
    /// Opens the page of a run that has ended, if requested, and returns `code`.
    pub fn page_of(&self, place: &Place, code: u8) -> u8 {
        match place.drawn() {
            Some(page) if self.open => browser::open(&page),
            None if self.open => browser::nothing(),
            _ => {}
        }
        code
    }
}

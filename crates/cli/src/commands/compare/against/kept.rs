//! The output of one tool so far, in its run file: stored block by block, so that a kill loses only the current
//! block.

use record::{ReportedPart, Run};
use runfile::{WriteError, Writer};
use session::failure::Failure;
use session::output;
use session::place::{Place, short};
use workload::{ProcedureRequest, TurnsRequest};

use analysis::compare::IN_BLOCK;

/// One side of the comparison.
pub(super) struct ComparisonSide<'a> {
    place: &'a Place,
    ask: TurnsRequest,
    /// `None` before the first block.
    run: Option<(Run, Writer)>,
}

impl<'a> ComparisonSide<'a> {
    /// Returns side number `side` of the comparison `ask`, with nothing recorded yet.
    pub(super) fn new(place: &'a Place, ask: &TurnsRequest, side: usize) -> ComparisonSide<'a> {
        ComparisonSide { place, ask: TurnsRequest { side: side as u8, ..ask.clone() }, run: None }
    }

    /// Appends the output of one block to that of earlier blocks, and stores it.
    pub(super) fn add(&mut self, printed: Run, block: u32) -> Result<(), Failure> {
        let of_block = |mut part: ReportedPart| {
            part.said.push((IN_BLOCK.to_owned(), block.to_string()));
            part
        };
        let parts = printed.reported.iter().cloned().map(of_block);
        let (mut run, mut writer) = match self.run.take() {
            Some(begun) => begun,
            None => self.begin(&printed)?,
        };
        run.reported.extend(parts);
        let stored = writer.reported(&run.reported).and_then(|()| writer.commit());
        self.run = Some((run, writer));
        stored.map_err(Failure::failed)
    }

    fn begin(&self, printed: &Run) -> Result<(Run, Writer), Failure> {
        let asked = Some(ProcedureRequest::Turns(self.ask.clone()));
        let run = Run { asked, reported: Vec::new(), complete: false, ..printed.clone() };
        let bear = |bytes: &[u8]| self.place.bear(bytes);
        let writer = Writer::create(bear, &run, self.place.same_device).map_err(Failure::failed)?;
        Ok((run, writer))
    }

    /// Closes the file and prints its path; returns `None` if no block was completed.
    pub(super) fn end(self, whole: ComparisonEnd) -> Result<Option<Run>, Failure> {
        let Some((run, mut writer)) = self.run else { return Ok(None) };
        let closed: Result<_, WriteError> = match whole {
            ComparisonEnd::Whole => writer.finish(),
            ComparisonEnd::Stopped => writer.checkpoint().map(|()| writer.path().to_owned()),
        };
        let path = closed.map_err(Failure::failed)?;
        output::people(&format!("run     {}", short(&path)));
        Ok(Some(Run { complete: whole == ComparisonEnd::Whole, ..run }))
    }
}

/// Outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparisonEnd {
    /// All blocks ran.
    Whole,
    /// The comparison was stopped, or a tool failed.
    Stopped,
}

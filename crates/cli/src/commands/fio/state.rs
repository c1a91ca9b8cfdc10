//! Progress of an earlier run of a job, read from the state that the run saved.

use fio::{FioError, FioJob};
use session::named_input::{InputError, JOB_FILE, NamedInput};
use workload::EarlierWrites;

use super::trouble;

/// The errno reported for an unusable state.
const EINVAL: i32 = 22;

/// Reads the saved state of `job`.
///
/// # Errors
/// [`FioError`] if there is no saved state or it cannot be used.
pub fn load(job: &FioJob) -> Result<EarlierWrites, FioError> {
    let path = job.state_path();
    let unusable = |why: String| FioError::Setup {
        call: "verify_state_load",
        errno: EINVAL,
        why: format!("the state {} cannot be used: {why}", path.display()),
    };
    let bytes = NamedInput::plain(&path, JOB_FILE).bytes().map_err(|error| match error {
        InputError::Closed(error) => trouble::call("open", &path)(error),
        error => unusable(error.to_string()),
    })?;
    let reached = engine::verify::decode(&bytes).map_err(|error| unusable(error.to_string()))?;
    if !reached.is_ours && job.options.pattern.random {
        let why = "fio wrote it, whose random places are its own; load it with fio, or write in order";
        return Err(unusable(why.to_owned()));
    }
    Ok(EarlierWrites { writes: reached.writes, most: reached.most })
}

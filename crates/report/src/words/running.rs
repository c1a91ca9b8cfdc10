//! The progress of a run whose file is read before the run ends.

use record::Run;

use crate::words::numbers;

/// Greatest share shown: a run that takes longer than forecast stays at this share until it ends.
const SHARE_MOST: f64 = 0.99;

/// Returns the progress of a run: `41 %`, or `3 min so far` without a forecast; `None` if the run has ended.
fn how_far(run: &Run) -> Option<String> {
    let so_far = run.still_running?.as_secs_f64();
    let forecast = run.forecast.map(|forecast| forecast.as_secs_f64()).filter(|forecast| *forecast > 0.0);
    Some(match forecast {
        Some(forecast) => numbers::share((so_far / forecast).min(SHARE_MOST)),
        None => format!("{} so far", numbers::span(so_far)),
    })
}

/// Returns the state of an incomplete run, to be printed in brackets after its name: `still running, 41 %`; `None`
/// if the run is complete.
pub fn state(run: &Run) -> Option<String> {
    let running = how_far(run).map(|far| format!("still running, {far}"));
    (!run.complete).then(|| running.unwrap_or_else(|| "stopped before its end".to_owned()))
}

/// Returns the sentence that precedes everything else about a run in progress; `None` for other runs.
pub fn running_words(run: &Run) -> Option<String> {
    how_far(run).map(|far| format!("Still running, {far}: what is said here is what was recorded until now."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Nanos;

    #[test]
    fn a_share_is_told_where_an_end_was_forecast_and_never_a_hundred() {
        let run = |so_far: u64, forecast: Option<u64>| Run {
            still_running: Some(Nanos::from_secs(so_far)),
            forecast: forecast.map(Nanos::from_secs),
            ..Run::started(Vec::new(), 0)
        };
        let told = |so_far, forecast| state(&run(so_far, forecast)).unwrap_or_default();
        assert_eq!(told(41, Some(100)), "still running, 41 %");
        assert_eq!(told(500, Some(100)), "still running, 99 %");
        assert_eq!(told(190, None), "still running, 3 min so far");
        assert_eq!(state(&Run::started(Vec::new(), 0)).as_deref(), Some("stopped before its end"));
        let over = Run { complete: true, ..Run::started(Vec::new(), 0) };
        assert_eq!((state(&over), running_words(&over)), (None, None));
    }
}

//! The arguments of `plimsoll headroom`.

use clap::Args;
use workload::{LatencyBound, Nanos};

use super::{GroundArguments, MeasureArguments};
use session::failure::Failure;

/// `plimsoll headroom`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll headroom /mnt/vol --p99 10ms            4 KiB random reads
  plimsoll headroom /mnt/vol --p99 10ms --mix 70/30 --block 8k
  plimsoll headroom /mnt/vol --p50 1ms --p99.9 50ms     both must hold
  plimsoll headroom /mnt/vol --p99 20ms --load jobs.fio   what your job does
  plimsoll headroom /mnt/vol --at 1000,2500        the latency at these rates
  plimsoll headroom /mnt/vol --p99 5ms --expect \"2500 iops\"  is it enough?
  plimsoll headroom sim:aws-gp3 --p99 5ms          simulated, in a moment

I/Os arrive by chance and do not wait for each other, as those of many users
do. The latency is that from when an I/O was due until it was done, over reads
and writes together. Loads of growing rate bracket the answer, further ones on
both sides of it narrow its interval until --time is over.
The answer holds for the load that was asked and for the volume as it was: a
volume that bursts is told as it is now.
Exit codes: 0 a rate was found and is what was promised, 1 the run failed,
2 wrong usage or refused, 3 below what was promised, 4 cannot tell.")]
pub(crate) struct HeadroomArguments {
    /// Directory, file, block device, lab:POLICY or sim:POLICY; or a fio job file, whose latency_target is the bound
    #[arg(default_value = ".")]
    pub target: String,
    /// Half of all I/Os must be done within this
    #[arg(long, value_name = "TIME")]
    pub p50: Option<String>,
    /// 90 of a hundred I/Os must be
    #[arg(long, value_name = "TIME")]
    pub p90: Option<String>,
    /// 95 of a hundred
    #[arg(long, value_name = "TIME")]
    pub p95: Option<String>,
    /// 99 of a hundred
    #[arg(long, value_name = "TIME")]
    pub p99: Option<String>,
    /// 999 of a thousand
    #[arg(long = "p99.9", value_name = "TIME")]
    pub p999: Option<String>,
    /// Only measure the latency at these rates of arrivals, in I/Os per second, e.g. 1000,2500
    #[arg(long, value_name = "RATES", conflicts_with_all = ["expect", "policy"])]
    pub at: Option<String>,
    /// Reads and writes in a hundred, e.g. 70/30 [default: reads alone]
    #[arg(long, value_name = "MIX", conflicts_with = "load")]
    pub mix: Option<String>,
    /// Bytes of an I/O
    #[arg(long, value_name = "SIZE", default_value = "4k", conflicts_with = "load")]
    pub block: String,
    /// Places one after the other, instead of random ones
    #[arg(long, conflicts_with = "load")]
    pub sequential: bool,
    /// What arrives: a fio job file, a profile, or a policy's own load
    #[arg(long, value_name = "JOB")]
    pub load: Option<String>,
    /// What was promised, in words: the rate at which the bounds are to hold, e.g. "2500 iops"
    #[arg(long, value_name = "CLAIM")]
    pub expect: Option<String>,
    /// What was sold: a policy, whose rate for this load is held against what the bounds leave of it
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// How long the search takes, the layout left out; the longer, the narrower the interval
    #[arg(long, value_name = "TIME", default_value = "2m")]
    pub time: String,
    /// The target
    #[command(flatten)]
    pub ground: GroundArguments,
    /// Most bytes that the search writes, the layout left out
    #[arg(long, value_name = "SIZE", default_value = "16g")]
    pub write_most: String,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}

impl HeadroomArguments {
    /// Returns the rates of `--at`, rising.
    ///
    /// # Errors
    /// A word that is not a rate above zero.
    pub fn rates(&self) -> Result<Vec<f64>, Failure> {
        let one = |word: &str| {
            let bare = word.trim().to_ascii_lowercase();
            let bare = bare.strip_suffix("iops").unwrap_or(&bare).trim();
            let (digits, times) = bare.strip_suffix('k').map_or((bare, 1.0), |digits| (digits, 1e3));
            let rate = digits.parse::<f64>().ok().map(|rate| rate * times);
            rate.filter(|rate| *rate > 0.0 && rate.is_finite()).ok_or_else(|| {
                let word = word.trim();
                Failure::refused(format!(
                    "--at: '{word}' is no rate; write I/Os per second, for example --at 1000,2500"
                ))
            })
        };
        let mut rates: Vec<f64> =
            self.at.iter().flat_map(|words| words.split(',')).map(one).collect::<Result<_, _>>()?;
        rates.sort_by(f64::total_cmp);
        Ok(rates)
    }

    /// Returns the requested bounds by rising percentile, or those of the job file if none was requested.
    ///
    /// # Errors
    /// No bound at all, or a word that is not a time.
    pub fn bounds(&self, of_job: &[LatencyBound]) -> Result<Vec<LatencyBound>, Failure> {
        let asked = [
            (Some(50.0), &self.p50),
            (Some(90.0), &self.p90),
            (Some(95.0), &self.p95),
            (Some(99.0), &self.p99),
            (Some(99.9), &self.p999),
        ];
        let bound = |(percent, words): (Option<f64>, &Option<String>)| {
            let words = words.as_deref()?;
            let option = percent.map_or_else(|| "--mean".to_owned(), |percent| format!("--p{percent}"));
            Some(match workload::duration(words) {
                Ok(_) if words.ends_with(|last: char| last.is_ascii_digit()) => {
                    Err(Failure::refused(format!(
                        "{option} {words}: a latency needs a unit; write {option} {words}ms or {option} {words}us"
                    )))
                }
                Ok(most) if most > Nanos::ZERO => Ok(LatencyBound { percent, most }),
                Ok(_) => {
                    Err(Failure::refused(format!("{option} {words}: no I/O takes no time; give it some")))
                }
                Err(error) => Err(Failure::refused(format!("{option} {words}: {error}"))),
            })
        };
        let bounds: Vec<LatencyBound> = asked.into_iter().filter_map(bound).collect::<Result<_, _>>()?;
        match bounds.is_empty() {
            true if !of_job.is_empty() => Ok(of_job.to_vec()),
            true if self.at.is_some() => Ok(bounds),
            true => Err(Failure::refused(
                "headroom asks how much arrives before a latency is passed, so name one: --p99 10ms (also --p50, \
                 --p90, --p95, --p99.9); or name rates to see the latency at them: --at 1000,2500",
            )),
            false => Ok(bounds),
        }
    }
}

//! Compares what was reported with what is true: eight judgements, none of which reads a sentence.

use analysis::{Answer, Confidence};

/// Relative error allowed in a figure.
pub const NEAR: f64 = 0.03;
/// Share of a claim below which the volume does not meet it, whatever the tolerance.
const SHORT: f64 = 0.96;
/// Share of a claim from which it is not below.
const ENOUGH: f64 = 0.98;
/// Share of a claim from which it exceeds it.
const MORE: f64 = 1.03;

/// How what was reported compares with the truth, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// Within 3 % of the truth, or the truth lies in the printed interval, and the cause is the true one.
    Right,
    /// Left open, and it could not be known.
    Open,
    /// Left open although it could be known.
    HeldBack,
    /// Not reported at all.
    Missed,
    /// A wrong figure that is called no more than possible.
    Wrong,
    /// The right rate with a wrong cause that is called no more than possible.
    Cause,
    /// The right rate with a wrong cause that is called likely or more.
    SureCause,
    /// A wrong figure that is called likely or more, or a false verdict.
    SureWrong,
}

impl Judgement {
    pub const ALL: [Judgement; 8] = [
        Judgement::Right,
        Judgement::Open,
        Judgement::HeldBack,
        Judgement::Missed,
        Judgement::Wrong,
        Judgement::Cause,
        Judgement::SureCause,
        Judgement::SureWrong,
    ];

    pub fn heading(self) -> &'static str {
        match self {
            Judgement::Right => "right",
            Judgement::Open => "rightly open",
            Judgement::HeldBack => "held back",
            Judgement::Missed => "missed",
            Judgement::Wrong => "wrong, unsure",
            Judgement::Cause => "wrong cause, unsure",
            Judgement::SureCause => "sure of a wrong cause",
            Judgement::SureWrong => "sure and wrong",
        }
    }
}

/// What limits a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A limit on operations, each charged as one.
    Operations,
    /// A limit on operations that are charged by their size.
    Unit,
    /// A limit on bytes.
    Bytes,
    /// Busy servers, without a meter.
    Servers,
    /// The depth, or the bytes that plimsoll keeps in flight, divided by the latency.
    InFlight,
    /// Only as a report: charged by size or limited in bytes, which I/Os of one size do not distinguish.
    UnitOrBytes,
    /// Only as a report: not identified.
    Unknown,
}

impl Cause {
    pub fn agrees(self, truth: Cause) -> bool {
        self == truth || (self == Cause::UnitOrBytes && matches!(truth, Cause::Unit | Cause::Bytes))
    }
}

/// What is true of one rate.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Operations or bytes a second.
    pub rate: f64,
    pub cause: Cause,
    /// Whether it lies so close to another possible limit that either may be reported.
    pub near_another: bool,
}

/// What was reported of one rate.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub at_least: bool,
    pub cause: Cause,
    pub confidence: Confidence,
}

impl Figure {
    pub fn is_sure(&self) -> bool {
        self.confidence >= Confidence::Likely
    }

    pub fn agrees(&self, truth: f64) -> bool {
        (self.value / truth - 1.0).abs() <= NEAR || (self.low <= truth && truth <= self.high)
    }
}

/// Judges a rate that was reported, or was not.
pub fn rate(told: Option<Figure>, truth: Truth) -> Judgement {
    let open = truth.cause == Cause::InFlight;
    let Some(figure) = told else {
        return match open || truth.near_another || truth.cause == Cause::Servers {
            true => Judgement::Open,
            false => Judgement::Missed,
        };
    };
    let wrong = if figure.is_sure() { Judgement::SureWrong } else { Judgement::Wrong };
    if figure.at_least {
        let lies = figure.value > truth.rate * (1.0 + NEAR) && figure.low > truth.rate;
        return match (lies, open || truth.near_another) {
            (true, _) => wrong,
            (false, true) => Judgement::Open,
            (false, false) => Judgement::HeldBack,
        };
    }
    if truth.near_another && figure.agrees(truth.rate) {
        return Judgement::Right;
    }
    if figure.cause == Cause::Unknown {
        return match (figure.agrees(truth.rate), open || truth.cause == Cause::Servers) {
            (true, true) => Judgement::Open,
            (true, false) => Judgement::HeldBack,
            (false, _) => Judgement::Wrong,
        };
    }
    match (open || !figure.agrees(truth.rate), figure.cause.agrees(truth.cause), figure.is_sure()) {
        (true, _, _) => wrong,
        (false, true, _) => Judgement::Right,
        (false, false, true) => Judgement::SureCause,
        (false, false, false) => Judgement::Cause,
    }
}

/// Judges a size that was reported: right within 6 %, or else by its confidence.
pub fn size(told: Option<(f64, Confidence)>, truth: Option<f64>) -> Option<Judgement> {
    let wrong = |sure: bool| if sure { Judgement::SureWrong } else { Judgement::Wrong };
    match (told, truth) {
        (None, None) => None,
        (None, Some(_)) => Some(Judgement::HeldBack),
        (Some((_, confidence)), None) => Some(wrong(confidence >= Confidence::Likely)),
        (Some((told, confidence)), Some(truth)) => Some(match (told / truth - 1.0).abs() <= 2.0 * NEAR {
            true => Judgement::Right,
            false => wrong(confidence >= Confidence::Likely),
        }),
    }
}

/// Judges the answer to a claim, of which the volume sustains `share`.
pub fn answer(answer: Answer, share: f64) -> Judgement {
    let is_true = match answer {
        Answer::Meets => share > SHORT,
        Answer::Exceeds => share >= MORE,
        Answer::Below => share < ENOUGH,
        Answer::Measured | Answer::ConsistentWithBurst | Answer::CannotTell => {
            return if (SHORT..=ENOUGH).contains(&share) { Judgement::Open } else { Judgement::HeldBack };
        }
    };
    if is_true { Judgement::Right } else { Judgement::SureWrong }
}

//! The table of a family: how often each quantity got each judgement, and the worst cases with the commands that
//! repeat them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::ceilings::ceilings;
use crate::judge::Judgement;
use crate::page;

/// Worst cases printed for a family; more only if more are sure and wrong, or sure of a wrong cause.
const WORST: usize = 12;

/// Results of one family.
#[derive(Clone, Debug, Default)]
pub struct Table {
    counts: BTreeMap<&'static str, [usize; 8]>,
    /// Figures that are shares or biases rather than counts, by quantity.
    pub figures: BTreeMap<String, String>,
    worst: Vec<(Judgement, &'static str, String)>,
}

impl Table {
    pub fn add(&mut self, quantity: &'static str, judged: Judgement, case: (&str, &dyn Fn() -> String)) {
        self.counts.entry(quantity).or_default()[judged as usize] += 1;
        if judged >= Judgement::Missed {
            self.worst.push((judged, quantity, format!("{}\n      {}", case.0, case.1())));
        }
    }

    pub fn merge(&mut self, other: Table) {
        for (quantity, counts) in other.counts {
            let own = self.counts.entry(quantity).or_default();
            own.iter_mut().zip(counts).for_each(|(own, more)| *own += more);
        }
        self.figures.extend(other.figures);
        self.worst.extend(other.worst);
    }

    /// Merges all tables.
    pub fn of(tables: impl IntoIterator<Item = Table>) -> Table {
        let mut all = Table::default();
        tables.into_iter().for_each(|table| all.merge(table));
        all
    }

    /// Returns the percentage of a quantity with this judgement.
    pub fn share_of(&self, quantity: &str, judged: Judgement) -> f64 {
        let Some(counts) = self.counts.get(quantity) else { return 100.0 };
        100.0 * counts[judged as usize] as f64 / counts.iter().sum::<usize>().max(1) as f64
    }

    fn share(&self, judged: &[Judgement]) -> f64 {
        let total: usize = self.counts.values().flatten().sum();
        let of: usize =
            self.counts.values().map(|row| judged.iter().map(|j| row[*j as usize]).sum::<usize>()).sum();
        100.0 * of as f64 / total.max(1) as f64
    }

    /// Returns the percentages that are sure and wrong, sure of a wrong cause, and missed or wrong.
    fn shares(&self) -> [f64; 3] {
        use Judgement::{Cause, Missed, SureCause, SureWrong, Wrong};
        [self.share(&[SureWrong]), self.share(&[SureCause]), self.share(&[Missed, Wrong, Cause])]
    }

    fn text(&self) -> String {
        let mut text = "| quantity |".to_owned();
        Judgement::ALL.iter().for_each(|judged| write!(text, " {} |", judged.heading()).unwrap());
        text.push_str("\n|---|");
        Judgement::ALL.iter().for_each(|_| text.push_str("---|"));
        for (quantity, counts) in &self.counts {
            write!(text, "\n| {quantity} |").unwrap();
            counts.iter().for_each(|count| write!(text, " {count} |").unwrap());
        }
        text.push('\n');
        if !self.figures.is_empty() {
            text.push_str("\n| what | figures |\n|---|---|\n");
            self.figures.iter().for_each(|(what, is)| writeln!(text, "| {what} | {is} |").unwrap());
        }
        text
    }

    /// Prints the table, keeps it if asked to, and checks it against the ceilings of its family.
    pub fn conclude(mut self, family: &'static str, volumes: usize) {
        let text = format!("{}\n{volumes} volumes.\n", self.text());
        let shares = self.shares();
        println!("\n## {family}\n\n{text}\n{family} ceilings: {shares:.1?}");
        self.worst.sort_by_key(|case| std::cmp::Reverse(case.0));
        let sure = self.worst.iter().filter(|case| case.0 >= Judgement::SureCause).count();
        for (judged, quantity, case) in self.worst.iter().take(sure.max(WORST)) {
            println!("  {}: {quantity}\n    {case}", judged.heading());
        }
        page::keep(family, &text);
        let ceiling = ceilings(family);
        let most = [ceiling.sure_and_wrong, ceiling.sure_of_a_wrong_cause, ceiling.missed_or_unsure];
        let names = ["sure and wrong", "sure of a wrong cause", "missed or wrong"];
        // With few volumes, one more case may be a greater share.
        let judged = self.counts.values().flatten().sum::<usize>() as f64;
        for ((what, share), most) in names.into_iter().zip(shares).zip(most) {
            let (cases, most_cases) = (share * judged / 100.0, (most * judged / 100.0).ceil());
            assert!(
                cases <= most_cases + 1e-6,
                "{family}: {share:.2} % are {what}, at most {most} % were: {cases:.0} of {judged}, not {most_cases}"
            );
        }
    }
}

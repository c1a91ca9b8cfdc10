//! Fleets to which nothing happens.

use fleet::Order;

use crate::simulated::{Plan, run};

#[test]
fn all_begin_every_step_together_and_every_file_arrives_whole() {
    for seed in 0..200 {
        let plan = Plan::of(seed);
        let seen = run(&plan);
        seen.concludes();
        let rounds = if plan.is_alone_first { 2 } else { 1 };
        assert_eq!(seen.gathered.len(), plan.size * rounds, "{plan:?}");
        let goes = seen.orders.iter().filter(|(_, _, order)| matches!(order, Order::Go(_))).count();
        assert_eq!(goes, plan.size * rounds * plan.steps, "{plan:?}");
        assert_eq!((seen.faults.as_slice(), seen.refusal.as_ref()), ([].as_slice(), None), "{plan:?}");
    }
}

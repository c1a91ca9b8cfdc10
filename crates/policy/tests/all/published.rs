//! The providers' own example tables follow from the formulas.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{
    Bucket, BurstLength, Catalogue, Cell, Level, Limit, Limits, Load, PublishedTable, Resource, UnitReading,
    evaluate,
};
use workload::{Bytes, Direction, PolicyName};

fn limits(words: &str) -> Limits {
    let name = PolicyName::parse(words).unwrap();
    evaluate(&name).unwrap_or_else(|error| panic!("{words}: {error}"))
}

fn table(id: &str) -> &'static PublishedTable {
    Catalogue::builtin()
        .tables()
        .iter()
        .find(|table| table.id == id)
        .unwrap_or_else(|| panic!("no table {id}"))
}

fn cell(table: &PublishedTable, row: usize, column: &str) -> f64 {
    table.number(row, column).unwrap_or_else(|| panic!("{} row {row} {column}", table.id))
}

fn seconds(length: BurstLength) -> f64 {
    match length {
        BurstLength::Ends(time) => time.as_secs_f64(),
        other => panic!("{other:?}"),
    }
}

/// The time in which the slowest bucket fills while the volume is idle.
fn refill_s(limits: &Limits) -> f64 {
    let fill = |limit: &Limit| match limit.burst?.bucket {
        Bucket::Tokens { size, .. } => Some(size / limit.baseline),
        Bucket::Timed { cool_off, .. } => Some(cool_off?.as_secs_f64()),
        Bucket::UnlimitedPaid | Bucket::Unknown => None,
    };
    limits.limits.iter().filter_map(fill).reduce(f64::max).unwrap()
}

/// The time in which `load` at full rate moves `bytes`, from full buckets.
fn seconds_to_move(limits: &Limits, load: &Load, mut bytes: f64) -> f64 {
    for phase in limits.overload(load) {
        let lasts = phase.end.map_or(f64::INFINITY, |end| end.since(phase.start).as_secs_f64());
        if phase.bandwidth.0 * lasts >= bytes {
            return phase.start.as_secs_f64() + bytes / phase.bandwidth.0;
        }
        bytes -= phase.bandwidth.0 * lasts;
    }
    panic!("no rule covers the load")
}

fn assert_near(is: f64, should: f64, tolerance: f64, what: &str) {
    assert!((is / should - 1.0).abs() <= tolerance, "{what}: {is} instead of {should}");
}

const READ: Direction = Direction::Read;

/// Returns a rule's baseline in its own unit.
fn written(limits: &Limits, resource: Resource) -> f64 {
    limits.limits.iter().find(|limit| limit.resource == resource).unwrap().written.baseline
}

#[test]
fn check_rows_of_every_policy() {
    let mut rows = 0;
    for policy in Catalogue::builtin().list() {
        for check in &policy.check {
            let words = format!("{},{}", policy.id, check.parameters);
            let limits = limits(&words);
            rows += 1;
            if let Some(iops) = check.iops {
                assert_near(written(&limits, Resource::Iops), iops, 0.0005, &words);
            }
            if let Some(mbps) = check.mbps {
                assert_near(written(&limits, Resource::Bytes), mbps, 0.003, &words);
            }
            if let Some(burst) = check.burst_s {
                assert_near(seconds(limits.longest_burst()), burst, 0.001, &words);
            }
            if let Some(refill) = check.refill_s {
                assert_near(refill_s(&limits), refill, 0.001, &words);
            }
        }
    }
    assert_eq!(rows, 17, "no check row was lost");
}

/// DigitalOcean's and Azure's tables by block size need 200 MiB/s although the page says 200 MB/s; the
/// decimal reading misses them by 4.6 %.
#[test]
fn tables_by_block_size() {
    for id in ["do-article-table", "azure-p30-io-size", "vmware-32k", "aws-gp2-large-io"] {
        let table = table(id);
        let limits = limits(table.policy.as_ref().unwrap());
        for row in 0..table.rows.len() {
            let block = Bytes::kib(cell(table, row, "block_kib") as u64);
            let cap = limits.cap(&Load::random(READ, block), Level::Burst).unwrap();
            assert_near(cap.iops.0, cell(table, row, "iops"), 1e-9, &format!("{id} at {block}"));
        }
    }
    let decimal = limits("do-volumes-pre-burst").in_reading(UnitReading::Decimal);
    let at_64k = decimal.cap_iops(READ, Bytes::kib(64), Level::Baseline).unwrap();
    assert_near(at_64k.0, 3051.8, 1e-4, "200 million bytes a second at 64 KiB");
}

#[test]
fn digitalocean_changes_from_operations_to_bytes_at_40_kib() {
    let limits = limits("do-volumes-pre-burst");
    assert_eq!(limits.crossover(READ, Level::Baseline), Some(Bytes(41_943)));
    assert_eq!(limits.enforced_bytes_per_second(READ).unwrap().0, 209_715_200.0);
    assert_eq!(limits.limits[1].alternative().unwrap().0, 200e6);
}

#[test]
fn vmware_counts_by_32_kib() {
    let limits = limits("vmware-vmdk-limit,limit=1000");
    let most = limits.cap(&Load::random(READ, Bytes::kib(256)), Level::Baseline).unwrap();
    assert_near(most.bandwidth.0, 31.25 * 1048576.0, 1e-12, "1,000 IOPS of 32 KiB");
    assert_eq!(limits.crossover(READ, Level::Baseline), None, "operations stop it at every size");
}

/// Three rows lie on the ideal lines; the fourth, at the corner, lies below both and fits a smooth minimum.
#[test]
fn alibaba_has_a_soft_corner() {
    let table = table("alibaba-standard-ssd");
    let limits = limits(table.policy.as_ref().unwrap());
    for row in [0, 2, 3] {
        let block = Bytes::kib(cell(table, row, "block_kib") as u64);
        let cap = limits.cap_iops(READ, block, Level::Baseline).unwrap();
        assert_near(cap.0, cell(table, row, "iops"), 1e-9, &format!("{block}"));
    }
    let (ops, bytes) = (25_000f64, 300f64 * 1048576.0 / 16384.0);
    let soft = (ops.powf(-3.2) + bytes.powf(-3.2)).powf(-1.0 / 3.2);
    assert_near(soft, cell(table, 1, "iops"), 0.01, "smooth minimum at 16 KiB");
}

#[test]
fn oracle_balanced_volumes() {
    let table = table("oci-balanced");
    for row in 0..table.rows.len() {
        let size = cell(table, row, "size_gb");
        let limits = limits(&format!("{},size={size}GB", table.policy.as_ref().unwrap()));
        let at = |bytes| limits.cap(&Load::random(READ, Bytes(bytes)), Level::Baseline).unwrap();
        assert_near(at(4_000).iops.0, cell(table, row, "iops_4k"), 1e-9, &format!("{size} GB"));
        assert_near(
            at(1_000_000).bandwidth.0 / 1e6,
            cell(table, row, "mb_s_1m"),
            1e-9,
            &format!("{size} GB"),
        );
        assert_near(at(8_000).bandwidth.0 / 1e6, cell(table, row, "mb_s_8k"), 1e-9, &format!("{size} GB"));
    }
}

#[test]
fn gp2_bursts() {
    let table = table("aws-gp2-burst");
    for row in 0..table.rows.len() {
        let size = cell(table, row, "size_gib");
        let limits = limits(&format!("aws-gp2,size={size}GiB"));
        let burst = limits.burst_under(&Load::random(READ, Bytes::kib(4)));
        assert_near(seconds(burst), cell(table, row, "burst_s_at_3000"), 0.001, &format!("{size} GiB"));
        assert_near(refill_s(&limits), cell(table, row, "refill_s"), 0.001, &format!("{size} GiB"));
        let base = limits.cap_iops(READ, Bytes::kib(4), Level::Baseline).unwrap();
        assert_near(base.0, cell(table, row, "baseline_iops"), 0.0005, &format!("{size} GiB"));
    }
}

#[test]
fn throughput_volumes_scan_in_the_published_time() {
    let mut scans = 0;
    for id in ["aws-st1", "aws-sc1"] {
        let table = table(id);
        for row in 0..table.rows.len() {
            let tib = cell(table, row, "size_tib");
            let limits = limits(&format!("{id},size={tib}TiB"));
            let load = Load::random(READ, Bytes::MIB).sequential();
            let at = |level| limits.cap(&load, level).unwrap().bandwidth.0 / 1048576.0;
            assert_near(
                at(Level::Baseline),
                cell(table, row, "base_mib_s"),
                0.001,
                &format!("{id} {tib} TiB"),
            );
            assert_near(at(Level::Burst), cell(table, row, "burst_mib_s"), 0.01, &format!("{id} {tib} TiB"));
            let Some(hours) = table.number(row, "full_scan_h") else { continue };
            let scan = seconds_to_move(&limits, &load, tib * 1024f64.powi(4)) / 3600.0;
            assert_near(scan, hours, 0.01, &format!("{id} {tib} TiB scan"));
            scans += 1;
        }
    }
    assert_eq!(scans, 8);
}

#[test]
fn one_minute_bursts() {
    let table = table("linode-vultr-do-bursts");
    for row in 0..table.rows.len() {
        let Some(Cell::Word(id)) = table.cell(row, "policy") else { panic!("row {row}") };
        let limits = limits(id);
        let [iops, bytes] = &limits.limits[..] else { panic!("{id}: two rules") };
        let figures = [
            (iops.baseline, "baseline_iops"),
            (iops.burst.unwrap().rate, "burst_iops"),
            (bytes.written.baseline, "baseline_mb"),
            (bytes.burst.unwrap().rate * bytes.written.baseline / bytes.baseline, "burst_mb"),
            (seconds(iops.burst_length()), "burst_s"),
            (seconds(bytes.burst_length()), "burst_s"),
        ];
        for (figure, column) in figures {
            assert_near(figure, cell(table, row, column), 1e-9, &format!("{id} {column}"));
        }
    }
}

/// Budgets of a machine: cached disks count towards one, the others towards another.
#[test]
fn azure_machines() {
    let machine = &Catalogue::builtin().azure_instances()["Standard_D8s_v3"];
    let disk = limits("azure-premium-ssd-large,tier=P30").enforced_iops(READ).unwrap().0;
    let cached = (2.0 * disk).min(machine.cached_iops);
    let uncached = (3.0 * disk).min(machine.uncached_iops);
    let table = table("azure-vm-combined");
    assert_eq!(cached + uncached, cell(table, 0, "value"));
    assert_near(cached / machine.cached_iops * 100.0, cell(table, 1, "value"), 0.03, "cached share");
    assert_near(uncached / machine.uncached_iops * 100.0, cell(table, 2, "value"), 0.01, "uncached share");
    assert_near(uncached / 3.0 / disk * 100.0, cell(table, 3, "value"), 0.03, "the system disk's share");
}

/// The other table's small machine is not among the rows, but the small one of the same family is: the disk is not the limit.
#[test]
fn a_small_machine_stops_a_large_disk() {
    let small = cell(table("azure-small-vm"), 0, "value");
    let limits = limits("azure-premium-ssd-large,tier=P30,instance=Standard_D2ds_v4");
    assert_eq!(limits.cap_iops(READ, Bytes::kib(4), Level::Baseline).unwrap().0, small);
}

/// Google's queue depths are Little's law with 2 ms.
#[test]
fn google_queue_depths() {
    let table = table("gcp-queue-depth");
    for row in 0..table.rows.len() {
        let depth = cell(table, row, "target_iops_16k") * 0.002;
        assert_near(depth, cell(table, row, "queue_depth"), 1e-9, "depth");
    }
}

/// Five seconds at 1,000 in a minute read as 83: the mean hides that a cap of 950 was exceeded.
#[test]
fn micro_bursts_hide_in_the_mean() {
    let table = table("aws-microburst");
    let value = |row| cell(table, row, "value");
    let busy = 60.0 - value(3);
    assert_near(value(1) * busy / 60.0, value(2), 1e-4, "mean over the minute");
    assert_near(value(2) * 60.0 / busy, value(4), 1e-4, "rate while busy");
    assert!(value(4) > value(0));
}

#[test]
fn tables_without_a_formula_are_in_order() {
    let first_touch = table("aws-initialisation");
    for row in 0..first_touch.rows.len() {
        assert!(cell(first_touch, row, "mb_s_least") < cell(first_touch, row, "mb_s_most"));
    }
    let matrices = table("diskplorer-matrices");
    for row in 0..matrices.rows.len() {
        let Some(Cell::Word(words)) = matrices.cell(row, "policy") else { panic!("row {row}") };
        assert!(!limits(words).limits.is_empty());
    }
}

#[test]
fn what_a_provider_bills_is_said() {
    for (words, told) in [
        ("aws-gp3", "does not bill"),
        ("azure-standard-hdd,tier=S10", "every transaction"),
        ("azure-premium-ssd-on-demand,tier=P30", "5,000 IOPS or 200 MB/s"),
        ("linode-block-nvme", "not in the catalogue"),
    ] {
        let notes = limits(words).billing_notes();
        assert!(notes[0].contains(told), "{words}: {notes:?}");
    }
}

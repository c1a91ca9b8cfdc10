//! The price list: published examples follow from it, more never costs less, and the user's own rows come first.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{Catalogue, MonthlyPrice, PriceList, evaluate};
use workload::PolicyName;

fn name(words: &str) -> PolicyName {
    PolicyName::parse(words).unwrap()
}

fn price(words: &str, region: &str) -> MonthlyPrice {
    let price = PriceList::builtin().a_month(&name(words), Some(region));
    price.unwrap_or_else(|| panic!("{words} has no price in {region}"))
}

fn own(text: &str) -> Result<PriceList, String> {
    PriceList::with_own("own.toml", text).map_err(|error| error.to_string())
}

/// Prices computed by hand. Those of Persistent Disk are Google's own examples; Infracost publishes that of the Ultra Disk.
#[test]
fn prices_follow_from_the_rates_by_hand() {
    for (words, region, by_hand) in [
        ("gcp-pd-standard,size=200GiB", "us-central1", 8.00),
        ("gcp-pd-ssd,size=200GiB", "us-central1", 34.00),
        ("gcp-pd-extreme,size=40GiB,iops=5000", "us-central1", 5.00 + 325.00),
        ("aws-gp2,size=100GiB", "us-east-1", 10.00),
        ("aws-gp3,size=40GiB,iops=4000,throughput=130", "us-west-2", 3.20 + 5.00 + 0.20),
        ("aws-io1,size=30GiB,iops=300", "us-east-1", 3.75 + 19.50),
        // 100,000 operations: 32,000 of the first tier, 32,000 of the second, 36,000 of the third.
        ("aws-io2-block-express,size=500GiB,iops=100000", "us-east-1", 62.50 + 2080.00 + 1456.00 + 1146.60),
        ("aws-st1,size=1TiB", "eu-central-1", 1024.0 * 0.054),
        ("azure-premium-ssd-credit,tier=P20", "westeurope", 80.54),
        ("azure-premium-ssd-credit,size=300GiB", "westeurope", 80.54),
        ("azure-premium-ssd-on-demand,tier=P30", "westeurope", 148.68 + 31.949),
        // 2,000 GiB are billed as 2,048; a month has 730 hours.
        ("azure-ultra,size=2000GiB,iops=4000,throughput=20MB/s", "eastus", 245.19 + 198.56 + 6.99),
        (
            "azure-premium-ssd-v2,size=512GiB,iops=5000,throughput=200MB/s",
            "westeurope",
            730.0 * (512.0 * 0.00013 + 2000.0 * 0.000008 + 75.0 * 0.000065),
        ),
        ("oci-block-volume,size=1000GB,vpu=10", "eu-frankfurt-1", 25.50 + 17.00),
        ("hetzner-volumes,size=100GB", "fsn1", 5.72),
        ("do-volumes-standard,size=250GiB", "nyc3", 25.00),
        ("linode-block-nvme,size=100GiB", "eu-west", 10.00),
    ] {
        let amount = price(words, region).amount;
        assert!((amount - by_hand).abs() < 0.01, "{words} in {region}: {amount}, by hand {by_hand}");
    }
}

/// Amazon's pricing page for its European cloud: 2,000 GB and 10,000 IOPS for 12 hours of a month of 30 days, with
/// EUR 0.09394 for a gigabyte and EUR 0.00592 for an operation above 3,000: EUR 3.13133 for the storage.
#[test]
fn the_example_of_the_provider_follows_from_rows_of_ones_own() {
    let text = r#"
[[price]]
policies = ["aws-gp3"]
region = "eusc-de-east-1"
currency = "EUR"
as_of = "2026"
source = "Amazon EBS pricing"
parts = [
    { count = { param = "size" }, price = 0.09394 },
    { count = { linear = { of = "iops", per = 1, base = -3000, min = 0 } }, price = 0.00592 },
]
"#;
    let prices = own(text).unwrap();
    let of = |words| prices.a_month(&name(words), Some("eusc-de-east-1")).unwrap();
    let (storage, both) = (of("aws-gp3,size=2000GiB"), of("aws-gp3,size=2000GiB,iops=10000"));
    let share_of_a_month = 43_200.0 / (86_400.0 * 30.0);
    assert!((storage.amount * share_of_a_month - 3.13133).abs() < 5e-6, "{storage:?}");
    assert!((both.amount - storage.amount - 7000.0 * 0.00592).abs() < 1e-9, "{both:?}");
    assert_eq!((both.currency.as_str(), both.source.as_str()), ("EUR", "Amazon EBS pricing"));
    // Without a region, the user's own row comes first; the other regions keep theirs.
    assert_eq!(prices.a_month(&name("aws-gp3,size=1GiB"), None).unwrap().region, "eusc-de-east-1");
    assert_eq!(prices.a_month(&name("aws-gp3,size=1GiB"), Some("us-east-1")).unwrap().amount, 0.08);
}

#[test]
fn a_row_of_ones_own_replaces_the_built_in_row_of_its_region() {
    let text = OWN.replace("eu-north-1", "us-east-1");
    let prices = own(&text).unwrap();
    let amount = |words: &str, region| prices.a_month(&name(words), Some(region)).unwrap().amount;
    assert_eq!(amount("aws-gp2,size=1GiB", "US-EAST-1"), 0.07);
    assert_eq!(amount("aws-gp2,size=1GiB", "eu-central-1"), 0.119);
    assert_eq!(amount("aws-gp2-2018-12,size=1GiB", "us-east-1"), 0.1);
}

const OWN: &str = r#"# what we agreed on
[[price]]
policies = ["aws-gp2"]
region = "eu-north-1"
currency = "USD"
as_of = "2026-11-01"
source = "our contract"
[[price.parts]]
count = { param = "size" }
price = 0.07

[[price]]
policies = ["azure-standard-hdd"]
region = "westeurope"
currency = "EUR"
as_of = "2026-11-01"
source = "our contract"
[[price.parts]]
count = { table = { of = "tier", values = { S4 = 1.5 } } }
price = 1
"#;

#[test]
fn what_is_wrong_with_a_row_is_named_with_its_place_and_the_nearest_word() {
    assert!(own(OWN).is_ok());
    for (right, wrong, told) in [
        ("currency = \"USD\"", "curency = \"USD\"", "own.toml:5:1: unknown field 'curency'"),
        ("currency = \"USD\"", "curency = \"USD\"", "did you mean 'currency'?"),
        ("as_of = \"2026-11-01\"\n", "", "missing field 'as_of'"),
        ("\"aws-gp2\"", "\"aws-pg2\"", "own.toml:3:14: "),
        ("\"aws-gp2\"", "\"aws-pg2\"", "did you mean 'aws-gp2'?"),
        ("\"aws-gp2\"", "", "own.toml:2:1: a price needs at least one policy"),
        ("param = \"size\"", "param = \"sise\"", "own.toml:9:20: "),
        ("param = \"size\"", "param = \"sise\"", "did you mean 'size'?"),
        ("S4 = 1.5", "S5 = 1.5", "own.toml:19:45: "),
        ("S4 = 1.5", "S5 = 1.5", "the nearest that is: tier=S4"),
        ("price = 0.07", "price = -1", "own.toml:10:1: -1 is no price"),
        ("price = 0.07", "price = inf", "inf is no price"),
        ("price = 0.07", "price = 0.07\nper = \"yaer\"", "own.toml:11:7: unknown variant 'yaer'"),
        ("[[price]]\npolicies = [\"azure", "[price]\npolicies = [\"azure", "own.toml:12:"),
    ] {
        let text = OWN.replacen(right, wrong, 1);
        assert_ne!(text, OWN, "{right}");
        let error = own(&text).unwrap_err();
        assert!(error.contains(told), "{wrong}: {error}");
    }
}

#[test]
fn a_second_price_of_one_policy_and_region_is_refused() {
    let (first, _) = OWN.split_once("\n\n").unwrap();
    let error = own(&format!("{OWN}\n{}", first.replace("eu-north-1", "EU-North-1"))).unwrap_err();
    assert!(error.contains("own.toml:24:14: 'aws-gp2' has another price in 'EU-North-1' above"), "{error}");
}

#[test]
fn an_unknown_region_is_refused_with_the_nearest_one() {
    let prices = PriceList::builtin();
    assert_eq!(prices.region("US-East-1").unwrap(), "us-east-1");
    let error = |typed| prices.region(typed).unwrap_err().to_string();
    assert_eq!(error("us-est-1"), "no price is known for the region 'us-est-1'; did you mean 'us-east-1'?");
    assert!(error("mars").contains("a file of your own"), "{}", error("mars"));
}

#[test]
fn a_price_that_depends_on_a_missing_parameter_is_none() {
    for words in ["aws-io1,iops=300", "hetzner-volumes", "aws-gp2", "gcp-pd-extreme,iops=5000", "vultr-nvme"]
    {
        assert_eq!(PriceList::builtin().a_month(&name(words), None), None, "{words}");
    }
    assert_eq!(PriceList::builtin().a_month(&name("aws-gp2,size=1GiB"), Some("westeurope")), None);
    assert_eq!(PriceList::builtin().a_month(&name("no-such-policy"), None), None);
}

/// Settings that grow from one to the next, in words after the id; those that a policy does not allow are left out.
fn growing(policy: &policy::Policy) -> Vec<Vec<String>> {
    let sizes = [1, 10, 150, 512, 513, 1024, 5000, 16_384, 40_000].map(|gib| format!("{gib}"));
    let rates = [300, 3000, 4000, 32_000, 33_000, 64_000, 100_000].map(|rate| format!("{rate}"));
    let mut settings = vec![Vec::new()];
    for parameter in &policy.parameters {
        let values: Vec<String> = match parameter.name.as_str() {
            "size" => sizes.to_vec(),
            "iops" => rates.to_vec(),
            "throughput" => ["1", "125", "140", "500", "1000"].map(str::to_owned).to_vec(),
            _ => parameter.choices.clone(),
        };
        let with = |setting: &Vec<String>, value: &String| {
            [setting.clone(), vec![format!("{}={value}", parameter.name)]].concat()
        };
        settings =
            settings.iter().flat_map(|s| values.iter().map(|v| with(s, v)).collect::<Vec<_>>()).collect();
    }
    settings
}

/// A setting is greater than another if they differ in one parameter, which is greater.
fn is_greater(policy: &policy::Policy, (more, less): (&[String], &[String])) -> bool {
    let mut apart = more.iter().zip(less).enumerate().filter(|(_, (more, less))| more != less);
    let Some((at, (more, less))) = apart.next().filter(|_| apart.next().is_none()) else { return false };
    let number = |word: &String| {
        let value = word.split('=').nth(1).unwrap();
        let choice = policy.parameters[at].choices.iter().position(|choice| choice == value);
        choice.map_or_else(|| value.parse::<f64>().unwrap(), |position| position as f64)
    };
    number(more) > number(less)
}

#[test]
fn every_row_has_a_price_and_more_never_costs_less() {
    let mut compared = 0;
    for row in PriceList::builtin().rows() {
        for id in &row.policies {
            let policy = Catalogue::builtin().find(id).unwrap();
            let extra = if policy.parameters.iter().any(|p| p.name == "size" || p.name == "tier") {
                ""
            } else {
                "size=100,"
            };
            let priced: Vec<(Vec<String>, f64)> = growing(policy)
                .into_iter()
                .filter(|setting| {
                    evaluate(&name(format!("{id},{}", setting.join(",")).trim_end_matches(','))).is_ok()
                })
                .map(|setting| {
                    let words = format!("{id},{extra}{}", setting.join(","));
                    let amount = price(words.trim_end_matches(','), &row.region).amount;
                    (setting, amount)
                })
                .collect();
            assert!(!priced.is_empty(), "{id} in {}", row.region);
            for (more, dear) in &priced {
                assert!(dear.is_finite() && *dear > 0.0, "{id} {more:?}: {dear}");
                for (less, cheap) in priced.iter().filter(|(less, _)| is_greater(policy, (more, less))) {
                    compared += 1;
                    assert!(dear >= cheap, "{id} in {}: {more:?} {dear}, {less:?} {cheap}", row.region);
                }
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn every_built_in_row_is_dated_and_sourced() {
    for row in PriceList::builtin().rows() {
        assert!(row.as_of.starts_with("20") && row.as_of.len() == 10, "{row:?}");
        assert!(row.url.as_ref().is_some_and(|url| url.starts_with("https://")), "{row:?}");
        assert_eq!(row.currency.len(), 3, "{row:?}");
    }
}

//! Sizes: every row of the table of cases, in blocks of 64 KiB and of 1 KiB.

use diskspd::size;
use proptest::prelude::*;

const BLOCK: u32 = 65_536;

#[test]
fn sizes_are_digits_with_at_most_one_unit() {
    const K: u64 = 1024;
    let cases: &[(&str, u64)] = &[
        ("0", 0),
        ("1", 1),
        ("2", 2),
        ("10", 10),
        ("4096", 4096),
        ("123908798324", 123_908_798_324),
        ("1b", 65_536),
        ("3B", 3 * 65_536),
        ("30b", 30 * 65_536),
        ("1K", K),
        ("3K", 3 * K),
        ("30K", 30 * K),
        ("1M", K * K),
        ("4M", 4 * K * K),
        ("50M", 50 * K * K),
        ("1G", K * K * K),
        ("6G", 6 * K * K * K),
        ("70G", 70 * K * K * K),
        ("1T", K * K * K * K),
        ("70T", 70 * K * K * K * K),
        ("1k", K),
        ("1t", K * K * K * K),
        ("18446744073709551615", u64::MAX),
        ("18014398509481983K", 18_014_398_509_481_983 * K),
        ("17592186044415M", 17_592_186_044_415 * K * K),
        ("17179869183G", 17_179_869_183 * K * K * K),
    ];
    for (text, bytes) in cases {
        assert_eq!(size(text, BLOCK), Ok(*bytes), "{text}");
    }
    assert_eq!(size("18014398509481983b", 1024), Ok(18_014_398_509_481_983 * K));
}

#[test]
fn what_is_no_size_is_refused_with_its_place() {
    let cases = [
        ("10a", 2),
        ("30 b", 2),
        ("30 K", 2),
        ("40 M", 2),
        ("70 G", 2),
        ("70 T", 2),
        ("30KB", 3),
        ("40MB", 3),
        ("70GB", 3),
        ("70TB", 3),
        ("4KiB", 2),
        ("1.5G", 1),
        ("-5", 0),
        ("+5", 0),
        ("", 0),
        ("K", 0),
        ("18446744073709551616", 0),
        ("18014398509481984K", 0),
        ("17592186044416M", 0),
        ("17179869184G", 0),
    ];
    for (text, at) in cases {
        let error = size(text, BLOCK).unwrap_err();
        assert_eq!(error.at, at, "{text}: {error:?}");
    }
    assert!(size("18014398509481984b", 1024).is_err());
    assert_eq!(size("30KB", BLOCK).unwrap_err().instead.as_deref(), Some("30K"));
    assert_eq!(size("4KiB", BLOCK).unwrap_err().instead.as_deref(), Some("4K"));
    assert_eq!(size("30 K", BLOCK).unwrap_err().instead.as_deref(), Some("30K"));
}

proptest! {
    #[test]
    fn no_text_makes_a_size_panic(text in "\\PC{0,12}", block in 1u32..) {
        let _ = size(&text, block);
    }
}

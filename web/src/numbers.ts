// Numbers as the report writes them everywhere: the same rules as crates/report/src/numbers.rs, held against it by a test.
import type { Panel, Unit } from "./recording";

interface Written {
    readonly name: string;
    readonly factor: number;
}

const BYTES: readonly Written[] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].map((name, power) => ({
    name,
    factor: 1024 ** power,
}));
const RATES: readonly Written[] = BYTES.slice(0, 5).map(({ name, factor }) => ({
    name: `${name}/s`,
    factor,
}));
const NANOSECOND: Written = { name: "ns", factor: 1e-9 };
const MICROSECOND: Written = { name: "µs", factor: 1e-6 };
const MILLISECOND: Written = { name: "ms", factor: 1e-3 };
const SECOND: Written = { name: "s", factor: 1 };
const PERCENT: Written = { name: "%", factor: 0.01 };
const NONE: Written = { name: "", factor: 1 };

function largest(units: readonly Written[], value: number): Written {
    return units.findLast((unit) => value >= unit.factor) ?? units[0] ?? NONE;
}

/// The unit in which values of about `value` are written.
export function unitFor(unit: Unit, value: number): Written {
    switch (unit) {
        case "bytes_per_second":
            return largest(RATES, value / 2);
        case "share":
            return PERCENT;
        case "seconds":
            if (value >= 1) return SECOND;
            if (value >= 1e-4) return MILLISECOND;
            return value >= 1e-6 ? MICROSECOND : NANOSECOND;
        case "bytes":
            return largest(BYTES, value);
        // Names of lines say of what, and whether a second.
        case "per_second":
        case "count":
            return NONE;
    }
}

/// `value` with this many decimals and commas between thousands.
export function fixed(value: number, decimals: number): string {
    const [whole = "", rest] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    const text = rest === undefined ? grouped : `${grouped}.${rest}`;
    return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

/// Whole from 100 on, one decimal from 10 on, else two significant digits.
export function figure(value: number): string {
    const size = Math.abs(value);
    let decimals = 0;
    if (size < 99.95) decimals = 1;
    if (size < 0.995 && size > 0) decimals = Math.min(Math.max(1 - Math.floor(Math.log10(size)), 2), 9);
    const text = fixed(value, decimals);
    return Number.isInteger(value) ? text.replace(/\.0$/, "") : text;
}

/// Whole from 10 on, else as `figure`.
function short(value: number): string {
    return Math.abs(value) >= 9.95 ? fixed(value, 0) : figure(value);
}

function digits(unit: Unit, written: Written, value: number): string {
    switch (unit) {
        case "seconds":
            return written === NANOSECOND ? fixed(value, 0) : short(value);
        case "per_second":
        case "share":
        case "bytes":
            return short(value);
        case "bytes_per_second":
        case "count":
            return figure(value);
    }
}

/// `value` of the base unit with its unit: `61 ms`, `125 MiB/s`, `12 %`.
export function worded(panel: Panel, value: number): string {
    const written = panel.written ?? unitFor(panel.unit, value);
    // Below a thousandth of a percent the page says so, as the report does.
    if (panel.unit === "share" && value > 0 && value < 1e-5) return "under 0.001 %";
    return `${digits(panel.unit, written, value / written.factor)} ${written.name}`.trimEnd();
}

/// The least and the greatest of a span, their unit once where it is the same: `12 to 61 ms`.
export function between(panel: Panel, min: number, max: number): string {
    if (Number.isNaN(min)) return "none";
    const [least, greatest] = [worded(panel, min), worded(panel, max)];
    if (least === greatest) return least;
    const unit = greatest.split(" ").slice(1).join(" ");
    const bare = unit !== "" && least.endsWith(` ${unit}`) ? least.slice(0, -unit.length - 1) : least;
    return `${bare} to ${greatest}`;
}

/// Time since the start: `0:07`, `12:07`, `1:02:07`, with decimals where `step` needs them.
export function clock(seconds: number, step: number): string {
    const decimals = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
    const total = Number(Math.max(seconds, 0).toFixed(decimals));
    const hours = Math.floor(total / 3600);
    const minutes = Math.floor(total / 60) % 60;
    const rest = (total % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, "0");
    if (hours === 0) return `${minutes}:${rest}`;
    return `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/// `2026-11-21 14:24:36 to 14:24:37 UTC` and how far into the run; the latter alone where nobody said when it started.
export function when(started: number, from: number, to: number): string {
    const length = to - from;
    if (started === 0) return `${clock(from, length)} to ${clock(to, length)}`;
    const utc = (time: number) =>
        new Date(started + time * 1000)
            .toISOString()
            .slice(0, length < 0.9 ? 23 : 19)
            .replace("T", " ");
    return `${utc(from)} to ${utc(to).slice(11)} UTC, +${clock(from, length)}`;
}

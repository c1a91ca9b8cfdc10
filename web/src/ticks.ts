// Where axes have their ticks and what stands beside them: as the drawings of crates/report/src/charts have them.
import { fixed } from "./numbers";
import type { Panel, RunDocument, Unit } from "./recording";

interface Prefix {
    readonly factor: number;
    readonly name: string;
}

const prefixed = (names: readonly string[], base: number, first = 0): Prefix[] =>
    names.map((name, place) => ({ name, factor: base ** (place + first) }));

/// Rising.
const PREFIXES: Readonly<Record<Unit, readonly Prefix[]>> = {
    per_second: prefixed(["", " k", " M", " G"], 1000),
    count: prefixed(["", " k", " M", " G"], 1000),
    share: [{ factor: 0.01, name: " %" }],
    seconds: prefixed([" ns", " µs", " ms", " s"], 1000, -3),
    bytes: prefixed([" B", " KiB", " MiB", " GiB", " TiB"], 1024),
    bytes_per_second: prefixed([" B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s"], 1024),
};

/// The prefix that values up to `top` are written with.
function suited(panel: Panel, top: number): Prefix {
    if (panel.written !== undefined) return { ...panel.written, name: ` ${panel.written.name}` };
    const all = PREFIXES[panel.unit];
    return all.findLast(({ factor }) => top >= factor) ?? all[0] ?? { factor: 1, name: "" };
}

/// The least of 1, 2 and 5 times a power of ten that is not below `rough`.
function roundStep(rough: number): number {
    const power = 10 ** Math.floor(Math.log10(rough));
    return ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/// Every multiple of `step` from `low` to `high`.
function multiples(low: number, high: number, step: number): number[] {
    const first = Math.ceil(low / step - 1e-6);
    const count = Math.floor(high / step + 1e-6) - first + 1;
    return Array.from({ length: Math.min(Math.max(count, 0), 200) }, (_, place) => (first + place) * step);
}

/// Round in the prefix that suits them, about `count` of them.
export function valueTicks(panel: Panel, low: number, high: number, count: number): number[] {
    const { factor } = suited(panel, high);
    const step = roundStep((high - low) / factor / count);
    return multiples(low / factor, high / factor, step).map((value) => value * factor);
}

export function valueLabels(panel: Panel, values: readonly number[]): string[] {
    const greatest = Math.max(...values);
    const label = (value: number) => {
        // Over many powers of ten no one prefix suits all.
        const { factor, name } = suited(panel, panel.scale === "linear" ? greatest : value * 1.0001);
        const number = fixed(value / factor, 3);
        return `${number.includes(".") ? number.replace(/\.?0+$/, "") : number}${name}`;
    };
    return values.map((value) => (value === 0 ? "0" : label(value)));
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/// At which clocks are read.
const CLOCK = [
    ...[1, 2, 5, 10, 15, 30],
    ...[1, 2, 5, 10, 15, 30].map((step) => step * MINUTE),
    ...[1, 2, 3, 6, 12].map((step) => step * HOUR),
    ...[1, 2, 7, 30].map((step) => step * DAY),
];
/// From this length on people ask when it was, not how long after the start.
const CLOCK_FROM = 600;

/// What the wall clock showed at the run's start, in seconds since 1970; null where times are told from the start.
export function wallOf(run: RunDocument): number | null {
    return run.started > 0 && run.to - run.from >= CLOCK_FROM ? run.started / 1000 : null;
}

export function timeTicks(wall: number | null, low: number, high: number, count: number): number[] {
    const rough = (high - low) / count;
    if (wall === null || rough < 0.5) return multiples(low, high, roundStep(rough));
    const step = CLOCK.find((step) => step >= rough) ?? 30 * DAY;
    return multiples(wall + low, wall + high, step).map((time) => time - wall);
}

export function timeLabels(wall: number | null, times: readonly number[]): string[] {
    const step = (times[1] ?? 0) - (times[0] ?? 0);
    if (wall === null || (step > 0 && step < 1)) return times.map((time) => `${seconds(time)} s`);
    return times.map((time) => clockWords(Math.round(wall + time), step));
}

function seconds(time: number): string {
    return fixed(time, 3).replace(/\.?0+$/, "") || "0";
}

/// `14:00`, and the day where it begins.
function clockWords(unix: number, step: number): string {
    const text = new Date(unix * 1000).toISOString();
    if (unix % DAY === 0) return text.slice(5, 10);
    return text.slice(11, step > 0 && step < MINUTE ? 19 : 16);
}

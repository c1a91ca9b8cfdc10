// What the page holds of the run: the document that crates/report/src/zoom writes, and how its packed numbers are read.

/// What values are counted in; names as in the run file.
export type Unit = "per_second" | "bytes_per_second" | "share" | "seconds" | "bytes" | "count";

export interface Line {
    readonly name: string;
    readonly ink: string;
}

/// A dashed line across the chart: what is claimed.
export interface Level {
    readonly value: number;
    readonly label: string;
    readonly ink: string;
}

/// One pair of axes of a chart.
export interface Panel {
    readonly title: string;
    readonly unit: Unit;
    /// The unit that the whole chart is written in, where it has one.
    readonly written?: { readonly name: string; readonly factor: number };
    readonly scale: "linear" | "logarithmic";
    readonly lines: readonly Line[];
    readonly levels: readonly Level[];
}

export interface ChartDocument {
    readonly device: string;
    readonly chart: string;
    /// Place in `times` of the spans that its values belong to.
    readonly times: number;
    readonly panels: readonly Panel[];
    /// Least and greatest values of every line of every panel; see `unpacked`.
    readonly values: string;
}

/// Seconds on the run's clock.
export interface Span {
    readonly from: number;
    readonly to: number;
}

export interface Band extends Span {
    readonly label: string;
    /// Whether it stands out from the page: where a load ran.
    readonly filled: boolean;
}

/// A step or a phase, as the crosshair names it.
export interface Step extends Span {
    readonly label: string;
}

export interface Ink {
    readonly light: string;
    readonly dark: string;
    readonly dash: readonly number[];
}

export interface RunDocument extends Span {
    /// When the run's clock showed zero, milliseconds since 1970; zero where nobody said.
    readonly started: number;
    readonly inks: Readonly<Record<string, Ink>>;
    readonly bands: readonly Band[];
    /// In the order in which they ran.
    readonly steps: readonly Step[];
    readonly gaps: readonly Span[];
    readonly times: readonly { readonly count: number; readonly packed: string }[];
    readonly charts: readonly ChartDocument[];
}

/// Spans that values belong to, rising; in seconds on the run's clock.
export interface Times {
    readonly from: Float64Array;
    readonly to: Float64Array;
}

/// Least and greatest value of each span; NaN where there is none.
export interface Series {
    readonly min: Float32Array;
    readonly max: Float32Array;
}

async function inflated(base64: string): Promise<Uint8Array> {
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// `count` starts, then as many ends, as little-endian doubles.
export async function times(packed: string, count: number): Promise<Times> {
    const view = new DataView((await inflated(packed)).buffer);
    const at = (place: number) => view.getFloat64(place * 8, true);
    const read = (first: number) => Float64Array.from({ length: count }, (_, place) => at(first + place));
    return { from: read(0), to: read(count) };
}

/// Series of `count` values each: singles as four planes of bytes, the lowest first, because high bytes repeat and low
/// ones do not; the greatest as what differs from the least, because mostly nothing does.
export async function series(packed: string, count: number): Promise<Series[]> {
    const bytes = await inflated(packed);
    const words = (start: number) => {
        const byte = (plane: number, place: number) => bytes[start + plane * count + place] ?? 0;
        const word = (place: number) =>
            byte(0, place) | (byte(1, place) << 8) | (byte(2, place) << 16) | (byte(3, place) << 24);
        return Uint32Array.from({ length: count }, (_, place) => word(place));
    };
    const one = (number: number): Series => {
        const min = words(number * 8 * count);
        const max = words(number * 8 * count + 4 * count).map((word, place) => word ^ (min[place] ?? 0));
        return { min: new Float32Array(min.buffer), max: new Float32Array(max.buffer) };
    };
    return Array.from({ length: bytes.length / (8 * count) }, (_, number) => one(number));
}

/// The place of the span that `time` lies in, or of the nearest one; the spans are not empty.
export function placeOf(times: Times, time: number): number {
    let low = 0;
    let high = times.from.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((times.from[middle] ?? 0) <= time) low = middle;
        else high = middle - 1;
    }
    return low;
}

/// The step that the span at `place` lies in by its middle; nothing between two steps.
export function stepAt(steps: readonly Step[], { from, to }: Times, place: number): string {
    const middle = ((from[place] ?? 0) + (to[place] ?? 0)) / 2;
    return steps.find((step) => step.from <= middle && middle < step.to)?.label ?? "";
}

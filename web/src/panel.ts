// One pair of axes as a canvas.
import uPlot from "uplot";
import type { Colours } from "./colours";
import { BAND_ROW, drawBands, drawGaps, drawLevels, drawLit } from "./marks";
import type { Panel, RunDocument, Series, Times } from "./recording";
import { timeLabels, timeTicks, valueLabels, valueTicks, wallOf } from "./ticks";
import type { View } from "./view";

export interface PanelData {
    readonly panel: Panel;
    readonly series: readonly Series[];
    readonly times: Times;
    readonly run: RunDocument;
}

export interface Surface {
    readonly view: View;
    readonly colours: Colours;
    readonly width: number;
    readonly height: number;
}

const FONT = "11px plimsoll,system-ui,sans-serif";
/// The canvas of `data` as `surface` wants it, not yet in the page.
export function plotted(data: PanelData, surface: Surface): uPlot {
    const columns = data.series.map((series) => columnsOf(series));
    const options: uPlot.Options = {
        width: surface.width,
        height: surface.height,
        padding: [data.run.bands.length > 0 ? BAND_ROW : 6, 24, 0, 0],
        legend: { show: false },
        series: [
            {},
            ...data.panel.lines.flatMap((line, place) => strokes(line.ink, columns[place], surface)),
        ],
        bands: envelopes(data.panel, columns, surface.colours),
        scales: scales(data.panel, surface.view),
        axes: axes(data, surface),
        cursor: cursor(surface.view),
        hooks: hooks(data, surface),
    };
    const { from, to } = data.times;
    const middles = Array.from(from, (start, place) => (start + (to[place] ?? start)) / 2);
    return new uPlot(options, [middles, ...columns.flat()], (_, ready) => ready());
}

/// Greatest and least as uPlot takes them; the greatest alone where no span holds more than one value.
function columnsOf(series: Series): (number | null)[][] {
    const numbers = (values: Float32Array) =>
        Array.from(values, (value) => (Number.isNaN(value) ? null : value));
    const single = series.max.every((value, place) => Object.is(value, series.min[place]));
    return single ? [numbers(series.max)] : [numbers(series.max), numbers(series.min)];
}

function strokes(ink: string, columns: unknown[] | undefined, { colours }: Surface): uPlot.Series[] {
    const line: uPlot.Series = { stroke: colours.of(ink), dash: colours.dash(ink), width: 1.25 };
    return (columns ?? []).map(() => ({ ...line, points: { size: 4, fill: colours.of(ink) } }));
}

/// Fills what lies between least and greatest.
function envelopes(panel: Panel, columns: readonly unknown[][], colours: Colours): uPlot.Band[] {
    let next = 1;
    return panel.lines.flatMap((line, place) => {
        const first = next;
        next += columns[place]?.length ?? 0;
        const fill = `${colours.of(line.ink)}40`;
        // Merges lie upon what they are merged into.
        return next - first < 2 || line.ink.endsWith("Merged")
            ? []
            : [{ series: [first, first + 1] as uPlot.Band.Bounds, fill }];
    });
}

function scales(panel: Panel, view: View): uPlot.Scales {
    const x: uPlot.Scale = { time: false, range: () => [view.from, view.to] };
    if (panel.scale === "logarithmic") return { x, y: { distr: 3 } };
    // A claim far above everything would press the lines flat.
    const claimed = (max: number) =>
        panel.levels.filter(({ value }) => value <= 4 * max).map(({ value }) => value);
    const top = (max: number | null) => Math.max(max ?? 0, ...claimed(max ?? 0)) * 1.06 || 1;
    // From zero, so that a height is an amount; a share up to the whole, as the drawings have it.
    return {
        x,
        y: { range: (_, __, max) => [0, panel.unit === "share" ? Math.max(max ?? 0, 1) : top(max)] },
    };
}

function axes({ panel, run }: PanelData, { colours, width, height }: Surface): uPlot.Axis[] {
    const drawn: uPlot.Axis = {
        font: FONT,
        stroke: colours.of("Word"),
        grid: { stroke: colours.of("Grid"), width: 1 },
        ticks: { show: false },
    };
    const wall = wallOf(run);
    const time: uPlot.Axis = {
        ...drawn,
        size: 24,
        gap: 3,
        splits: (_, __, low, high) => timeTicks(wall, low, high, Math.max(width / 90, 2)),
        values: (_, splits) => timeLabels(wall, splits),
    };
    // A logarithmic axis has its own places.
    const linear = panel.scale === "linear";
    const value: uPlot.Axis = {
        ...drawn,
        size: 78,
        space: 34,
        ...(linear ? { splits: (_, __, low, high) => valueTicks(panel, low, high, height / 30) } : {}),
        values: (_, splits) => labelled(panel, splits),
    };
    return [time, value];
}

/// On a logarithmic axis uPlot leaves out some labels by a null.
function labelled(panel: Panel, splits: readonly (number | null)[]): string[] {
    const labels = valueLabels(
        panel,
        splits.map((split) => split ?? 0),
    );
    return labels.map((label, place) => (splits[place] == null ? "" : label));
}

function cursor(view: View): uPlot.Cursor {
    return {
        y: false,
        points: { size: 6 },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: {
            dblclick: () => () => {
                view.reset();
                return null;
            },
        },
    };
}

function hooks(data: PanelData, { view, colours }: Surface): uPlot.Hooks.Arrays {
    const select = (plot: uPlot) => {
        const { left, width } = plot.select;
        if (width > 0) view.show(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    };
    return {
        drawClear: [
            (plot) => drawBands(plot, data.run.bands, colours),
            (plot) => drawGaps(plot, data.run.gaps, colours),
            (plot) => drawLit(plot, view.lit),
        ],
        draw: [(plot) => drawLevels(plot, data.panel.levels, colours)],
        setSelect: [select],
    };
}

// What stands behind and across the lines of a chart: phases of the run, spans in which nobody looked, claims.
import type uPlot from "uplot";
import type { Colours } from "./colours";
import type { Band, Level, Span } from "./recording";

/// Height of the row above the plot that phases are named in.
export const BAND_ROW = 16;

/// From, width and visibility of a span in the canvas's own pixels.
function across(plot: uPlot, span: Span): { left: number; width: number } | null {
    const { left, width } = plot.bbox;
    const at = (time: number) => Math.min(Math.max(plot.valToPos(time, "x", true), left), left + width);
    const from = at(span.from);
    const to = at(span.to);
    return to > from ? { left: from, width: to - from } : null;
}

/// Phases shaded as the drawings shade them, each named where its name has room.
export function drawBands(plot: uPlot, bands: readonly Band[], colours: Colours): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.font = `${10 * devicePixelRatio}px plimsoll,sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    for (const band of bands) {
        const seen = across(plot, band);
        if (seen === null) continue;
        if (band.filled) {
            ctx.fillStyle = colours.of("Band");
            ctx.fillRect(seen.left, bbox.top, seen.width, bbox.height);
        }
        if (ctx.measureText(band.label).width + 6 * devicePixelRatio > seen.width) continue;
        ctx.fillStyle = colours.of("Word");
        ctx.fillText(band.label, seen.left + seen.width / 2, bbox.top - 2 * devicePixelRatio);
    }
    ctx.restore();
}

export function drawGaps(plot: uPlot, gaps: readonly Span[], colours: Colours): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = colours.of("Gap");
    for (const gap of gaps) {
        const seen = across(plot, gap);
        if (seen !== null) ctx.fillRect(seen.left, bbox.top, seen.width, bbox.height);
    }
    ctx.restore();
}

/// Stands out in the light and in the dark.
const LIT = "rgb(240 175 30 / 28%)";

export function drawLit(plot: uPlot, lit: Span | null): void {
    const seen = lit === null ? null : across(plot, lit);
    if (seen === null) return;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = LIT;
    // A moment is seen too.
    const width = Math.max(seen.width, 3 * devicePixelRatio);
    ctx.fillRect(seen.left, bbox.top, width, bbox.height);
    ctx.restore();
}

/// Dashed lines with their words above them at the right; words that would touch are moved apart, as in the drawings.
export function drawLevels(plot: uPlot, levels: readonly Level[], colours: Colours): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.font = `${10 * devicePixelRatio}px plimsoll,sans-serif`;
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio]);
    const word = 12 * devicePixelRatio;
    const tops = levels.map((level) => ({ level, top: plot.valToPos(level.value, "y", true) }));
    const seen = tops.filter(({ top }) => top >= bbox.top && top <= bbox.top + bbox.height);
    let free = 0;
    for (const { level, top } of seen.sort((a, b) => a.top - b.top)) {
        // At the very top below its line: above the plot phases are named.
        const own = top - word < bbox.top ? top + word : top - devicePixelRatio;
        const foot = Math.max(own, free);
        free = foot + word;
        ctx.strokeStyle = colours.of(level.ink);
        ctx.fillStyle = colours.of(level.ink);
        ctx.beginPath();
        ctx.moveTo(bbox.left, top);
        ctx.lineTo(bbox.left + bbox.width, top);
        ctx.stroke();
        ctx.fillText(level.label, bbox.left + bbox.width - 3 * devicePixelRatio, foot);
    }
    ctx.restore();
}

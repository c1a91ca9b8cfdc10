// The keyboard: a figure that has the focus moves the crosshair and zooms; Escape shows everything from anywhere.
import type { Chart } from "./chart";
import { placeOf } from "./recording";
import type { View } from "./view";

export const HINT =
    "Drag across a chart to zoom all of them; a double click or Escape shows everything again. " +
    "With a chart in focus, the arrow keys move the crosshair (with Shift ten steps), + and − zoom. " +
    "A shade reaches from the least to the greatest value of a span.";

/// Moves the crosshair by `steps` values of the chart, from the middle of what is shown where there is none yet.
function move(view: View, { times }: Chart, steps: number): void {
    const last = times.from.length - 1;
    const here = placeOf(times, view.at ?? (view.from + view.to) / 2);
    const place = Math.min(Math.max(view.at === null ? here : here + steps, 0), last);
    view.point(((times.from[place] ?? 0) + (times.to[place] ?? 0)) / 2);
    view.reach();
}

function press(event: KeyboardEvent, view: View, chart: Chart): boolean {
    const stride = event.shiftKey ? 10 : 1;
    switch (event.key) {
        case "ArrowLeft":
            move(view, chart, -stride);
            return true;
        case "ArrowRight":
            move(view, chart, stride);
            return true;
        case "+":
        case "=":
            view.zoom(1 / 2);
            return true;
        case "-":
            view.zoom(2);
            return true;
        default:
            return false;
    }
}

export function listen(view: View, charts: readonly Chart[]): void {
    for (const chart of charts) {
        chart.figure.tabIndex = 0;
        chart.figure.addEventListener("keydown", (event) => {
            // A key for the table or a link within the figure is not for the chart.
            const own = event.target === chart.figure && !event.ctrlKey && !event.metaKey && !event.altKey;
            if (own && press(event, view, chart)) event.preventDefault();
        });
        chart.figure.addEventListener("blur", () => view.point(null));
    }
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") view.reset();
    });
}

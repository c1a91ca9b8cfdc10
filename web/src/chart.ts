// A figure of the page: its drawing stands until the figure comes into view, and is printed; on the screen a chart that
// can be zoomed takes its place.
import type uPlot from "uplot";
import type { Colours } from "./colours";
import { plotted } from "./panel";
import { Readout } from "./readout";
import {
    type ChartDocument,
    type Panel,
    placeOf,
    type RunDocument,
    type Series,
    series,
    type Times,
} from "./recording";
import type { View } from "./view";

/// Below this a panel says nothing.
const LEAST_HEIGHT = 140;

/// What the charts of a page have in common.
export interface Page {
    readonly run: RunDocument;
    readonly view: View;
    readonly colours: Colours;
    readonly times: readonly Times[];
}

export class Chart {
    readonly figure: HTMLElement;
    readonly times: Times;
    readonly #page: Page;
    readonly #chart: ChartDocument;
    #series: readonly Series[] | null = null;
    #wanted = false;
    #host: HTMLElement | null = null;
    #readouts: Readout[] = [];
    #plots: uPlot[] = [];
    #pointed = false;
    #shown = "";

    constructor(figure: HTMLElement, chart: ChartDocument, times: Times, page: Page) {
        this.figure = figure;
        this.times = times;
        this.#chart = chart;
        this.#page = page;
    }

    async mount(): Promise<void> {
        this.#wanted = true;
        this.#series ??= await series(this.#chart.values, this.times.from.length);
        if (this.#wanted && this.#host === null) this.#build(this.#series);
    }

    /// Gives its memory back; the drawing stands again, as high as before. A chart with the keyboard's focus stays.
    unmount(): void {
        this.#wanted = false;
        if (this.#host === null || document.activeElement === this.figure) return;
        this.#page.view.leave(this);
        for (const plot of this.#plots) plot.destroy();
        this.#plots = [];
        this.#host.remove();
        this.#host = null;
        this.figure.classList.remove("zooms");
    }

    /// Built anew: in other colours, or in another width.
    rebuild(): void {
        if (this.#host === null) return;
        for (const plot of this.#plots) plot.destroy();
        this.#host.remove();
        this.#host = null;
        this.figure.classList.remove("zooms");
        if (this.#series !== null) this.#build(this.#series);
    }

    follow(view: View): void {
        const shown = `${view.from} ${view.to} ${view.lit?.from} ${view.lit?.to}`;
        for (const plot of this.#plots) {
            if (shown !== this.#shown) {
                plot.setScale("x", { min: view.from, max: view.to });
                // A span may be lit up where the scale stays.
                plot.redraw(false);
            }
            if (!this.#pointed) plot.setCursor({ left: crosshair(plot, view), top: 0 }, false);
        }
        this.#shown = shown;
        const place = view.at === null ? null : placeOf(this.times, view.at);
        for (const readout of this.#readouts) readout.show(place);
    }

    #build(all: readonly Series[]): void {
        const drawings = [...this.figure.querySelectorAll<SVGElement>("svg.chart")];
        const drawing = drawings[0];
        if (drawing === undefined) return;
        // Where the page is narrow, panels of a drawing stand below each other, or it is wider than its figure.
        const width = this.figure.clientWidth;
        const height = drawings.reduce((sum, one) => sum + one.getBoundingClientRect().height, 0);
        const host = document.createElement("div");
        host.className = "zoom";
        host.style.minHeight = `${height}px`;
        drawing.before(host);
        this.#host = host;
        this.#readouts = this.#named(host, all);
        this.figure.classList.add("zooms");
        const named = this.#readouts.reduce((sum, readout) => sum + readout.element.offsetHeight, 0);
        const room = Math.max((height - named) / this.#readouts.length, LEAST_HEIGHT);
        this.#plots = this.#drawn(all, { width, height: Math.floor(room) });
        this.#shown = "";
        this.#page.view.join(this);
    }

    /// A readout for each panel; their height is known before that of the canvases.
    #named(host: HTMLElement, all: readonly Series[]): Readout[] {
        const { run, colours } = this.#page;
        return this.#eachPanel(all, (panel, series) => {
            const readout = new Readout(panel, series, this.times, run);
            readout.paint(colours);
            host.append(readout.element);
            return readout;
        });
    }

    #drawn(all: readonly Series[], size: { width: number; height: number }): uPlot[] {
        const { run, view, colours } = this.#page;
        return this.#eachPanel(all, (panel, series, place) => {
            const plot = plotted({ panel, series, times: this.times, run }, { view, colours, ...size });
            this.#readouts[place]?.element.after(plot.root);
            this.#listen(plot);
            return plot;
        });
    }

    #eachPanel<T>(
        all: readonly Series[],
        made: (panel: Panel, series: readonly Series[], place: number) => T,
    ): T[] {
        let next = 0;
        return this.#chart.panels.map((panel, place) => {
            next += panel.lines.length;
            return made(panel, all.slice(next - panel.lines.length, next), place);
        });
    }

    #listen(plot: uPlot): void {
        plot.over.addEventListener("mousemove", (event) => {
            this.#pointed = true;
            this.#page.view.point(plot.posToVal(event.offsetX, "x"));
        });
        plot.over.addEventListener("mouseleave", () => {
            this.#pointed = false;
            this.#page.view.point(null);
        });
    }
}

/// Pixels from the plot's left edge; uPlot hides a crosshair that stands at a negative place.
function crosshair(plot: uPlot, view: View): number {
    if (view.at === null || view.at < view.from || view.at > view.to) return -10;
    return ((view.at - view.from) / (view.to - view.from)) * plot.over.clientWidth;
}

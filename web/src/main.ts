// Makes the time series of a report zoomable, all together. Where anything that this needs is missing, the drawings
// stand as they are.
import { Chart, type Page } from "./chart";
import { Colours } from "./colours";
import { listen as jumps } from "./jump";
import { HINT, listen } from "./keys";
import { type RunDocument, times } from "./recording";
import { View } from "./view";

/// Charts this near to the screen are made ready.
const NEAR = "400px 0px";

function charts(page: Page): Chart[] {
    const figures = [...document.querySelectorAll<HTMLElement>("figure.series")];
    const known = new Map(page.run.charts.map((chart) => [`${chart.device} ${chart.chart}`, chart]));
    return figures.flatMap((figure) => {
        const { device = "", chart: name = "" } = figure.dataset;
        const chart = known.get(`${device} ${name}`);
        const spans = chart && page.times[chart.times];
        return chart && spans && spans.from.length > 0 ? [new Chart(figure, chart, spans, page)] : [];
    });
}

/// Only charts near the screen exist: a page may have hundreds.
function mountNear(all: readonly Chart[]): void {
    const of = new Map<Element, Chart>(all.map((chart) => [chart.figure, chart]));
    const watch = (entries: IntersectionObserverEntry[]) => {
        for (const { target, isIntersecting } of entries) {
            const chart = of.get(target);
            if (isIntersecting) void chart?.mount();
            else chart?.unmount();
        }
    };
    const observer = new IntersectionObserver(watch, { rootMargin: NEAR });
    for (const chart of all) observer.observe(chart.figure);
}

function rebuildWhenChanged(all: readonly Chart[], colours: Colours): void {
    const rebuild = () => {
        for (const chart of all) chart.rebuild();
    };
    colours.whenChanged(rebuild);
    let width = document.documentElement.clientWidth;
    addEventListener("resize", () => {
        if (document.documentElement.clientWidth === width) return;
        width = document.documentElement.clientWidth;
        rebuild();
    });
}

/// Says how it is done, below the first chart; and a way back for hands without a keyboard.
function explain(view: View, first: HTMLElement): void {
    const hint = document.createElement("p");
    hint.className = "note zoom-hint";
    hint.textContent = HINT;
    first.after(hint);
    const back = document.createElement("button");
    back.type = "button";
    back.className = "zoom-back";
    back.textContent = "Show everything";
    back.hidden = true;
    back.addEventListener("click", () => view.reset());
    document.body.append(back);
    view.join({
        follow: () => {
            back.hidden = !view.changed;
        },
    });
}

/// The span that is shown, where a page that replaces this one finds it; and the one that such a page was opened with.
function carryOver(view: View): void {
    const [from, to] = (/^#zoom=([\d.]+),([\d.]+)$/.exec(location.hash) ?? []).slice(1).map(Number);
    if (from !== undefined && to !== undefined && from < to) view.show(from, to);
    view.join({
        follow: () => {
            const { dataset } = document.documentElement;
            if (view.zoomed) dataset.zoom = `${view.from},${view.to}`;
            else delete dataset.zoom;
        },
    });
}

/// The shortest span that can be looked at: ten values of the finest series.
function least(page: Pick<Page, "times">): number {
    const lengths = page.times.flatMap(({ from, to }) =>
        Array.from(from, (start, place) => (to[place] ?? start) - start),
    );
    return 10 * lengths.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

async function start(): Promise<void> {
    const text = document.getElementById("zoom-data")?.textContent;
    if (!text || !("DecompressionStream" in globalThis)) return;
    const run: RunDocument = JSON.parse(text);
    const spans = await Promise.all(run.times.map(({ packed, count }) => times(packed, count)));
    const view = new View(run, least({ times: spans }));
    const page = { run, view, colours: new Colours(run.inks), times: spans };
    const all = charts(page);
    const first = all[0];
    if (first === undefined) return;
    // Numbers on a canvas are set in the drawings' font, which must be there first.
    await document.fonts.ready;
    carryOver(view);
    explain(view, first.figure);
    listen(view, all);
    jumps(view);
    mountNear(all);
    rebuildWhenChanged(all, page.colours);
}

void start();

// The lines above a panel: what it shows, which line is which, and the values where the crosshair stands.
import type { Colours } from "./colours";
import { between, when } from "./numbers";
import { type Panel, type RunDocument, type Series, stepAt, type Times } from "./recording";

function element(name: string, className: string, ...children: (Node | string)[]): HTMLElement {
    const made = document.createElement(name);
    made.className = className;
    made.append(...children);
    return made;
}

export class Readout {
    readonly element = element("div", "readout");
    readonly #step = element("span", "step");
    readonly #when = element("span", "when");
    readonly #panel: Panel;
    readonly #values: { series: Series; text: HTMLElement }[] = [];
    readonly #times: Times;
    readonly #run: RunDocument;

    constructor(panel: Panel, series: readonly Series[], times: Times, run: RunDocument) {
        this.#panel = panel;
        this.#times = times;
        this.#run = run;
        this.element.append(element("span", "what", panel.title));
        for (const [place, line] of panel.lines.entries()) {
            const values = series[place];
            if (values === undefined) continue;
            const text = element("b", "");
            const swatch = element("i", "");
            swatch.dataset.ink = line.ink;
            this.element.append(element("span", "line", swatch, line.name, " ", text));
            this.#values.push({ series: values, text });
        }
        this.element.append(element("span", "at", this.#step, " ", this.#when));
    }

    paint(colours: Colours): void {
        for (const swatch of this.element.querySelectorAll<HTMLElement>("i")) {
            const ink = swatch.dataset.ink ?? "";
            const dashed = colours.dash(ink).length > 0;
            swatch.style.borderTop = `2px ${dashed ? "dashed" : "solid"} ${colours.of(ink)}`;
        }
    }

    /// The values of the span at `place`; only the names where nobody points.
    show(place: number | null): void {
        const { from, to } = this.#times;
        const { started, steps } = this.#run;
        this.#step.textContent = place === null ? "" : stepAt(steps, this.#times, place);
        this.#when.textContent = place === null ? "" : when(started, from[place] ?? 0, to[place] ?? 0);
        for (const { series, text } of this.#values) {
            text.textContent =
                place === null
                    ? ""
                    : between(this.#panel, series.min[place] ?? Number.NaN, series.max[place] ?? Number.NaN);
        }
    }
}

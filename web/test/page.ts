// `node page.mjs STORY PAGE RUN…`: one story about a page of a report, told by a browser. crates/cli/tests/beside/page_zoom.rs
// makes the pages and calls this.
import { execFileSync } from "node:child_process";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import {
    drag,
    figure,
    launched,
    opened,
    pointAt,
    settled,
    spanOf,
    unfold,
    valuesOf,
    workOf,
} from "./browser";
import { equal, holds } from "./claims";

/// What a picture is taken of where a folder is named for pictures, so that people can look.
async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env.PLIMSOLL_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/// Rows of a query of the run file, by SQLite itself: nothing of plimsoll stands between file and figure.
function query(run: string, sql: string): Record<string, number>[] {
    const text = execFileSync("sqlite3", ["-json", run, sql], { encoding: "utf8" });
    return text.trim() === "" ? [] : JSON.parse(text);
}

const FACTORS: Readonly<Record<string, number>> = {
    "": 1,
    "%": 0.01,
    ns: 1e-9,
    µs: 1e-6,
    ms: 1e-3,
    s: 1,
    B: 1,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
};

/// A printed value in the base unit, and half of what its last digit is worth.
function printed(words: string): { value: number; half: number } {
    const [number = "", unit = ""] = words.split(" ");
    const factor = FACTORS[unit.replace("/s", "")];
    if (factor === undefined) throw new Error(`"${words}" has a unit that nobody knows`);
    const decimals = number.split(".")[1]?.length ?? 0;
    return { value: Number(number.replaceAll(",", "")) * factor, half: 0.5001 * 10 ** -decimals * factor };
}

function sameFigure(words: string | undefined, wanted: number | null | undefined, claim: string): void {
    if (wanted === null || wanted === undefined) {
        equal(words, "none", claim);
        return;
    }
    const { value, half } = printed(words ?? "");
    holds(
        Math.abs(value - wanted) <= half + Math.abs(wanted) * 1e-6,
        claim,
        words,
        "in the run file:",
        wanted,
    );
}

/// Columns of the run file's own view of its counters, with what they are in base units, by the name of the line.
const COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    iops: { "r/s": "reads_per_s", "w/s": "writes_per_s" },
    latency: { r_await: "read_await_ms / 1e3", w_await: "write_await_ms / 1e3" },
    traffic: { "rkB/s": "read_mib_per_s * 1048576.0", "wkB/s": "write_mib_per_s * 1048576.0" },
    sizes: { "aqu-sz": "queue_depth" },
    utilisation: { util: "busy_percent / 100.0" },
};

async function figuresAreTheRunFiles(browser: Browser, [file = "", run = "", device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    let busy = 0;
    for (const [chart, columns] of Object.entries(COLUMNS)) {
        const seen = await figure(page, device, chart);
        for (const share of [0.12, 0.31, 0.5, 0.77, 0.96]) {
            await pointAt(page, seen, share);
            const { from, length } = await spanOf(seen);
            const wanted = Object.values(columns).map((column, place) => `${column} AS v${place}`);
            const rows = query(
                run,
                `SELECT seconds, ${wanted} FROM disk_per_second WHERE disk = '${device}' AND at_s - seconds >= ${from - 0.5}
                 ORDER BY at_s LIMIT 1`,
            );
            holds(
                Math.abs((rows[0]?.seconds ?? 0) - length) <= 1,
                "this page holds every interval",
                length,
                rows,
            );
            const values = await valuesOf(seen);
            for (const [place, name] of Object.keys(columns).entries()) {
                const claim = `${chart} of ${device}, ${name} from ${from} s`;
                const wanted = rows[0]?.[`v${place}`];
                sameFigure(values.get(name), wanted, claim);
                busy += wanted ? 1 : 0;
            }
        }
    }
    holds(busy > 20, "figures that are not zero were compared", busy);
    equal(trouble, [], "no word on the console and no request");
}

async function chartsZoomTogether(browser: Browser, [file = "", , device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    const first = await figure(page, device, "iops");
    await picture(page, "light");
    await pointAt(page, first, 0.02);
    const start = await spanOf(first);
    await drag(page, first, 0.25, 0.5);
    await pointAt(page, first, 0.01);
    const zoomed = await spanOf(first);
    holds(zoomed.from > start.from + 60, "a drag zooms to what lies within", start, zoomed);
    await picture(page, "zoomed");
    const second = await figure(page, device, "latency");
    await pointAt(page, second, 0.01);
    equal(await spanOf(second), zoomed, "another chart shows the same span");
    const neighbour = await spanOf(page.locator("figure.series.zooms").first());
    equal(neighbour, zoomed, "the crosshair stands at the same moment in every chart on the screen");

    await page.keyboard.press("Escape");
    await settled(page);
    await pointAt(page, second, 0.02);
    equal(await spanOf(second), start, "Escape shows everything again");
    await drag(page, second, 0.6, 0.9);
    holds(await page.getByRole("button", { name: "Show everything" }).isVisible(), "there is a way back");
    const { x, y } = (await second.locator(".u-over").first().boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.dblclick(x + 200, y + 40);
    await settled(page);
    await pointAt(page, second, 0.02);
    equal(await spanOf(second), start, "a double click does so too");
    holds(
        !(await page.getByRole("button", { name: "Show everything" }).isVisible()),
        "nothing to go back from",
    );
    equal(trouble, [], "no word on the console and no request");
}

async function keysDoWhatTheMouseDoes(browser: Browser, [file = "", , device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    const chart = await figure(page, device, "iops");
    await page.mouse.move(0, 0);
    await chart.focus();
    const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
        await settled(page);
        return spanOf(chart);
    };
    const middle = await press("ArrowRight");
    const next = await press("ArrowRight");
    holds(next.from > middle.from, "an arrow moves the crosshair", middle, next);
    equal(await press("Shift+ArrowRight", "Shift+ArrowLeft", "ArrowLeft"), middle, "and back");
    equal(await press("+", "+", "+"), middle, "a zoom keeps the crosshair where it is");
    holds(await page.getByRole("button", { name: "Show everything" }).isVisible(), "+ zooms");
    const far = await press(...Array.from({ length: 400 }, () => "Shift+ArrowRight"));
    holds(far.from > middle.from + 60, "the span follows the crosshair", middle, far);
    await press("-", "-", "-", "-");
    holds(!(await page.getByRole("button", { name: "Show everything" }).isVisible()), "− zooms out");
    equal(trouble, [], "no word on the console and no request");
}

async function coloursFollowTheSystem(browser: Browser, [file = "", , device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file, { colorScheme: "dark" });
    const chart = await figure(page, device, "iops");
    const ink = async () => {
        await settled(page);
        return chart
            .locator(".readout i")
            .first()
            .evaluate((line) => getComputedStyle(line).borderTopColor);
    };
    await pointAt(page, chart, 0.6);
    await picture(page, "dark");
    equal(await ink(), "rgb(86, 180, 233)", "reads have the dark page's ink");
    await page.emulateMedia({ colorScheme: "light" });
    equal(await ink(), "rgb(0, 114, 178)", "and that of the light one as soon as it is light");
    equal(trouble, [], "no word on the console and no request");
}

async function drawingsStandOnPaper(browser: Browser, [file = "", , device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    const chart = await figure(page, device, "iops");
    await drag(page, chart, 0.2, 0.4);
    await unfold(page, "details.device");
    const paper = await page.pdf({ format: "A4", ...pdfPlace() });
    holds(paper.subarray(0, 5).toString() === "%PDF-", "it prints");
    await page.emulateMedia({ media: "print" });
    const empty = await page.evaluate(() => {
        const figures = [...document.querySelectorAll("figure")];
        const drawn = (figure: Element) =>
            (figure.querySelector("svg.chart")?.getBoundingClientRect().height ?? 0) > 50;
        return figures.filter((figure) => !drawn(figure)).map((figure) => figure.textContent?.slice(0, 60));
    });
    equal(empty, [], "every figure has its drawing on paper");
    equal(
        await page.locator("canvas:visible, .zoom-hint:visible, .zoom-back:visible").count(),
        0,
        "and it alone",
    );
    equal(trouble, [], "no word on the console and no request");
}

function pdfPlace(): { path?: string } {
    const folder = process.env.PLIMSOLL_PICTURES;
    return folder ? { path: `${folder}/paper.pdf` } : {};
}

async function drawingsStandWithoutScript(browser: Browser, [file = ""]: string[]) {
    const { page, trouble } = await opened(browser, file, { javaScriptEnabled: false });
    await unfold(page, "details.device");
    const figures = await page.locator("figure.series").count();
    holds(figures > 0, "the page has time series");
    equal(await page.locator("figure.series > svg.chart:visible").count(), figures, "each is drawn");
    equal(await page.locator(".zoom, .zoom-hint, canvas").count(), 0, "and nothing else is there");
    equal(trouble, [], "no word on the console and no request");
}

async function nothingMayBeLoaded(browser: Browser, [file = ""]: string[]) {
    const { page } = await opened(browser, file);
    const refused = await page.evaluate(
        () =>
            new Promise<string>((done) => {
                document.addEventListener("securitypolicyviolation", (event) =>
                    done(event.effectiveDirective),
                );
                fetch("http://127.0.0.1:9/").then(
                    () => done("it went"),
                    () => setTimeout(() => done("no word of the page's policy"), 1000),
                );
            }),
    );
    equal(refused, "connect-src", "the page's own policy stands against every request");
}

/// Charts that may exist at a time: those on the screen and a little beyond.
const CHARTS_MAX = 12;

async function aDayStaysFluid(browser: Browser, [file = "", , device = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    // All at once, so that opening does not lead past every chart.
    await page.evaluate(() => {
        for (const folded of document.querySelectorAll("details")) folded.open = true;
    });
    const first = await figure(page, device, "iops");
    const figures = await page.locator("figure.series").count();
    holds(figures > 4 * CHARTS_MAX, "this page has more charts than fit on a screen", figures);
    const charts = await page.locator("figure.zooms").count();
    holds(charts > 0 && charts <= CHARTS_MAX, "only charts near the screen exist", charts);
    const open = await workOf(page);
    holds(open.unpacked <= 3 * CHARTS_MAX, "and only their values are unpacked", open);

    await drag(page, first, 0.5, 0.7);
    const zoomed = await workOf(page);
    // A line or two for each series, and the grid's.
    holds(
        zoomed.strokes - open.strokes < CHARTS_MAX * 60,
        "a zoom draws each chart but a few times",
        open,
        zoomed,
    );
    for (let share = 0.1; share < 0.9; share += 0.01) await pointAt(page, first, share);
    const pointed = await workOf(page);
    holds(pointed.strokes === zoomed.strokes, "a moving crosshair draws no chart anew", zoomed, pointed);

    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await settled(page);
    await page.waitForFunction((most) => document.querySelectorAll("canvas").length <= 2 * most, CHARTS_MAX);
    console.log(`longest task ${Math.round((await workOf(page)).longest)} ms, ${figures} figures`);
    equal(trouble, [], "no word on the console and no request");
}

/// What a screen reader, a keyboard or weak eyes would stumble over, by axe-core, on every page in the light and the dark, on a
/// phone and on a desk; the page unfolded, so that nothing of it is left out.
async function nobodyIsLeftOut(browser: Browser, files: string[]) {
    for (const file of files) {
        for (const [width, colorScheme] of SCREENS) {
            const { page, trouble } = await opened(browser, file, {
                viewport: { width, height: 844 },
                colorScheme,
            });
            await page.evaluate(() => {
                for (const folded of document.querySelectorAll("details")) folded.open = true;
            });
            await settled(page);
            const seen = `${file} at ${width}, ${colorScheme}`;
            equal(await violations(page), [], `axe finds nothing in ${seen}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            holds(wide <= width, `${seen} is no wider than its screen`, wide);
            equal(trouble, [], `no word on the console and no request of ${seen}`);
            await page.context().close();
        }
    }
}

const SCREENS = [
    [390, "light"],
    [390, "dark"],
    [1280, "light"],
    [1280, "dark"],
] as const;

async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
    return found.violations.flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 120)}`),
    );
}

/// Everything that can be clicked is reached by the Tab key, a finding's link shows its span, and Escape undoes that.
async function keysReachEverything(browser: Browser, [file = ""]: string[]) {
    const { page, trouble } = await opened(browser, file);
    const wanted = await page.evaluate(() => {
        const all = document.querySelectorAll<HTMLElement>("a[href], summary, [tabindex='0']");
        return [...all].filter((one) => one.checkVisibility()).length;
    });
    const reached = new Set<string>();
    for (let pressed = 0; pressed < wanted + 5; pressed += 1) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(placeOfFocus));
    }
    holds(
        reached.size >= wanted,
        "the Tab key reaches every link, fold, chart and table",
        reached.size,
        wanted,
    );

    const link = page.locator("a.jump[data-from]").first();
    const { from, to } = await link.evaluate((one: HTMLElement) => ({
        from: Number(one.dataset.from),
        to: Number(one.dataset.to),
    }));
    await link.focus();
    await page.keyboard.press("Enter");
    const back = page.getByRole("button", { name: "Show everything" });
    await back.waitFor();
    const target = await link.getAttribute("href");
    const chart = page.locator(`figure${target}`);
    await chart.locator(".u-over").first().waitFor();
    await settled(page);
    holds(
        await chart.evaluate((one) => one.getBoundingClientRect().top < innerHeight),
        "the chart is on the screen",
    );
    equal(await chart.evaluate((one) => one === document.activeElement), true, "and has the focus");
    await pointAt(page, chart, 0.5);
    const { from: middle } = await spanOf(chart);
    holds(
        middle >= from - 2 && middle <= to + 2,
        "it shows the span that the finding speaks of",
        middle,
        from,
        to,
    );
    await picture(page, "lit");
    await page.mouse.move(0, 0);
    await page.keyboard.press("Escape");
    await settled(page);
    holds(!(await back.isVisible()), "Escape shows everything, and there is nothing to go back from");

    const name = await page.locator(".finding:has(a.jump[data-from])").first().getAttribute("id");
    await page.goto(`file://${file}#${name}`);
    await page.reload();
    await back.waitFor();
    equal(
        trouble.filter((word) => !word.startsWith("request")),
        [],
        "no word on the console",
    );
}

/// Which element has the focus, by its place in the page.
function placeOfFocus(): string {
    return String([...document.querySelectorAll("*")].indexOf(document.activeElement ?? document.body));
}

/// Above the first fold: the verdict, the tiles and the beginning of the chart that decides; on a phone verdict and tiles.
async function theFirstScreenAnswers(browser: Browser, files: string[]) {
    for (const file of files) {
        for (const [width, height] of [
            [1280, 800],
            [390, 844],
        ] as const) {
            const { page } = await opened(browser, file, { viewport: { width, height } });
            const foot = (selector: string) =>
                page
                    .locator(selector)
                    .first()
                    .evaluate((one) => one.getBoundingClientRect().bottom);
            holds((await foot(".verdict")) < height / 2, `the verdict of ${file} comes first at ${width}`);
            holds(
                (await foot(".tiles")) <= height,
                `the tiles of ${file} are on the first screen at ${width}`,
                await foot(".tiles"),
            );
            if (width === 1280) {
                const chart = await page
                    .locator("main figure svg.chart, main figure .zoom")
                    .first()
                    .evaluate((one) => one.getBoundingClientRect().top);
                holds(chart < height - 100, `the chart of ${file} begins on the first screen`, chart);
            }
            await picture(page, `${file.split("/").pop()}-${width}`);
            await page.context().close();
        }
    }
}

/// Where a phone shows a page: both panels of a pair below each other, each as wide as the screen.
async function panelsStackOnAPhone(browser: Browser, [file = ""]: string[]) {
    const { page } = await opened(browser, file, { viewport: { width: 390, height: 844 } });
    const pair = page.locator("figure:has(svg.whole)").first();
    const boxes = await pair
        .locator("svg.part")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    equal(boxes.length, 2, "two panels");
    holds(
        boxes.every(({ right }) => right <= 390),
        "none of them beyond the screen",
        boxes,
    );
    holds(boxes[1].top >= boxes[0].bottom, "the second below the first", boxes);
    holds(!(await pair.locator("svg.whole").isVisible()), "and the pair is not there twice");
}

/// The crosshair says which step it stands in.
async function theCrosshairNamesTheStep(browser: Browser, [file = "", words = ""]: string[]) {
    const { page } = await opened(browser, file);
    const chart = await figure(page, "", "rate");
    const seen: string[] = [];
    for (let share = 0.02; share < 1; share += 0.02) {
        await pointAt(page, chart, share);
        seen.push((await chart.locator(".step").first().textContent()) ?? "");
    }
    holds(
        seen.some((step) => step.includes(words)),
        "a step by its number and its name",
        seen,
    );
}

const STORIES: Readonly<Record<string, (browser: Browser, files: string[]) => Promise<void>>> = {
    figuresAreTheRunFiles,
    chartsZoomTogether,
    keysDoWhatTheMouseDoes,
    coloursFollowTheSystem,
    drawingsStandOnPaper,
    drawingsStandWithoutScript,
    nothingMayBeLoaded,
    aDayStaysFluid,
    nobodyIsLeftOut,
    keysReachEverything,
    theFirstScreenAnswers,
    panelsStackOnAPhone,
    theCrosshairNamesTheStep,
};

const [name = "", ...files] = process.argv.slice(2);
const story = STORIES[name];
if (story === undefined) throw new Error(`no story "${name}"; there are ${Object.keys(STORIES).join(", ")}`);
const browser = await launched();
try {
    await story(browser, files);
    console.log(`${name}: held`);
} finally {
    await browser.close();
}

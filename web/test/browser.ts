// A page of a report in a real browser, with everything watched that a page must not do.
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

// Loaded as it stands in node_modules: it reads files beside itself.
const { chromium }: typeof import("playwright-core") = createRequire(import.meta.url)("playwright-core");

export interface Opened {
    readonly page: Page;
    /// Console messages, errors, and requests beside the page's own file.
    readonly trouble: string[];
}

/// What a page did: counted in the page itself, where it cannot be missed.
export interface Work {
    readonly strokes: number;
    readonly unpacked: number;
    readonly longest: number;
}

export async function launched(): Promise<Browser> {
    // Root, as continuous integration runs, has no sandbox.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    return chromium.launch({ executablePath: process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium", args });
}

export async function opened(
    browser: Browser,
    file: string,
    options: BrowserContextOptions = {},
): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
    const page = await context.newPage();
    const trouble: string[] = [];
    const own = `file://${file}`;
    page.on("console", (message) => trouble.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => trouble.push(`error: ${error.stack}`));
    page.on("request", (request) => {
        if (request.url() !== own) trouble.push(`request: ${request.url()}`);
    });
    if (options.javaScriptEnabled !== false) await page.addInitScript(count);
    await page.goto(own);
    return { page, trouble };
}

/// Runs in the page, before its own script.
function count(): void {
    const work = { strokes: 0, unpacked: 0, longest: 0 };
    const { stroke } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (this: CanvasRenderingContext2D, path?: Path2D) {
        work.strokes += 1;
        stroke.apply(this, (path === undefined ? [] : [path]) as unknown as [Path2D]);
    };
    const Plain = globalThis.DecompressionStream;
    globalThis.DecompressionStream = class extends Plain {
        constructor(format: CompressionFormat) {
            super(format);
            work.unpacked += 1;
        }
    };
    const longer = (entries: PerformanceObserverEntryList) => {
        for (const entry of entries.getEntries()) work.longest = Math.max(work.longest, entry.duration);
    };
    new PerformanceObserver(longer).observe({ type: "longtask", buffered: true });
    Object.assign(globalThis, { work });
}

export function workOf(page: Page): Promise<Work> {
    return page.evaluate(() => ({ ...(globalThis as unknown as { work: Work }).work }));
}

/// The figure of a device's chart, in view and ready.
export async function figure(page: Page, device: string, chart: string): Promise<Locator> {
    const found = page.locator(`figure.series[data-device="${device}"][data-chart="${chart}"]`);
    await unfold(page, `details:has(figure[data-device="${device}"])`);
    await found.scrollIntoViewIfNeeded();
    await found.locator(".u-over").first().waitFor();
    await settled(page);
    return found;
}

/// Opens what is folded, as a hand does: also where no script runs.
export async function unfold(page: Page, folded: string): Promise<void> {
    const summaries = page.locator(`${folded}:not([open]) > summary`);
    while ((await summaries.count()) > 0) await summaries.first().click();
}

/// Two pictures later: what was asked for has been drawn.
export async function settled(page: Page): Promise<void> {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    );
}

/// Where `share` of a figure's plot lies on the screen.
async function place(of: Locator, share: number): Promise<{ x: number; y: number }> {
    const box = await of.locator(".u-over").first().boundingBox();
    if (box === null) throw new Error("the chart is not on the screen");
    return { x: box.x + box.width * share, y: box.y + box.height / 2 };
}

export async function pointAt(page: Page, of: Locator, share: number): Promise<void> {
    const { x, y } = await place(of, share);
    await page.mouse.move(x, y);
    await settled(page);
}

export async function drag(page: Page, of: Locator, from: number, to: number): Promise<void> {
    const [start, end] = [await place(of, from), await place(of, to)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move((start.x + end.x) / 2, start.y, { steps: 4 });
    await page.mouse.move(end.x, end.y, { steps: 4 });
    await page.mouse.up();
    await settled(page);
}

/// From when to when a readout tells, in seconds since the run's start, read from its words.
export async function spanOf(of: Locator): Promise<{ from: number; length: number }> {
    const text = (await of.locator(".when").first().textContent()) ?? "";
    const since = /\+([\d:.]+)$/.exec(text)?.[1] ?? /^([\d:.]+) to/.exec(text)?.[1];
    const ends = /([\d:.]+) to ([\d:.]+)/.exec(text);
    if (since === undefined || ends === null) throw new Error(`no time in the readout "${text}"`);
    return { from: seconds(since), length: (seconds(ends[2]) - seconds(ends[1]) + 86_400) % 86_400 };
}

function seconds(words = ""): number {
    return words.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/// Name of each line to what stands beside it.
export async function valuesOf(of: Locator): Promise<Map<string, string>> {
    const lines = await of.locator(".readout .line").all();
    const pairs = lines.map(async (line) => {
        const value = (await line.locator("b").textContent()) ?? "";
        const all = (await line.textContent()) ?? "";
        return [all.slice(0, all.length - value.length).trim(), value] as const;
    });
    return new Map(await Promise.all(pairs));
}

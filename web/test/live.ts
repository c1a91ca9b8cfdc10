// `node live.mjs STORY URL FILE`: the live page of a run in a browser. crates/cli/tests/beside/live_page.rs starts the run and
// calls this; FILE is where the run's page will lie.
import type { Browser, Page } from "playwright-core";
import { launched } from "./browser";
import { equal, holds } from "./claims";

/// Nothing takes so long that is going to happen at all.
const PATIENCE_MS = 120_000;

interface Followed {
    readonly page: Page;
    readonly trouble: string[];
}

async function followed(browser: Browser, url: string): Promise<Followed> {
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const trouble: string[] = [];
    page.on("console", (message) => trouble.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => trouble.push(`error: ${error.stack}`));
    page.on("request", (request) => {
        if (!request.url().startsWith(url)) trouble.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    return { page, trouble };
}

/// Waits for a report. Asked through the page around it, since the frame itself may be exchanged at any time.
async function reportIsShown(page: Page): Promise<void> {
    const there = () => {
        const frame = document.querySelector<HTMLIFrameElement>("iframe:not(.next)");
        return Boolean(frame?.contentDocument?.querySelector("main"));
    };
    await page.waitForFunction(there);
}

function number(page: Page): Promise<number> {
    return page.evaluate(() => Number(document.documentElement.dataset.report));
}

async function picture(page: Page, name: string): Promise<void> {
    const folder = process.env.PLIMSOLL_PICTURES;
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/// What a file's page and the last one that was shown must have alike: the answer, and every figure against time.
function words(page: Page): Promise<unknown> {
    return page.evaluate(() => {
        const frame = document.querySelector<HTMLIFrameElement>("iframe:not(.next)");
        const shown = frame?.contentDocument ?? document;
        return [
            shown.title,
            shown.querySelector("h1")?.textContent,
            [...shown.querySelectorAll("table")].map((table) => table.textContent),
            shown.getElementById("zoom-data")?.textContent,
        ];
    });
}

async function theRunIsFollowedToItsFile(browser: Browser, [url = "", file = ""]: string[]) {
    const { page, trouble } = await followed(browser, url);
    // Somebody else looks, and leaves.
    const other = await followed(browser, url);
    await other.page.waitForFunction(() => document.getElementById("now")?.textContent);
    await other.page.close();

    const said = new Set<string>();
    for (let times = 0; said.size < 3; times += 1) {
        holds(times < 600, "what runs now is told again and again", [...said]);
        const now = await page.evaluate(() => document.getElementById("now")?.textContent);
        if (now) said.add(now);
        await page.waitForTimeout(100);
    }
    await reportIsShown(page);
    const before = await number(page);
    holds(before >= 1, "a report is shown while the run goes on", before);
    await picture(page, "live-running");

    await page.evaluate(() => {
        const frame = document.querySelector<HTMLIFrameElement>("iframe:not(.next)");
        const fold = frame?.contentDocument?.querySelector("details");
        if (fold) fold.open = true;
        frame?.contentWindow?.scrollTo(0, 120);
    });
    await page.waitForFunction(() => document.documentElement.dataset.over === "yes");
    holds((await number(page)) > before, "a newer report has taken its place", await number(page), before);
    const kept = await page.evaluate(() => {
        const frame = document.querySelector<HTMLIFrameElement>("iframe:not(.next)");
        return [frame?.contentDocument?.querySelector("details")?.open, frame?.contentWindow?.scrollY];
    });
    equal(kept, [true, 120], "what was unfolded is, and nothing has moved");
    equal(await page.locator("iframe").count(), 1, "one report is left");
    const state = await page.locator("#state").textContent();
    holds(state?.includes(file.split("/").pop() ?? "?") ?? false, "the file is named", state, file);
    await picture(page, "live-over");

    const written = await (await browser.newContext()).newPage();
    await written.goto(`file://${file}`);
    equal(await words(page), await words(written), "the last report is the file's");
    equal(trouble, [], "no word on the console and no request elsewhere");
}

/// The list of a folder, and a page of it.
async function theListLeadsToItsPages(browser: Browser, [url = ""]: string[]) {
    const { page, trouble } = await followed(browser, url);
    await page.waitForSelector("table");
    await picture(page, "shelf");
    const rows = await page.locator("tbody tr").allTextContents();
    holds(rows.length > 0 && rows.every((row) => row.includes("five-figures")), "every run is named", rows);
    await page.locator("tbody a").first().click();
    await page.waitForSelector(".verdict, .cells, figure, table");
    holds((await page.title()).startsWith("plimsoll: "), "a page has come", await page.title());
    equal(trouble, [], "no word on the console and no request elsewhere");
}

const STORIES: Readonly<Record<string, (browser: Browser, words: string[]) => Promise<void>>> = {
    theRunIsFollowedToItsFile,
    theListLeadsToItsPages,
};

const [name = "", ...rest] = process.argv.slice(2);
const story = STORIES[name];
if (story === undefined) throw new Error(`no story "${name}"; there are ${Object.keys(STORIES).join(", ")}`);
const browser = await launched();
try {
    await story(browser, rest);
    console.log(`${name}: held`);
} finally {
    await browser.close();
}

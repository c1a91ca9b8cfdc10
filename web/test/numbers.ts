// `node numbers.mjs` reads rows of [unit, value, words] as JSON from its input: what the report writes of a value, and
// holds the page's own words against it.
import { readFileSync } from "node:fs";
import { worded } from "../src/numbers";
import type { Panel, Unit } from "../src/recording";
import { holds } from "./claims";

const rows: [Unit, number, string][] = JSON.parse(readFileSync(0, "utf8"));
for (const [unit, value, words] of rows) {
    const panel: Panel = { title: "", unit, scale: "linear", lines: [], levels: [] };
    const found = worded(panel, value);
    holds(found === words, `${value} (${unit}) is written as in the report`, found, "wanted", words);
}
holds(rows.length > 100, "there were rows", rows.length);
console.log(`${rows.length} rows`);

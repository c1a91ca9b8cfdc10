// Bundles the zoom for the report: one script, one style sheet and the script's hash, which the page's policy names.
// `node build.mjs` writes dist/, which crates/report embeds; `node build.mjs tests` writes out/, which its tests run.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

// A file that is as it was keeps its time, so that cargo does not embed it anew.
function write(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

async function bundle(entry, options) {
    const entryPoints = [join(here, entry)];
    const made = await build({ entryPoints, bundle: true, write: false, logLevel: "warning", ...options });
    return made.outputFiles[0].text;
}

async function page() {
    const minified = { minify: true, legalComments: "none" };
    // uPlot's licence wants its notice in every copy.
    const licence = readFileSync(join(here, "node_modules/uplot/LICENSE"), "utf8").trim();
    const banner = { js: `/* uPlot\n${licence}\n*/` };
    const bundled = await bundle("src/main.ts", { ...minified, banner, format: "iife", target: "es2022" });
    // The hash is of every byte between the tags.
    const script = bundled.trim();
    const style = await bundle("src/zoom.css", minified);
    // Inside a page, these would end the script or hide what follows.
    for (const word of ["</script", "<!--", "<script"]) {
        if (script.toLowerCase().includes(word)) throw new Error(`the bundle holds ${word}`);
    }
    const hash = createHash("sha256").update(script).digest("base64");
    write(join(here, "dist/zoom.js"), script);
    write(join(here, "dist/zoom.css"), style);
    write(join(here, "dist/zoom.sha256"), hash);
    console.error(`web: zoom.js ${script.length} bytes, zoom.css ${style.length} bytes`);
}

async function tests() {
    for (const name of readdirSync(join(here, "test")).filter((name) => name.endsWith(".ts"))) {
        const options = { format: "esm", platform: "node", packages: "external" };
        write(join(here, "out", name.replace(/ts$/, "mjs")), await bundle(join("test", name), options));
    }
}

await (process.argv[2] === "tests" ? tests() : page());

// Follows a run: what goes on now above, and below the report so far, exchanged for a newer one behind the reader's back.
"use strict";
(() => {
    const now = document.getElementById("now");
    const state = document.getElementById("state");
    const room = document.getElementById("room");
    /// A report is drawn anew in its frame for so long after it has come, before it is shown: zoomed charts, fonts.
    const SETTLES_MS = 150;
    /// How often it is looked whether the reader has let go of what kept a newer report waiting.
    const LOOK_MS = 500;
    /// The frame in sight, and the number of the report in it; the number that was told last, and the one that is coming.
    let shown = null;
    let have = 0;
    let told = 0;
    let coming = 0;
    /// What was said at the end of the run.
    let over = null;
    let pressed = false;

    /// The reader marks text or draws a span: that would be lost.
    function busy() {
        const selection = shown?.contentWindow.getSelection();
        return pressed || Boolean(selection && !selection.isCollapsed);
    }

    const focusable = "a[href],button,summary,[tabindex]";

    /// What folds are called: by the figure they stand in and their own words, since there may be more of them next time.
    function folds(page) {
        const seen = new Map();
        return [...page.querySelectorAll("details")].map((fold) => {
            const words = `${fold.closest("[id]")?.id}|${fold.querySelector("summary")?.textContent}`;
            const times = (seen.get(words) ?? 0) + 1;
            seen.set(words, times);
            return [`${words}|${times}`, fold];
        });
    }

    /// What the reader looks at.
    function look(frame) {
        const page = frame.contentDocument;
        const focus = [...page.querySelectorAll(focusable)].indexOf(page.activeElement);
        return {
            left: frame.contentWindow.scrollX,
            top: frame.contentWindow.scrollY,
            open: new Map(folds(page).map(([name, fold]) => [name, fold.open])),
            focus,
        };
    }

    /// The same in another report.
    function lookAgain(frame, before) {
        const page = frame.contentDocument;
        for (const [name, fold] of folds(page)) {
            const was = before.open.get(name);
            if (was !== undefined) fold.open = was;
        }
        frame.contentWindow.scrollTo(before.left, before.top);
        if (before.focus >= 0) [...page.querySelectorAll(focusable)][before.focus]?.focus({ preventScroll: true });
    }

    function exchange(next, number) {
        coming = 0;
        const page = next.contentDocument;
        if (!page?.querySelector("main")) {
            // Whoever made it has gone meanwhile.
            next.remove();
            return;
        }
        if (shown && busy()) {
            next.remove();
            return;
        }
        const before = shown ? look(shown) : null;
        next.className = "";
        if (before) lookAgain(next, before);
        shown?.remove();
        shown = next;
        have = number;
        document.title = page.title || document.title;
        page.addEventListener("pointerdown", () => {
            pressed = true;
        });
        for (const end of ["pointerup", "pointercancel"]) {
            page.addEventListener(end, () => {
                pressed = false;
            });
        }
        document.documentElement.dataset.report = String(number);
        if (over && have >= over.report) end();
        else load();
    }

    function load() {
        if (coming || told <= have || (shown && busy())) return;
        coming = told;
        const number = coming;
        const next = document.createElement("iframe");
        next.title = "The report";
        next.className = "next";
        const zoom = shown?.contentDocument?.documentElement.dataset.zoom;
        next.addEventListener("load", () => setTimeout(exchange, SETTLES_MS, next, number), { once: true });
        next.src = `page?${number}${zoom ? `#zoom=${zoom}` : ""}`;
        room.append(next);
    }

    function end() {
        news.close();
        now.textContent = "";
        state.textContent = `The run is over. This page is kept as ${over.file}`;
        document.documentElement.dataset.over = "yes";
    }

    const news = new EventSource("news");
    news.addEventListener("now", (event) => {
        now.textContent = JSON.parse(event.data).join("\n");
    });
    news.addEventListener("report", (event) => {
        told = Number(event.data);
        load();
    });
    news.addEventListener("over", (event) => {
        over = JSON.parse(event.data);
        told = over.report;
        load();
    });
    news.addEventListener("open", () => {
        if (!over) state.textContent = "The run goes on. The report below is as far as it has come.";
    });
    news.addEventListener("error", () => {
        if (!over) state.textContent = "The run does not answer: it has ended, or the connection is lost.";
    });
    setInterval(load, LOOK_MS);
})();

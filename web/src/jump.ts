// Links from findings to the span that they speak of: the chart is shown, zoomed to the span, which is lit up. Without this the
// links lead to the chart alone.
import type { Span } from "./recording";
import type { View } from "./view";

function spanOf(link: HTMLElement): Span | null {
    const { from, to } = link.dataset;
    return from === undefined || to === undefined ? null : { from: Number(from), to: Number(to) };
}

/// The element that an address names after its stroke; nothing where there is none.
function named(hash: string): HTMLElement | null {
    return hash.length < 2 ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
}

/// What is folded away cannot be looked at.
function unfold(element: HTMLElement): void {
    for (
        let folded = element.closest("details");
        folded;
        folded = folded.parentElement?.closest("details") ?? null
    )
        folded.open = true;
}

function follow(event: MouseEvent, view: View): void {
    // A link that is to be opened elsewhere is the browser's.
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>("a[href^='#']");
    const target = link && named(link.hash);
    if (!link || !target) return;
    unfold(target);
    const span = spanOf(link);
    if (span !== null) view.light(span);
}

/// The first span of the finding that the page's address names.
function arrive(view: View): void {
    const target = named(location.hash);
    if (target === null) return;
    unfold(target);
    const link = target.matches(".finding") ? target.querySelector<HTMLElement>("a.jump[data-from]") : null;
    const span = link && spanOf(link);
    if (span) view.light(span);
}

export function listen(view: View): void {
    document.addEventListener("click", (event) => follow(event, view));
    addEventListener("hashchange", () => arrive(view));
    arrive(view);
}

// What every chart of the page shows: one span of time, one crosshair. Charts that are on the page's screen follow it.
import type { Span } from "./recording";

export interface Follower {
    follow(view: View): void;
}

/// Room beside a span that is lit up, as a share of it.
const MARGIN = 0.25;

export class View {
    readonly whole: Span;
    from: number;
    to: number;
    /// Where the crosshair stands; nowhere while nobody points.
    at: number | null = null;
    /// What a finding speaks of, shaded in every chart.
    lit: Span | null = null;
    readonly #followers = new Set<Follower>();
    readonly #least: number;
    #waiting = false;

    /// `least` is the shortest span worth looking at.
    constructor(whole: Span, least: number) {
        this.whole = whole;
        this.from = whole.from;
        this.to = whole.to;
        this.#least = Math.min(least, whole.to - whole.from);
    }

    get zoomed(): boolean {
        return this.from > this.whole.from || this.to < this.whole.to;
    }

    /// Whether anything is to be undone by [`reset`].
    get changed(): boolean {
        return this.zoomed || this.lit !== null;
    }

    join(follower: Follower): void {
        this.#followers.add(follower);
        follower.follow(this);
    }

    leave(follower: Follower): void {
        this.#followers.delete(follower);
    }

    /// Shows `from` to `to`, widened to the least span and moved into the run.
    show(from: number, to: number): void {
        const { whole } = this;
        const length = Math.max(to - from, this.#least);
        // All of it is exactly that: a sum of its parts may miss it by the last digit, and would count as zoomed.
        if (length >= whole.to - whole.from) {
            this.from = whole.from;
            this.to = whole.to;
        } else {
            const start = (from + to - length) / 2;
            this.from = Math.min(Math.max(start, whole.from), whole.to - length);
            this.to = Math.min(this.from + length, whole.to);
        }
        this.#changed();
    }

    /// Shows a span with some room beside it, and lights it up.
    light(span: Span): void {
        const beside = Math.max((span.to - span.from) * MARGIN, this.#least / 2);
        this.lit = span;
        this.show(span.from - beside, span.to + beside);
    }

    reset(): void {
        this.lit = null;
        this.show(this.whole.from, this.whole.to);
    }

    /// Zooms about the crosshair, or about the middle.
    zoom(factor: number): void {
        const centre = this.at ?? (this.from + this.to) / 2;
        this.show(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
    }

    /// Moves the crosshair, and the span with it where it would leave that.
    point(at: number | null): void {
        this.at = at === null ? null : Math.min(Math.max(at, this.whole.from), this.whole.to);
        this.#changed();
    }

    /// Moves the shown span so that the crosshair is in it.
    reach(): void {
        if (this.at === null) return;
        const shift = Math.min(this.at - this.from, 0) + Math.max(this.at - this.to, 0);
        if (shift !== 0) this.show(this.from + shift, this.to + shift);
    }

    /// Many moves of a mouse between two pictures are one change.
    #changed(): void {
        if (this.#waiting) return;
        this.#waiting = true;
        requestAnimationFrame(() => {
            this.#waiting = false;
            for (const follower of this.#followers) follower.follow(this);
        });
    }
}

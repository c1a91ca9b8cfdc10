// Inks of the page in the light or the dark, as the system's preference is now.
import type { Ink } from "./recording";

const dark = matchMedia("(prefers-color-scheme: dark)");

export class Colours {
    readonly #inks: Readonly<Record<string, Ink>>;

    constructor(inks: Readonly<Record<string, Ink>>) {
        this.#inks = inks;
    }

    of(ink: string): string {
        const found = this.#inks[ink];
        return (dark.matches ? found?.dark : found?.light) ?? "#808080";
    }

    dash(ink: string): number[] {
        return [...(this.#inks[ink]?.dash ?? [])];
    }

    /// Canvases keep the colours that they were painted with.
    whenChanged(repaint: () => void): void {
        dark.addEventListener("change", repaint);
    }
}

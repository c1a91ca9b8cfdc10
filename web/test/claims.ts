// A test is a row of claims; the first that does not hold ends it and says what was seen.

export function holds(truth: boolean, claim: string, ...seen: unknown[]): void {
    if (!truth) throw new Error(`${claim}${seen.length > 0 ? `; seen: ${JSON.stringify(seen)}` : ""}`);
}

export function equal(found: unknown, wanted: unknown, claim: string): void {
    holds(JSON.stringify(found) === JSON.stringify(wanted), claim, found, "wanted", wanted);
}

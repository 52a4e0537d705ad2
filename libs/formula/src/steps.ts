/** Work whose size others decide, in small steps. */
export type Steps<T> = Generator<void, T, void>;

/** Milliseconds of one piece; far from what anybody notices. */
const PIECE_MS = 5;

/** Does all of it in one piece. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does it in pieces of a few milliseconds and one step.
 * @param pause between two pieces: gives the event loop a turn
 */
export async function inPieces<T>(steps: Steps<T>, pause: () => Promise<unknown>): Promise<T> {
  for (let begun = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - begun < PIECE_MS) continue;
    await pause();
    begun = performance.now();
  }
}

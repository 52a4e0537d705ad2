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

/** Lets everything that waits for the event loop have its turn; browsers have no `setImmediate`. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });

/** Does it in pieces of a few milliseconds and one step, with a turn of the event loop between two of them. */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  for (let begun = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - begun < PIECE_MS) continue;
    await nextTurn();
    begun = performance.now();
  }
}

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

/** When work in pieces began in this turn of the event loop, no matter whose it is; undefined until it does. */
let begun: number | undefined;

function isOver(): boolean {
  if (begun === undefined) {
    begun = performance.now();
    void nextTurn().then(() => {
      begun = undefined;
    });
  }
  return performance.now() - begun >= PIECE_MS;
}

/**
 * Does it in pieces of a few milliseconds and one step, with a turn of the event loop between two of them, also where several do so at the
 * same time. What takes less waits for nothing.
 */
export async function inPieces<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    while (isOver()) await nextTurn();
    const { done, value } = steps.next();
    if (done) return value;
  }
}

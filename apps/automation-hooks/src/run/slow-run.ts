/**
 * Milliseconds after which others see that a run is under way. Most steps end sooner, and showing it would write the row of the
 * run twice.
 */
const SHOWN_AFTER_MS = 100;

/**
 * Does work, and shows that it is under way when it takes longer.
 * @param show must not reject; the result of the work waits for it
 */
export async function shownWhenSlow<T>(show: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let shown: Promise<void> | undefined;
  const timer = setTimeout(() => {
    shown = show();
  }, SHOWN_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    await shown;
  }
}

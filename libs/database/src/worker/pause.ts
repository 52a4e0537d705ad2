/**
 * A pause that only the end of the process can shorten.
 * @param keepsAlive whether the pause keeps an otherwise idle process alive
 */
export function pause(ms: number, stopping: AbortSignal, keepsAlive = true): Promise<void> {
  if (stopping.aborted) return Promise.resolve();
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!keepsAlive) timer.unref();
    stopping.addEventListener('abort', end, { once: true });
  });
}

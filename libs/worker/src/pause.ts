/**
 * A pause that the end of the process cuts short, and nothing else.
 * @param keepsAlive whether a process in which nothing else goes on stays alive for it
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

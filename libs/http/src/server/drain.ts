import type { Server } from 'node:http';

/** How often connections that fell idle are looked for while draining, in milliseconds. */
const IDLE_SWEEP_MS = 25;

/**
 * Stops accepting connections and waits for the requests in progress.
 * @param limitMs after this time the rest is cut off
 */
export async function drainServer(server: Server, limitMs: number): Promise<void> {
  if (!server.listening) return;
  // close() ends the connections that are idle now; those that a request leaves idle later would keep it waiting.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), limitMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  } finally {
    clearInterval(sweep);
    clearTimeout(limit);
  }
}

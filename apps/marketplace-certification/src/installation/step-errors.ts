import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Backoff } from '@crm/database';
import type { StoredError } from './installation-state.js';

/** Milliseconds before another try when a neighbour is away: a restart by the supervisor takes a second or two. */
const RETRY_DELAYS_MS = [300, 1200];

const PASSING: ReadonlySet<string> = new Set<ErrorCode>([
  'SERVICE_UNAVAILABLE',
  'TOKEN_REVOKED',
  'WORKSPACE_SUSPENDED',
]);

/** Delays between tries of what has to succeed in the end: growing to five minutes. */
export const POSTPONE_BACKOFF = Backoff.listed([1_000, 2_000, 5_000, 15_000, 60_000, 300_000]);

/**
 * Repeats a call that nobody received, or whose token was refused: services learn of a suspension one after the other. A
 * neighbour that does not answer in time is not called again: the time is better spent on undoing the installation.
 * @param stop ends the waiting; what is under way then no longer matters
 */
export async function withRetries<T>(stop: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await abandonedOn(stop, call());
    } catch (error) {
      const wait = RETRY_DELAYS_MS[attempt];
      if (wait === undefined || !(error instanceof PlatformError && PASSING.has(error.code))) throw error;
      await delay(wait, undefined, { signal: stop });
    }
  }
}

/** Whether a step may have been carried out, or may still be, although it answered with an error. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof PlatformError) || error.status >= 500;
}

/** Whether a call was refused because its workspace is suspended, of which this process need not know yet. */
export function isOfSuspension(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'WORKSPACE_SUSPENDED';
}

/** What is stored and shown of an error: one that is not in the catalogue is a defect, of which callers learn nothing. */
export function storedError(error: unknown): StoredError {
  return error instanceof PlatformError
    ? { code: error.code, detail: error.message }
    : { code: 'INSTALL_FAILED', detail: 'A part of the platform failed while the app was installed' };
}

function abandonedOn<T>(stop: AbortSignal, call: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abandon = () => reject(new Error('The process is ending'));
    if (stop.aborted) abandon();
    stop.addEventListener('abort', abandon, { once: true });
    call.then(resolve, reject).finally(() => stop.removeEventListener('abort', abandon));
  });
}

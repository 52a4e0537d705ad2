import { UsageError } from '../usage-error.js';
import type { Platform } from './platform.js';

/** What became of a sample event at one webhook of a sandbox. */
export interface TriggeredDelivery {
  readonly url: string;
  /** `delivered`, `failed`, `blocked` or `pending`. */
  readonly status: string;
  readonly httpStatus?: number;
  /** Milliseconds. */
  readonly latencyMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TriggeredEvent {
  readonly event: string;
  readonly eventId: string;
  readonly deliveries: readonly TriggeredDelivery[];
}

/** Milliseconds; an endpoint has 15 seconds to answer. */
const TIMEOUT_MS = 35_000;

/**
 * Has the platform send a sample event to the sandboxes of an app.
 * @throws UsageError when it does not: no connection, a refusal, or an unexpected answer
 */
export async function triggerEvent(platform: Platform, appKey: string, event: string): Promise<TriggeredEvent> {
  const path = `api/marketplace/developer/apps/${encodeURIComponent(appKey)}/trigger`;
  const answer = await platform.call('POST', path, { body: { event }, timeoutMs: TIMEOUT_MS });
  if (answer.status !== 200) platform.refuse(answer);
  if (!isTriggeredEvent(answer.body)) throw new UsageError(`${platform.origin} did not answer with deliveries.`);
  return answer.body;
}

function isTriggeredEvent(body: unknown): body is TriggeredEvent {
  if (typeof body !== 'object' || body === null) return false;
  const { event, eventId, deliveries } = body as Record<string, unknown>;
  return (
    typeof event === 'string' &&
    typeof eventId === 'string' &&
    Array.isArray(deliveries) &&
    deliveries.every((one) => typeof one?.url === 'string' && typeof one.status === 'string')
  );
}

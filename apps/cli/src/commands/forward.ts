import http from 'node:http';
import https from 'node:https';
import { errorCodeOf, messageOf } from '../arguments.js';
import type { ListenedDelivery } from './listening-session.js';

/** What the local program answered, or why it did not. */
export interface Forwarded {
  readonly status?: number;
  readonly error?: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** Milliseconds: what the platform gives an endpoint. */
const TIMEOUT_MS = 15_000;

/**
 * Sends a copy of a delivery, its headers and body as they are. `fetch` would add headers of its own.
 * @param signal ends it
 */
export async function forward(
  target: URL,
  { headers, body }: ListenedDelivery,
  signal: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const status = await post(target, headers, Buffer.from(body), AbortSignal.any([limit, signal]));
    return { status, ms: elapsed() };
  } catch (error) {
    const reason = limit.aborted ? `no response within ${TIMEOUT_MS / 1000} seconds` : reasonOf(error);
    return { error: reason, ms: elapsed() };
  }
}

function post(target: URL, headers: Readonly<Record<string, string>>, body: Buffer, signal: AbortSignal) {
  const { request } = target.protocol === 'https:' ? https : http;
  return new Promise<number>((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': body.length }, agent: false, signal };
    const sent = request(target, options, (response) => {
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode as number));
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Several addresses of a name fail together, with an error each and none in common. */
function reasonOf(error: unknown): string {
  return errorCodeOf(error) || messageOf(error) || 'the connection failed';
}

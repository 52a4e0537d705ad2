import type { Receiver } from '../receivers/receiver.js';
import type { Message } from './message.js';

/**
 * The headers of an attempt, those of the connection excepted.
 * @param at when it is made: the signature holds for some minutes from then
 */
export function deliveryHeaders(
  { headers, signer }: Pick<Receiver, 'headers' | 'signer'>,
  { eventId, body }: Message,
  at: Date,
): Record<string, string> {
  return {
    // Ours last, so that they win.
    ...headers,
    'content-type': 'application/json',
    ...signer.headers(eventId, Math.floor(at.getTime() / 1000), body),
  };
}

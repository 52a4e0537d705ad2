import { REMOVAL_EVENT } from '../subscriptions/subscription-state.js';
import type { Receiver } from './receiver.js';

interface SentEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether an event says that the installation of the receiver was removed. */
export function isItsRemoval({ installationId }: Pick<Receiver, 'installationId'>, { type, data }: SentEvent): boolean {
  return type === REMOVAL_EVENT && installationId !== null && data.installationId === installationId;
}

/**
 * Whether a delivery that waits may still be sent: what was made before the installation was removed may not.
 * @param body as it would be sent
 */
export function maySend(receiver: Pick<Receiver, 'installationId' | 'isRemoved'>, body: string): boolean {
  return !receiver.isRemoved || isItsRemoval(receiver, JSON.parse(body) as SentEvent);
}

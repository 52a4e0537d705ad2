import { isPlainObject } from './plain-object.js';
import { PROTOCOL, PROTOCOL_VERSION } from './version.js';

/** A message as it is posted. */
export type Envelope<Message> = Message & { readonly protocol: typeof PROTOCOL; readonly version: number };

export const inEnvelope = <Message extends object>(message: Message): Envelope<Message> => ({
  ...message,
  protocol: PROTOCOL,
  version: PROTOCOL_VERSION,
});

/** What was taken out of an envelope: the fields of a message, the version of another, or nothing of ours. */
export type Opened =
  | { readonly kind: 'message'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'other-version'; readonly version: number }
  | { readonly kind: 'foreign' };

export function openEnvelope(data: unknown): Opened {
  if (!isPlainObject(data) || data.protocol !== PROTOCOL) return { kind: 'foreign' };
  const { version } = data;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return { kind: 'foreign' };
  return version === PROTOCOL_VERSION ? { kind: 'message', fields: data } : { kind: 'other-version', version };
}

import { REVOCATION_BUCKET, type ServiceName } from '@crm/contracts';

// What services and the configuration of the broker must call the same: apart from the client, which that configuration does without.

/** Where a service's replies arrive. Only that service may subscribe below it, so no service can read another's replies. */
export function inboxPrefix(service: ServiceName | 'provisioner'): string {
  return `_INBOX_${service.replaceAll('-', '_')}`;
}

/** Only processes of the service may publish and receive on it. */
export const nudgeSubject = (service: ServiceName): string => `outbox.${service}`;

/** Stream behind the key-value bucket, and the prefix of its subjects (NATS architecture decision record 8). */
export const REVOCATION_STREAM = `KV_${REVOCATION_BUCKET}`;
export const REVOCATION_SUBJECT_PREFIX = `$KV.${REVOCATION_BUCKET}.`;

/** Calls in a message: what a turn of an event loop handles unnoticed. The broker lets a server reply as often to a message. */
export const MAX_PARTS = 64;

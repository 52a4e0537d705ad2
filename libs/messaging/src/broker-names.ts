import { REVOCATION_BUCKET, type ServiceName } from '@crm/contracts';

// Names that services and the broker's configuration share, in a file of their own: the configuration is made without loading the client.

/** Where a service's replies arrive. Only that service may subscribe below it, so no service can read another's replies. */
export function inboxPrefix(service: ServiceName | 'provisioner'): string {
  return `_INBOX_${service.replaceAll('-', '_')}`;
}

/** Only processes of the service may publish and receive on it. */
export const wakeUpSubject = (service: ServiceName): string => `outbox.${service}`;

/** Stream behind the key-value bucket, and the prefix of its subjects (NATS architecture decision record 8). */
export const REVOCATION_STREAM = `KV_${REVOCATION_BUCKET}`;
export const REVOCATION_SUBJECT_PREFIX = `$KV.${REVOCATION_BUCKET}.`;

/** Most calls in one message: one turn of the event loop handles them unnoticed. The broker lets a server send as many replies to a message. */
export const MAX_PARTS = 64;

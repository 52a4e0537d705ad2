import type { ServiceName } from '@crm/contracts';

/** Where a service's replies arrive. Only that service may subscribe below it, so no service can read another's replies. */
export function inboxPrefix(service: ServiceName | 'provisioner'): string {
  return `_INBOX_${service.replaceAll('-', '_')}`;
}

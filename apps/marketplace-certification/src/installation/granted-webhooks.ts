import { coversScope, eventScope } from '@crm/contracts';
import type { Manifest, ManifestWebhook } from '@crm/manifest';

/**
 * Returns the webhooks of the package without the events whose scope was not granted: an optional scope that an
 * administrator withheld must not be obtained through a subscription. A webhook without any event left is omitted.
 */
export function grantedWebhooks(manifest: Manifest, grantedScopes: readonly string[]): ManifestWebhook[] {
  const isGranted = (event: string) => {
    const scope = eventScope(event);
    return scope === undefined || coversScope(grantedScopes, scope);
  };
  return (manifest.webhooks ?? [])
    .map(({ events, url, description }) => ({ events: events.filter(isGranted), url, description }))
    .filter(({ events }) => events.length > 0);
}

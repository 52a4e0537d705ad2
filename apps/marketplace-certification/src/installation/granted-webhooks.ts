import { coversScope, eventScope } from '@crm/contracts';
import type { Manifest, ManifestWebhook } from '@crm/manifest';

/**
 * The package's webhooks without the events whose scope was not granted: an optional scope that an administrator kept
 * back must not come in by a subscription. A webhook without events left is left out.
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

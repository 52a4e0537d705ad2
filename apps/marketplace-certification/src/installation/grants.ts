import { coversScope, eventScope, type FieldProblem, PlatformError } from '@crm/contracts';
import type { Manifest, ManifestWebhook } from '@crm/manifest';

interface RequestedScope {
  readonly scope: string;
  readonly optional: boolean;
}

/** The scopes that a package requests; one that is requested twice is optional only if it is so both times. */
export function requestedScopes(manifest: Manifest): RequestedScope[] {
  const requested = new Map<string, RequestedScope>();
  for (const permission of manifest.permissions ?? []) {
    const { scope, optional = false } = typeof permission === 'string' ? { scope: permission } : permission;
    const earlier = requested.get(scope);
    requested.set(scope, { scope, optional: optional && (earlier?.optional ?? true) });
  }
  return [...requested.values()];
}

/**
 * Returns the scopes that an installation gets.
 * @param granted what the administrator grants; without it, every scope that is not optional
 * @throws PlatformError SCOPE_NOT_REQUESTED, SCOPE_REQUIRED with a pointer to each wrong grant
 */
export function grantScopes(manifest: Manifest, granted?: readonly string[]): string[] {
  const requested = requestedScopes(manifest);
  const required = requested.filter(({ optional }) => !optional).map(({ scope }) => scope);
  if (granted === undefined) return required;
  const known = new Set(requested.map(({ scope }) => scope));
  const unknown = granted.flatMap((scope, index): FieldProblem[] => {
    const detail = 'The app does not request this scope';
    return known.has(scope) ? [] : [{ pointer: `/grantedScopes/${index}`, code: 'SCOPE_NOT_REQUESTED', detail }];
  });
  if (unknown.length > 0) throw new PlatformError('SCOPE_NOT_REQUESTED', undefined, { errors: unknown });
  const missing = required.filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    throw new PlatformError('SCOPE_REQUIRED', `Grant the required scopes: ${missing.join(', ')}`, {
      errors: missing.map((scope) => ({
        pointer: '/grantedScopes',
        code: 'SCOPE_REQUIRED',
        detail: `${scope} is missing`,
      })),
    });
  }
  return [...new Set(granted)];
}

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

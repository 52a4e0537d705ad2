/** Scopes that can be granted to a token or an app. A scope allows reading and writing; with `:read` only reading. */
export const SCOPE_NAMES = [
  'leads',
  'contacts',
  'companies',
  'pipeline',
  'tasks',
  'custom_objects',
  'automations',
  'webhooks',
  'agent',
] as const;

export type ScopeName = (typeof SCOPE_NAMES)[number];
export type Scope = ScopeName | `${ScopeName}:read`;

/** Every known scope, full ones first, in catalogue order. */
export const SCOPES: readonly Scope[] = [...SCOPE_NAMES, ...SCOPE_NAMES.map((name): Scope => `${name}:read`)];

/** Scopes that no app can request, because they would let it act as the platform. */
export const RESERVED_SCOPES: readonly string[] = ['admin', 'platform', 'operator', 'internal'];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/**
 * Whether the granted scopes allow an access.
 * @param granted scopes of the token; an unknown name grants nothing
 * @param name the scope's name without `:read`
 * @param mode the kind of access
 */
export function scopeAllows(granted: readonly string[], name: ScopeName, mode: 'read' | 'write'): boolean {
  return granted.includes(name) || (mode === 'read' && granted.includes(`${name}:read`));
}

/** Whether holding `granted` covers `needed`; the full scope covers its `:read`. */
export function coversScope(granted: readonly string[], needed: Scope): boolean {
  const [name, read] = needed.split(':') as [ScopeName, 'read' | undefined];
  return scopeAllows(granted, name, read ? 'read' : 'write');
}

import type { AccessRule } from '@crm/access';
import type { Caller } from './house.js';

// Written a second time, from ARCHITECTURE.md and docs/roles.md, and not imported: a mistake in the platform's own tables
// would otherwise be in the expectation too.
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  owner: ['read', 'write', 'administer', 'own'],
  admin: ['read', 'write', 'administer'],
  member: ['read', 'write'],
  viewer: ['read'],
  // An app's own token.
  app: ['read', 'write'],
  // The rights of operators.
  administrator: ['read', 'write', 'administer', 'own'],
  reviewer: ['read', 'write'],
};

/** With which code a rule refuses a caller; undefined when it lets them in. */
export function refusalBy(rule: AccessRule, { kind, roles, scopes }: Pick<Caller, 'kind' | 'roles' | 'scopes'>) {
  const byScope = rule.scope !== undefined;
  if (kind === 'embed' && !(rule.embed ?? byScope)) return 'EMBED_TOKEN_REFUSED';
  if (kind === 'app' && !(rule.app ?? byScope)) return 'FORBIDDEN';
  if (kind === 'key' && !(rule.key ?? byScope)) return 'API_KEY_REFUSED';
  // An app reads and writes, no matter whom it acts for.
  if (kind === 'app' && rule.right !== 'read' && rule.right !== 'write') return 'FORBIDDEN';
  if (!roles.some((role) => RIGHTS[role]?.includes(rule.right))) return 'FORBIDDEN';
  if (rule.scope === undefined || scopes === undefined) return undefined;
  const enough = rule.right === 'read' ? [rule.scope, `${rule.scope}:read`] : [rule.scope];
  return enough.some((name) => scopes.includes(name)) ? undefined : 'INSUFFICIENT_SCOPE';
}

/** The codes with which tokens and rules refuse a call; a call that is refused with another was let in to its handler. */
export const REFUSALS: readonly string[] = [
  'UNAUTHENTICATED',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'INVALID_API_KEY',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPE',
  'EMBED_TOKEN_REFUSED',
  'API_KEY_REFUSED',
  'STEP_UP_REQUIRED',
];

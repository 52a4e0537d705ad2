import { type Texts, textsOf } from './languages.js';
import type { CatalogueTexts } from './texts/en.js';

export interface ScopeEntry {
  readonly label: Texts;
  readonly reads: Texts;
  readonly writes: Texts;
  /** Its calls require an administrator's role. */
  readonly administered?: true;
  /** How far the API key page offers it. */
  readonly offered: readonly ('read' | 'write')[];
}

const scope = (name: keyof CatalogueTexts['scopes'], offered: ScopeEntry['offered']): ScopeEntry => ({
  label: textsOf(({ scopes }) => scopes[name].label),
  reads: textsOf(({ scopes }) => scopes[name].reads),
  writes: textsOf(({ scopes }) => scopes[name].writes),
  offered,
});
const administered = (entry: ScopeEntry): ScopeEntry => ({ ...entry, administered: true });

/**
 * The catalogue of scopes that can be granted to a token or an app, with the words of the pages. A scope allows reading and writing;
 * with `:read` only reading.
 */
export const SCOPE_CATALOGUE = {
  leads: scope('leads', ['read', 'write']),
  contacts: scope('contacts', ['read', 'write']),
  companies: scope('companies', ['read', 'write']),
  pipeline: scope('pipeline', ['read', 'write']),
  tasks: scope('tasks', ['read', 'write']),
  custom_objects: scope('custom_objects', ['read', 'write']),
  automations: scope('automations', ['read']),
  webhooks: administered(scope('webhooks', ['write'])),
  users: administered(scope('users', ['read'])),
  agent: scope('agent', []),
} as const satisfies Readonly<Record<string, ScopeEntry>>;

export type ScopeName = keyof typeof SCOPE_CATALOGUE;

export const SCOPE_NAMES = Object.keys(SCOPE_CATALOGUE) as ScopeName[];

export type Scope = ScopeName | `${ScopeName}:read`;

/** Every known scope, full ones first, in catalogue order. */
export const SCOPES: readonly Scope[] = [...SCOPE_NAMES, ...SCOPE_NAMES.map((name): Scope => `${name}:read`)];

/** Scopes that no app can request, because they would let it act as the platform. */
export const RESERVED_SCOPES: readonly string[] = ['admin', 'platform', 'operator', 'internal'];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/**
 * Returns whether the granted scopes allow an access.
 * @param granted scopes of the token; an unknown name grants nothing
 * @param name the scope's name without `:read`
 * @param mode the kind of access
 */
export function scopeAllows(granted: readonly string[], name: ScopeName, mode: 'read' | 'write'): boolean {
  return granted.includes(name) || (mode === 'read' && granted.includes(`${name}:read`));
}

/** The entry of a scope, with or without `:read`; undefined for one that this version does not know. */
export function scopeEntry(scope: string): ScopeEntry | undefined {
  const name = scope.replace(/:read$/, '');
  return Object.hasOwn(SCOPE_CATALOGUE, name) ? SCOPE_CATALOGUE[name as ScopeName] : undefined;
}

/** Returns whether holding `granted` covers `needed`; the full scope covers its `:read`. */
export function coversScope(granted: readonly string[], needed: Scope): boolean {
  const [name, read] = needed.split(':') as [ScopeName, 'read' | undefined];
  return scopeAllows(granted, name, read ? 'read' : 'write');
}

/** Built-in roles of a tenant from the most to the least powerful. */
export const TENANT_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** No role: it would name every app. A list of roles that contains it does not name anyone by it. */
export const ANY_APP = 'app';

/** What a role of a workspace or an app can be called. */
export const ROLE_NAME_PATTERN = '^[a-z][a-z0-9_-]{0,39}$';

const APP_ROLE_PREFIX = 'app:';

/** The role in the tokens of an installed app: `app:<key>`. */
export function appRole(appKey: string): string {
  return `${APP_ROLE_PREFIX}${appKey}`;
}

export function isAppRole(role: string): boolean {
  return role.startsWith(APP_ROLE_PREFIX);
}

/** Returns whether neither a tenant nor an app can add a role of this name. */
export function isReservedRole(role: string): boolean {
  return RESERVED_ROLES.has(role) || isAppRole(role);
}

/**
 * Roles of operators, in tokens for marketplace-admin only. Administrators also set plans and manage the operators; reviewers
 * see the queue and decide on submissions.
 */
export const OPERATOR_ROLES = ['administrator', 'reviewer'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

const NEVER_GRANTED: readonly string[] = [ANY_APP, 'operator', 'system'];
const RESERVED_ROLES: ReadonlySet<string> = new Set([...TENANT_ROLES, ...NEVER_GRANTED]);

/**
 * What a route can require of a role. `read` and `write` cover records and everyday settings; `administer` covers users,
 * installations, webhooks, workflows and tenant settings; `own` covers plan requests, ownership and deletion.
 */
export type Right = 'read' | 'write' | 'administer' | 'own';

const RIGHTS: Readonly<Record<string, readonly Right[]>> = {
  owner: ['read', 'write', 'administer', 'own'],
  admin: ['read', 'write', 'administer'],
  member: ['read', 'write'],
  viewer: ['read'],
};

/** An app's token is narrowed by its granted scopes; it never administers the workspace it is installed in. */
const APP_RIGHTS: readonly Right[] = ['read', 'write'];

/** Returns whether any of the roles grants the right. Roles added by a tenant or an app grant none: they only open fields. */
export function rolesAllow(roles: readonly string[], right: Right): boolean {
  return roles.some((role) =>
    isAppRole(role) ? APP_RIGHTS.includes(right) : Object.hasOwn(RIGHTS, role) && RIGHTS[role]?.includes(right),
  );
}

const OPERATOR_RIGHTS: Readonly<Record<OperatorRole, readonly Right[]>> = {
  administrator: ['read', 'write', 'administer', 'own'],
  reviewer: ['read', 'write'],
};

/** Returns whether any of an operator's roles grants the right; a role of a tenant grants an operator nothing. */
export function operatorRolesAllow(roles: readonly string[], right: Right): boolean {
  return OPERATOR_ROLES.some((role) => roles.includes(role) && OPERATOR_RIGHTS[role].includes(right));
}

/**
 * Returns whether a user with the roles `granting` can give `role` to another user: nobody grants a role above their own. A role
 * that is not built in ranks below `viewer`. Nobody gives a user the role of an app.
 */
export function mayGrantRole(granting: readonly string[], role: string): boolean {
  const rank = (name: string) => {
    const index = (TENANT_ROLES as readonly string[]).indexOf(name);
    return index < 0 ? TENANT_ROLES.length : index;
  };
  if (NEVER_GRANTED.includes(role) || isAppRole(role)) return false;
  return Math.min(...granting.map(rank), TENANT_ROLES.length) <= rank(role);
}

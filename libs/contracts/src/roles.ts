/** Built-in roles of a tenant from the most to the least powerful. */
export const TENANT_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** The role in the token of an installed app. */
export const APP_ROLE = 'app';

/** Role names that neither a tenant nor an app can add. */
export const BUILT_IN_ROLES: readonly string[] = [...TENANT_ROLES, APP_ROLE, 'operator', 'system'];

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
  // An app's token is narrowed by its granted scopes; it never administers the workspace it is installed in.
  [APP_ROLE]: ['read', 'write'],
};

/** Whether any of the roles grants the right. Roles added by a tenant or an app grant none: they only open fields. */
export function rolesAllow(roles: readonly string[], right: Right): boolean {
  return roles.some((role) => Object.hasOwn(RIGHTS, role) && RIGHTS[role]?.includes(right));
}

/**
 * Whether a user with the roles `granting` can give `role` to another user: nobody grants a role above their own. A role
 * that is not built in ranks below `viewer`.
 */
export function mayGrantRole(granting: readonly string[], role: string): boolean {
  const rank = (name: string) => {
    const index = (TENANT_ROLES as readonly string[]).indexOf(name);
    return index < 0 ? TENANT_ROLES.length : index;
  };
  if (role === APP_ROLE || role === 'operator' || role === 'system') return false;
  return Math.min(...granting.map(rank), TENANT_ROLES.length) <= rank(role);
}

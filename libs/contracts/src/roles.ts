/** Built-in roles of a tenant from the most to the least powerful. */
export const TENANT_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

/** No role: it would name every app. A list of roles that contains it does not name anyone by it. */
export const ANY_APP = 'app';

const APP_ROLE_PREFIX = 'app:';

/** The role in the tokens of an installed app: `app:<key>`. */
export function appRole(appKey: string): string {
  return `${APP_ROLE_PREFIX}${appKey}`;
}

/** Whether a role is that of one app. */
export function isAppRole(role: string): boolean {
  return role.startsWith(APP_ROLE_PREFIX);
}

/** Whether neither a tenant nor an app can add a role of this name. */
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

/** Whether any of the roles grants the right. Roles added by a tenant or an app grant none: they only open fields. */
export function rolesAllow(roles: readonly string[], right: Right): boolean {
  return roles.some((role) =>
    isAppRole(role) ? APP_RIGHTS.includes(right) : Object.hasOwn(RIGHTS, role) && RIGHTS[role]?.includes(right),
  );
}

const OPERATOR_RIGHTS: Readonly<Record<OperatorRole, readonly Right[]>> = {
  administrator: ['read', 'write', 'administer', 'own'],
  reviewer: ['read', 'write'],
};

/** Whether any of an operator's roles grants the right; a role of a tenant grants an operator nothing. */
export function operatorRolesAllow(roles: readonly string[], right: Right): boolean {
  return OPERATOR_ROLES.some((role) => roles.includes(role) && OPERATOR_RIGHTS[role].includes(right));
}

/**
 * Whether a user with the roles `granting` can give `role` to another user: nobody grants a role above their own. A role
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

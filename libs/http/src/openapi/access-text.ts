import type { AccessRule } from '@crm/access';
import { OPERATOR_ROLES, operatorRolesAllow, type Right, rolesAllow, TENANT_ROLES } from '@crm/contracts';
import type { ControllerRoute } from '../route/list-routes.js';

/** Whether API keys may call a route with this rule. */
export const takesApiKeys = (access: AccessRule | undefined): boolean =>
  access !== undefined && (access.key ?? access.scope !== undefined);

/** An app never administers, whatever its scopes. */
const takesApps = ({ app, scope, right }: AccessRule): boolean =>
  (app ?? scope !== undefined) && (right === 'read' || right === 'write');

/** Whose tokens an address accepts. */
export type Caller = 'users' | 'operators';

/** Who may call a route, as a sentence made from its access rule. */
export function accessText({ access, public: isPublic }: ControllerRoute, caller: Caller): string | undefined {
  if (isPublic) return 'Needs no access token.';
  if (!access) return undefined;
  if (caller === 'operators') return `For operators with the role ${oneOf(operatorRoles(access.right))}.`;
  const { right, scope } = access;
  const roles = TENANT_ROLES.filter((role) => rolesAllow([role], right)).map((role) => `\`${role}\``);
  const others = [
    ...(takesApps(access) ? ['apps'] : []),
    ...((access.embed ?? scope !== undefined) ? ['embedded users'] : []),
    ...(takesApiKeys(access) ? ['API keys'] : []),
  ];
  const users = `For users with the role ${oneOf(roles)}.`;
  if (others.length === 0) return `${users} Not open to apps, embedded users or API keys.`;
  const needed = scope && `, which need the scope \`${right === 'read' ? `${scope}:read` : scope}\``;
  return `${users} Also open to ${listed(others)}${needed ?? ''}.`;
}

const operatorRoles = (right: Right): string[] =>
  OPERATOR_ROLES.filter((role) => operatorRolesAllow([role], right)).map((role) => `\`${role}\``);

const listed = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '');

const oneOf = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '');

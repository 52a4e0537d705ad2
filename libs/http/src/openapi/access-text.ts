import {
  OPERATOR_ROLES,
  operatorRolesAllow,
  type Right,
  rolesAllow,
  type ServiceName,
  TENANT_ROLES,
} from '@crm/contracts';
import type { ControllerRoute } from '../route/list-routes.js';

/**
 * Who may call a route, as a sentence made from its access rule.
 * @param service whose route it is: at marketplace-admin every caller is an operator
 */
export function accessText({ access, public: isPublic }: ControllerRoute, service: ServiceName): string | undefined {
  if (isPublic) return 'Needs no access token.';
  if (!access) return undefined;
  if (service === 'marketplace-admin') return `For operators with the role ${oneOf(operatorRoles(access.right))}.`;
  const { right, scope } = access;
  const roles = TENANT_ROLES.filter((role) => rolesAllow([role], right)).map((role) => `\`${role}\``);
  const others = [
    ...((access.app ?? scope !== undefined) ? ['apps'] : []),
    ...((access.embed ?? scope !== undefined) ? ['embedded users'] : []),
  ];
  const users = `For users with the role ${oneOf(roles)}.`;
  if (others.length === 0) return `${users} Not open to apps or embedded users.`;
  const needed = scope && `, whose token needs the scope \`${right === 'read' ? `${scope}:read` : scope}\``;
  return `${users} Also open to ${others.join(' and to ')}${needed ?? ''}.`;
}

const operatorRoles = (right: Right): string[] =>
  OPERATOR_ROLES.filter((role) => operatorRolesAllow([role], right)).map((role) => `\`${role}\``);

const oneOf = (names: readonly string[]): string =>
  names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '');

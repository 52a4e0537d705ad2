import type { Principal } from '@crm/access';
import { mayGrantRole, PlatformError } from '@crm/contracts';

/**
 * Nobody grants a role above their own, and nobody changes a user who has one.
 * @throws PlatformError ROLE_NOT_GRANTABLE
 */
export function assertGrantable(principal: Principal, roles: readonly string[]): void {
  const refused = roles.find((role) => !mayGrantRole(principal.roles, role));
  if (refused !== undefined) throw new PlatformError('ROLE_NOT_GRANTABLE', `The role ${refused} is above your own`);
}

import type { Principal } from '@crm/context';
import { rolesAllow } from '@crm/contracts';

/**
 * Whether the caller may make workflows and so may see all of them, payloads of their runs included. Like the routes that
 * administer, it takes an administrator's own session: an app's or an embed token never administers, whatever its roles.
 */
export const administers = (principal: Principal): boolean =>
  principal.kind === 'user' && rolesAllow(principal.roles, 'administer');

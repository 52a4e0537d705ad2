import type { Principal } from '@crm/access';
import { rolesAllow } from '@crm/contracts';

/**
 * Whether the principal may create workflows and therefore see all of them, payloads of their runs included. Like the
 * routes that administer, this requires an administrator's own session: an app's or an embed token never administers,
 * whatever its roles, and neither does an API key.
 */
export const isAdministrator = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.apiKeyId === undefined && rolesAllow(principal.roles, 'administer');

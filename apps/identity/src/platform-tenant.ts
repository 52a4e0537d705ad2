import type { Principal } from '@crm/access';
import { PLATFORM_TENANT } from '@crm/contracts';

export { PLATFORM_TENANT };

/** The tenant in which the account of a caller lies: that of operators is the platform's. */
export const tenantOf = ({ kind, tenantId }: Pick<Principal, 'kind' | 'tenantId'>): string =>
  kind === 'operator' ? PLATFORM_TENANT : tenantId;

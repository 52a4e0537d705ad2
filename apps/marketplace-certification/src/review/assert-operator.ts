import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';

/** @throws PlatformError FORBIDDEN */
export function assertOperator(principal: Principal | undefined): asserts principal is Principal {
  if (principal?.kind !== 'operator') throw new PlatformError('FORBIDDEN', 'Only operators can review submissions');
}

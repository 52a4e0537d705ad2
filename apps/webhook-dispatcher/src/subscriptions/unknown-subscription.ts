import { PlatformError } from '@crm/contracts';

/** @throws PlatformError NOT_FOUND */
export function refuseUnknownSubscription(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such subscription');
}

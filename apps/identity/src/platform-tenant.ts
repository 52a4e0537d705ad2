/** Of the contracts, under the name that this service has always used. */
export { PLATFORM_TENANT } from '@crm/contracts';

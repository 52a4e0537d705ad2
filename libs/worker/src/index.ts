export { TenantShares } from './tenant-shares.js';

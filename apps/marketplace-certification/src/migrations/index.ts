import { DATABASES } from '@crm/contracts';
import { Marketplace1763683200000 } from './1763683200000-marketplace.js';
import { Quotas1795700000302 } from './1795700000302-quotas.js';
import { OAuthStep1795800000102 } from './1795800000102-oauth-step.js';

export const migrations = [Marketplace1763683200000, Quotas1795700000302, OAuthStep1795800000102];
export const databaseRoles = DATABASES['marketplace-certification'];

import { DATABASES } from '@crm/contracts';
import { Marketplace1763683200000 } from './1763683200000-marketplace.js';

export const migrations = [Marketplace1763683200000];
export const databaseRoles = DATABASES['marketplace-certification'];

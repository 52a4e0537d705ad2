import { DATABASES } from '@crm/contracts';
import { CreateIdentity1763683200000 } from './1763683200000-create-identity.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [CreateIdentity1763683200000];

export const databaseRoles = DATABASES.identity;

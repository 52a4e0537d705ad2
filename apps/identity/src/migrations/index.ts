import { DATABASES } from '@crm/contracts';
import { CreateIdentity1763683200000 } from './1763683200000-create-identity.js';
import { MailExpiry1763700000001 } from './1763700000001-mail-expiry.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [CreateIdentity1763683200000, MailExpiry1763700000001];

export const databaseRoles = DATABASES.identity;

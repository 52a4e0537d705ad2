import { DATABASES } from '@crm/contracts';
import { CreateIdentity1763683200000 } from './1763683200000-create-identity.js';
import { Passwords1795700000101 } from './1795700000101-passwords.js';
import { Factors1795700000201 } from './1795700000201-factors.js';
import { Verification1795700000301 } from './1795700000301-verification.js';
import { Quotas1795700000302 } from './1795700000302-quotas.js';
import { OAuth1795800000101 } from './1795800000101-oauth.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [
  CreateIdentity1763683200000,
  Passwords1795700000101,
  Factors1795700000201,
  Verification1795700000301,
  Quotas1795700000302,
  OAuth1795800000101,
];

export const databaseRoles = DATABASES.identity;

import { DATABASES } from '@crm/contracts';
import { Marketplace1763683200000 } from './1763683200000-marketplace.js';
import { Quotas1795700000302 } from './1795700000302-quotas.js';
import { OAuthStep1795800000102 } from './1795800000102-oauth-step.js';
import { EncryptionKeys1795800000501 } from './1795800000501-encryption-keys.js';
import { Review1795800000701 } from './1795800000701-review.js';
import { ClientStatus1795800000812 } from './1795800000812-client-status.js';
import { DecisionsInForce1795800000832 } from './1795800000832-decisions-in-force.js';

export const migrations = [
  Marketplace1763683200000,
  Quotas1795700000302,
  OAuthStep1795800000102,
  EncryptionKeys1795800000501,
  Review1795800000701,
  ClientStatus1795800000812,
  DecisionsInForce1795800000832,
];
export const databaseRoles = DATABASES['marketplace-certification'];

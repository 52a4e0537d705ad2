import { DATABASES } from '@crm/contracts';
import { CreateIdentity1763683200000 } from './1763683200000-create-identity.js';
import { Passwords1795700000101 } from './1795700000101-passwords.js';
import { Factors1795700000201 } from './1795700000201-factors.js';
import { Verification1795700000301 } from './1795700000301-verification.js';
import { Quotas1795700000302 } from './1795700000302-quotas.js';
import { KnownMints1795800000001 } from './1795800000001-known-mints.js';
import { OAuth1795800000101 } from './1795800000101-oauth.js';
import { ApiKeys1795800000201 } from './1795800000201-api-keys.js';
import { Passkeys1795800000301 } from './1795800000301-passkeys.js';
import { SingleSignOn1795800000401 } from './1795800000401-single-sign-on.js';
import { EncryptionKeys1795800000501 } from './1795800000501-encryption-keys.js';
import { Audit1795800000601 } from './1795800000601-audit.js';
import { Erasure1795800000602 } from './1795800000602-erasure.js';
import { OperatorAudit1795800000702 } from './1795800000702-operator-audit.js';
import { JoinedParts1795800000811 } from './1795800000811-joined-parts.js';
import { ChallengePurpose1795800000821 } from './1795800000821-challenge-purpose.js';
import { LinkTimesAndWaysIn1795800000822 } from './1795800000822-link-times-and-ways-in.js';
import { RevokedApps1795800000831 } from './1795800000831-revoked-apps.js';
import { Proofs1795800001001 } from './1795800001001-proofs.js';
import { ServiceAccountActors1795800001002 } from './1795800001002-service-account-actors.js';
import { Suspensions1795800001101 } from './1795800001101-suspensions.js';
import { NarrowerGrants1795800001301 } from './1795800001301-narrower-grants.js';

/** Migrations of the identity database, oldest first. */
export const migrations = [
  CreateIdentity1763683200000,
  Passwords1795700000101,
  Factors1795700000201,
  Verification1795700000301,
  Quotas1795700000302,
  KnownMints1795800000001,
  OAuth1795800000101,
  ApiKeys1795800000201,
  Passkeys1795800000301,
  SingleSignOn1795800000401,
  EncryptionKeys1795800000501,
  Audit1795800000601,
  Erasure1795800000602,
  OperatorAudit1795800000702,
  JoinedParts1795800000811,
  ChallengePurpose1795800000821,
  LinkTimesAndWaysIn1795800000822,
  RevokedApps1795800000831,
  Proofs1795800001001,
  ServiceAccountActors1795800001002,
  Suspensions1795800001101,
  NarrowerGrants1795800001301,
];

export const databaseRoles = DATABASES.identity;

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { EmbedUser } from '../embedding/embedding.entity.js';
import { Grant } from '../oauth/oauth.entity.js';
import { User } from '../people/people.entity.js';
import { Session } from '../sessions/sessions.entity.js';
import { WAYS_IN } from '../sessions/shut-out.service.js';
import { Authenticator, Passkey, RecoveryCode } from '../sign-in/sign-in.entity.js';
import { ProviderLink } from '../single-sign-on/single-sign-on.entity.js';
import { EmailChange, Invitation } from './accounts.entity.js';

/** Rows of one kind that an export has: far more than a person makes. */
const MOST = 10_000;

@Injectable()
export class PersonalDataRepository {
  async read(tx: TenantTransaction, userId: string) {
    const { tenantId } = tx;
    const own = { where: { tenantId, userId }, take: MOST };
    // Sent together: one round trip.
    const [
      user,
      sessions,
      authenticator,
      recoveryCodesLeft,
      invitations,
      emailChanges,
      embedLinks,
      passkeys,
      providerLinks,
      apiKeys,
      grants,
    ] = await Promise.all([
      tx.repository(User).findOneBy({ tenantId, id: userId }),
      tx.repository(Session).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(Authenticator).findOneBy({ tenantId, userId }),
      tx.repository(RecoveryCode).countBy({ tenantId, userId }),
      tx.repository(Invitation).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(EmailChange).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(EmbedUser).find({ ...own, order: { appKey: 'ASC', sub: 'ASC' } }),
      tx.repository(Passkey).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(ProviderLink).find({ ...own, order: { issuer: 'ASC', sub: 'ASC' } }),
      tx
        .repository(ApiKey)
        .find({ where: { tenantId, ownerKind: 'user', ownerId: userId }, take: MOST, order: { id: 'ASC' } }),
      tx.repository(Grant).find({ ...own, order: { id: 'ASC' } }),
    ]);
    const factors = { authenticator, recoveryCodesLeft, passkeys };
    return (
      user && { user, sessions, ...factors, invitations, emailChanges, embedLinks, providerLinks, apiKeys, grants }
    );
  }
}

export type PersonalData = NonNullable<Awaited<ReturnType<PersonalDataRepository['read']>>>;

/** Holds the owners who can sign in, in the order of every change, so that two cannot leave at once. $1: tenant. */
export const LOCK_OWNERS = `
  SELECT id FROM app_user WHERE tenant_id = $1 AND status = 'active' AND roles @> ARRAY['owner']
   ORDER BY id FOR UPDATE`;

/** $1: tenant, $2: user. */
export const LOCK_ERASED_USER =
  'SELECT id, email, roles, status FROM app_user WHERE tenant_id = $1 AND id = $2 FOR UPDATE';

/**
 * Every table with rows of a user has to be here, unless they go with the user by a reference; a test looks for the id
 * in all of them. Keys that the user made for service accounts stay. $1: tenant, $2: user, $3: present address.
 */
export const ERASE_USER = `
  WITH address AS (
    SELECT $3::text AS email
    UNION SELECT old_email FROM email_change WHERE tenant_id = $1 AND user_id = $2
    UNION SELECT new_email FROM email_change WHERE tenant_id = $1 AND user_id = $2),
  ${WAYS_IN},
  sign_ins AS (
    DELETE FROM sign_in_email
     WHERE email IN (SELECT email FROM address) AND tenant_id = $1 AND user_id = $2),
  claims AS (DELETE FROM email_claim WHERE user_id = $2 AND tenant_id = $1),
  memberships AS (DELETE FROM membership WHERE user_id = $2 AND tenant_id = $1),
  locals AS (DELETE FROM local_account WHERE user_id = $2 AND tenant_id = $1),
  links AS (DELETE FROM embed_user WHERE tenant_id = $1 AND user_id = $2),
  mails AS (DELETE FROM mail WHERE tenant_id = $1 AND recipient IN (SELECT email FROM address))
  DELETE FROM app_user WHERE tenant_id = $1 AND id = $2`;

export type ErasedUser = Pick<User, 'id' | 'email' | 'roles' | 'status'>;

@Injectable()
export class ErasureRepository {
  async lockOwners(tx: NarrowTransaction, tenantId: string): Promise<string[]> {
    const owners = await tx.query<{ id: string }>(LOCK_OWNERS, [tenantId]);
    return owners.map(({ id }) => id);
  }

  async lockUser(tx: NarrowTransaction, tenantId: string, id: string): Promise<ErasedUser | null> {
    const [user] = await tx.query<ErasedUser>(LOCK_ERASED_USER, [tenantId, id]);
    return user ?? null;
  }

  async erase(tx: NarrowTransaction, tenantId: string, { id, email }: ErasedUser): Promise<void> {
    await tx.query(ERASE_USER, [tenantId, id, email]);
  }
}

import { type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email-claim.repository.js';
import { REMOVED_DOMAIN, User } from '../people/people.entity.js';
import { ENDED_ACCESS } from '../sessions/access-removal.service.js';

/** Holds the owners who can sign in, in the order of every change, so that two cannot leave at once. $1: tenant. */
export const LOCK_OWNERS = `
  SELECT id FROM app_user WHERE tenant_id = $1 AND status = 'active' AND roles @> ARRAY['owner']
   ORDER BY id FOR UPDATE`;

/** $1: tenant, $2: user. */
export const LOCK_LEAVING_USER =
  'SELECT id, email, name, roles, status FROM app_user WHERE tenant_id = $1 AND id = $2 FOR UPDATE';

/** What ties a user to a person, an address or a host. A row of the address that nobody has proven goes; a person's has moved. */
const TIES = `
  claims AS (DELETE FROM email_claim WHERE user_id = $2 AND tenant_id = $1),
  memberships AS (DELETE FROM membership WHERE user_id = $2 AND tenant_id = $1),
  locals AS (DELETE FROM local_account WHERE user_id = $2 AND tenant_id = $1),
  links AS (DELETE FROM embed_user WHERE tenant_id = $1 AND user_id = $2),
  sign_ins AS (
    DELETE FROM sign_in_email
     WHERE email IN (SELECT email FROM address) AND tenant_id = $1 AND user_id = $2 AND person_id IS NULL)`;

/**
 * Every table with rows of a user has to be here, unless they go with the user by a reference; a test looks for the id
 * in all of them. Keys that the user made for service accounts stay, and so does what undoes a change of the address while the
 * person is in other workspaces: anyone who erases can be a thief. $1: tenant, $2: user, $3: present address.
 */
export const ERASE_USER = `
  WITH elsewhere AS (
    SELECT 1 FROM membership own JOIN membership other USING (person_id)
     WHERE own.user_id = $2 AND other.user_id <> own.user_id),
  change AS (
    SELECT id, old_email, new_email FROM email_change
     WHERE tenant_id = $1 AND user_id = $2 AND (confirmed_at IS NULL OR NOT EXISTS (SELECT 1 FROM elsewhere))),
  address AS (
    SELECT $3::text AS email UNION SELECT old_email FROM change UNION SELECT new_email FROM change),
  ${ENDED_ACCESS},
  undos AS (
    DELETE FROM email_change
     WHERE tenant_id = $1 AND confirmed_at IS NOT NULL AND id IN (SELECT id FROM change)),
  ${TIES},
  mails AS (DELETE FROM mail WHERE tenant_id = $1 AND recipient IN (SELECT email FROM address))
  DELETE FROM app_user WHERE tenant_id = $1 AND id = $2`;

/** The row stays, so that ids in records have a name; its address can be invited again. $1: tenant, $2: user, $3: address. */
export const REMOVE_USER = `
  WITH address AS (SELECT $3::text AS email), ${TIES}
  UPDATE app_user SET status = 'disabled', email = 'removed-' || id || '${REMOVED_DOMAIN}'
   WHERE tenant_id = $1 AND id = $2`;

/** Also of addresses that are kept for the person. $1: person, $2: user who has left, $3: tenant and $4: user of another membership. */
export const MOVE_ADDRESSES = `
  UPDATE sign_in_email SET tenant_id = $3, user_id = $4 WHERE person_id = $1 AND user_id = $2`;

/** $1: person. */
export const END_PERSON = `
  WITH changes AS (
    DELETE FROM email_change WHERE old_email IN (SELECT email FROM sign_in_email WHERE person_id = $1)),
  addresses AS (DELETE FROM sign_in_email WHERE person_id = $1) DELETE FROM person WHERE id = $1`;

export type LeavingUser = Pick<User, 'id' | 'email' | 'name' | 'roles' | 'status'>;

@Injectable()
export class ErasureRepository {
  async lockOwners(tx: NarrowTransaction, tenantId: string): Promise<string[]> {
    const owners = await tx.query<{ id: string }>(LOCK_OWNERS, [tenantId]);
    return owners.map(({ id }) => id);
  }

  async lockUser(tx: NarrowTransaction, tenantId: string, id: string): Promise<LeavingUser | null> {
    const [user] = await tx.query<LeavingUser>(LOCK_LEAVING_USER, [tenantId, id]);
    return user ?? null;
  }

  async erase(tx: NarrowTransaction, tenantId: string, { id, email }: LeavingUser): Promise<void> {
    await tx.query(ERASE_USER, [tenantId, id, email]);
  }

  async remove(tx: NarrowTransaction, tenantId: string, { id, email }: LeavingUser): Promise<void> {
    await tx.query(REMOVE_USER, [tenantId, id, email]);
  }

  async moveAddresses(tx: NarrowTransaction, personId: string, userId: string, to: EmailHolder): Promise<void> {
    await tx.query(MOVE_ADDRESSES, [personId, userId, to.tenantId, to.userId]);
  }

  async endPerson(tx: NarrowTransaction, personId: string): Promise<void> {
    await tx.query(END_PERSON, [personId]);
  }
}

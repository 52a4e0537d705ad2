import { type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { hasChangedOne } from '../tenant-row.js';
import { Passkey } from './passkey.entity.js';

/** Spends a challenge; gives no row when it was spent before. $1: tenant, $2: challenge, $3: when it expires. */
export const SPEND_CHALLENGE = `
  INSERT INTO spent_passkey_challenge (tenant_id, id, expires_at) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, id) DO NOTHING
  RETURNING id`;

/**
 * Notes a use; gives no row when the counter has not grown, so that of two uses with the same counter at once one is accepted.
 * An authenticator that does not count says 0 every time. $1: tenant, $2: passkey, $3: counter, $4: whether it is backed up.
 */
export const USE_PASSKEY = `
  UPDATE passkey SET counter = $3, backed_up = $4, last_used_at = now()
   WHERE tenant_id = $1 AND id = $2 AND (counter < $3 OR (counter = 0 AND $3 = 0))
  RETURNING id`;

/** $1: tenant, $2: user. */
export const FIND_ANY_PASSKEY = 'SELECT 1 FROM passkey WHERE tenant_id = $1 AND user_id = $2 LIMIT 1';

export type NewPasskey = Pick<
  Passkey,
  'id' | 'userId' | 'credentialId' | 'publicKey' | 'counter' | 'backedUp' | 'transports' | 'name' | 'personProven'
>;

@Injectable()
export class PasskeyRepository {
  /** Fails with a violation of `passkey_credential_id_key` where the tenant knows the credential. */
  async insert(tx: TenantTransaction, passkey: NewPasskey): Promise<void> {
    await tx.repository(Passkey).insert(passkey);
  }

  /** The oldest first; a user has a few. */
  async list(tx: TenantTransaction, userId: string): Promise<Passkey[]> {
    return tx.repository(Passkey).find({ where: { tenantId: tx.tenantId, userId }, order: { id: 'ASC' } });
  }

  async hasAny(tx: TenantTransaction, userId: string): Promise<boolean> {
    return (await tx.queryPrepared(FIND_ANY_PASSKEY, [tx.tenantId, userId])).length === 1;
  }

  async find(tx: TenantTransaction, userId: string, id: string): Promise<Passkey | null> {
    return tx.repository(Passkey).findOneBy({ tenantId: tx.tenantId, userId, id });
  }

  /** Keeps a passkey until the transaction ends. @returns whether it is there */
  async hold(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    const where = { tenantId: tx.tenantId, userId, id };
    return (await tx.repository(Passkey).findOne({ where, lock: { mode: 'pessimistic_read' } })) !== null;
  }

  async findByCredential(tx: TenantTransaction, userId: string, credentialId: Buffer): Promise<Passkey | null> {
    return tx.repository(Passkey).findOneBy({ tenantId: tx.tenantId, userId, credentialId });
  }

  async use(tx: TenantTransaction, id: string, counter: number, backedUp: boolean): Promise<boolean> {
    return (await tx.query(USE_PASSKEY, [tx.tenantId, id, counter, backedUp])).length === 1;
  }

  async rename(tx: TenantTransaction, userId: string, id: string, name: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Passkey).update({ tenantId: tx.tenantId, userId, id }, { name }));
  }

  async delete(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Passkey).delete({ tenantId: tx.tenantId, userId, id }));
  }

  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.repository(Passkey).delete({ tenantId: tx.tenantId, userId });
  }
}

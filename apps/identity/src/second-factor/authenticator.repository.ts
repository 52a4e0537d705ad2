import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE, hasChangedOne } from '../tenant-row.js';
import { Authenticator } from './second-factor.entity.js';

/** Replaces an unfinished enrolment; no row while an authenticator is in use. $1: tenant, $2: user, $3: sealed secret. */
export const START_ENROLMENT = `
  INSERT INTO authenticator AS a (tenant_id, user_id, sealed_secret) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, created_at = now()
   WHERE a.confirmed_at IS NULL
  RETURNING user_id`;

/** Uses up a step; no row when it or a later one was used. $1: tenant, $2: user, $3: step. */
export const USE_STEP = `
  UPDATE authenticator SET last_step = $3
   WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < $3)
  RETURNING user_id`;

/** $1: tenant, $2: user. */
export const FIND_AUTHENTICATOR_IN_USE = `
  SELECT 1 FROM authenticator WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NOT NULL`;

@Injectable()
export class AuthenticatorRepository {
  /** @returns whether it began: not while the user has an authenticator */
  async start(tx: TenantTransaction, userId: string, sealedSecret: Buffer): Promise<boolean> {
    return (await tx.query(START_ENROLMENT, [tx.tenantId, userId, sealedSecret])).length === 1;
  }

  async find(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOneBy({ tenantId: tx.tenantId, userId });
  }

  async lock(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOne({ where: { tenantId: tx.tenantId, userId }, lock: FOR_UPDATE });
  }

  async isInUse(tx: TenantTransaction, userId: string): Promise<boolean> {
    return (await tx.queryPrepared(FIND_AUTHENTICATOR_IN_USE, [tx.tenantId, userId])).length === 1;
  }

  async confirm(tx: TenantTransaction, userId: string, lastStep: number, personProven: boolean): Promise<void> {
    await tx
      .repository(Authenticator)
      .update({ tenantId: tx.tenantId, userId }, { confirmedAt: secondsFromNow(0), lastStep, personProven });
  }

  async useStep(tx: TenantTransaction, userId: string, step: number): Promise<boolean> {
    return (await tx.query(USE_STEP, [tx.tenantId, userId, step])).length === 1;
  }

  async delete(tx: TenantTransaction, userId: string): Promise<boolean> {
    return hasChangedOne(await tx.repository(Authenticator).delete({ tenantId: tx.tenantId, userId }));
  }
}

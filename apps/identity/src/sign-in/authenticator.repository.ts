import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Authenticator } from './authenticator.entity.js';
import { FIND_AUTHENTICATOR_IN_USE, START_ENROLMENT, USE_STEP } from './authenticator.sql.js';

@Injectable()
export class AuthenticatorRepository {
  /** @returns whether it began: not while the user has an authenticator */
  async start(tx: TenantTransaction, userId: string, sealedSecret: Buffer): Promise<boolean> {
    return (await tx.query(START_ENROLMENT, [tx.tenantId, userId, sealedSecret])).length === 1;
  }

  /** The authenticator in use, or the unfinished enrolment, of a user. */
  async find(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOneBy({ tenantId: tx.tenantId, userId });
  }

  /** Like find, and holds the row until the transaction ends. */
  async lock(tx: TenantTransaction, userId: string): Promise<Authenticator | null> {
    return tx.repository(Authenticator).findOne({
      where: { tenantId: tx.tenantId, userId },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Whether the user has an authenticator in use. */
  async isInUse(tx: TenantTransaction, userId: string): Promise<boolean> {
    return (await tx.queryPrepared(FIND_AUTHENTICATOR_IN_USE, [tx.tenantId, userId])).length === 1;
  }

  /** Finishes an enrolment with the step of the code that confirmed it. */
  async confirm(tx: TenantTransaction, userId: string, lastStep: number): Promise<void> {
    await tx
      .repository(Authenticator)
      .update({ tenantId: tx.tenantId, userId }, { confirmedAt: secondsFromNow(0), lastStep });
  }

  /** @returns whether the code of the step was not used before */
  async useStep(tx: TenantTransaction, userId: string, step: number): Promise<boolean> {
    return (await tx.query(USE_STEP, [tx.tenantId, userId, step])).length === 1;
  }

  /** @returns whether there was one */
  async delete(tx: TenantTransaction, userId: string): Promise<boolean> {
    const { affected } = await tx.repository(Authenticator).delete({ tenantId: tx.tenantId, userId });
    return affected === 1;
  }
}

import { secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Invitation } from './invitation.entity.js';

export interface NewInvitation extends Pick<Invitation, 'tenantId' | 'id' | 'userId' | 'secretHash'> {
  validSeconds: number;
}

@Injectable()
export class InvitationRepository {
  async insert(tx: Transaction, { validSeconds, ...invitation }: NewInvitation): Promise<void> {
    await tx.repository(Invitation).insert({ ...invitation, expiresAt: secondsFromNow(validSeconds) });
  }

  async find(tx: TenantTransaction, id: string): Promise<Invitation | null> {
    return tx.repository(Invitation).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends, so that an invitation is accepted once. */
  async lock(tx: TenantTransaction, id: string): Promise<Invitation | null> {
    return tx
      .repository(Invitation)
      .findOne({ where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } });
  }

  async markAccepted(tx: TenantTransaction, id: string): Promise<void> {
    await tx.repository(Invitation).update({ tenantId: tx.tenantId, id }, { acceptedAt: new Date() });
  }

  /** Deletes the invitations of a user that were not accepted. */
  async deletePending(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.repository(Invitation).delete({ tenantId: tx.tenantId, userId, acceptedAt: IsNull() });
  }
}

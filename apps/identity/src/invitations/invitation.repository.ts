import { secondsFromNow, type TenantTransaction, type Transaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { type NewLink } from '../tenant-row.js';
import { Invitation } from './invitation.entity.js';

@Injectable()
export class InvitationRepository {
  async insert(tx: Transaction, { validSeconds, ...invitation }: NewLink<Invitation, 'tenantId'>): Promise<void> {
    await tx.repository(Invitation).insert({ ...invitation, expiresAt: secondsFromNow(validSeconds) });
  }

  async find(tx: TenantTransaction, id: string): Promise<Invitation | null> {
    return tx.repository(Invitation).findOneBy({ tenantId: tx.tenantId, id });
  }

  async deleteOfUser(tx: Transaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(Invitation).delete({ tenantId, userId });
  }
}

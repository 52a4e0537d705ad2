import { type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE } from '../tenant-row.js';
import { Operator } from './operator.entity.js';

export type NewOperator = Pick<Operator, 'id' | 'email' | 'name' | 'passwordHash' | 'role' | 'linkedTenantId'> &
  Partial<InitialPassword>;

export type InitialPassword = Pick<Operator, 'passwordHash' | 'initialPasswordUntil'>;

export type OperatorChanges = Partial<Pick<Operator, 'name' | 'role' | 'status' | 'linkedTenantId'>>;

@Injectable()
export class OperatorRepository {
  async findByEmail(tx: TenantTransaction, email: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ tenantId: tx.tenantId, email });
  }

  async find(tx: TenantTransaction, id: string): Promise<Operator | null> {
    return tx.repository(Operator).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** @param epoch in which they have proven who they are; null is returned when it is over */
  async lockForIssue(tx: TenantTransaction, id: string, epoch?: number): Promise<Operator | null> {
    const where = { tenantId: tx.tenantId, id, ...(epoch !== undefined && { signInEpoch: epoch }) };
    return tx.repository(Operator).findOne({ where, lock: { mode: 'pessimistic_read' } });
  }

  async lock(tx: TenantTransaction, id: string): Promise<Operator | null> {
    return tx.repository(Operator).findOne({ where: { tenantId: tx.tenantId, id }, lock: FOR_UPDATE });
  }

  /** Locks and counts the administrators who can sign in, so that two of them cannot step down at once. */
  async lockActiveAdministrators(tx: TenantTransaction): Promise<number> {
    const administrators = await tx.repository(Operator).find({
      select: { tenantId: true, id: true },
      where: { tenantId: tx.tenantId, status: 'active', role: 'administrator' },
      order: { id: 'ASC' },
      lock: FOR_UPDATE,
    });
    return administrators.length;
  }

  async list(tx: TenantTransaction): Promise<Operator[]> {
    return tx.repository(Operator).find({ where: { tenantId: tx.tenantId }, order: { id: 'ASC' } });
  }

  async insertMissing(tx: TenantTransaction, operator: NewOperator): Promise<void> {
    await tx
      .repository(Operator)
      .createQueryBuilder()
      .insert()
      .values({ tenantId: tx.tenantId, ...operator })
      .orIgnore()
      .execute();
  }

  async update(tx: TenantTransaction, id: string, changes: OperatorChanges | InitialPassword): Promise<void> {
    await tx.repository(Operator).update({ tenantId: tx.tenantId, id }, { ...changes });
  }
}

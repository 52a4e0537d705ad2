import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { TenantSuspension } from './suspension.entity.js';
import { END_SIGN_INS_OF_TENANT } from './suspension.sql.js';

/** What a suspension or a reinstatement has ended. */
export interface EndedSignIns {
  readonly sessions: number;
  /** What apps did for users. */
  readonly grants: number;
}

@Injectable()
export class SuspensionRepository {
  /** The last suspension of the tenant in context; the caller holds the tenant's row. */
  async find(tx: TenantTransaction): Promise<TenantSuspension | null> {
    return tx.repository(TenantSuspension).findOneBy({ tenantId: tx.tenantId });
  }

  async store(tx: TenantTransaction, suspension: Omit<TenantSuspension, 'tenantId'>): Promise<void> {
    await tx.repository(TenantSuspension).upsert({ tenantId: tx.tenantId, ...suspension }, ['tenantId']);
  }

  /** Sessions, grants, and sign-ins that are half done. */
  async endSignIns(tx: TenantTransaction): Promise<EndedSignIns> {
    const [ended] = await tx.query<EndedSignIns>(END_SIGN_INS_OF_TENANT, [tx.tenantId]);
    return ended ?? { sessions: 0, grants: 0 };
  }

  /** A page of those in force, the last suspended first, and how many there are. */
  async listInForce(
    tx: NarrowTransaction,
    { after, limit, offset, counts }: ListPage,
  ): Promise<{ suspensions: TenantSuspension[]; counted: number }> {
    const inForce = { reinstatedAt: IsNull() };
    const afterAt = new Date(after?.value ?? 0);
    const where = after
      ? [
          { ...inForce, suspendedAt: LessThan(afterAt) },
          { ...inForce, suspendedAt: afterAt, tenantId: LessThan(after.id) },
        ]
      : inForce;
    const suspensions = await tx
      .repository(TenantSuspension)
      .find({ where, order: { suspendedAt: 'DESC', tenantId: 'DESC' }, take: limit, skip: offset });
    return { suspensions, counted: counts ? await tx.repository(TenantSuspension).countBy(inForce) : 0 };
  }
}

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { TenantSuspension } from './suspension.entity.js';

/**
 * Ends what people and apps that act for them are signed in with, and what would sign them in. API keys and credentials of
 * programs stay: they are refused while the workspace is suspended. $1: tenant.
 */
export const END_SIGN_INS_OF_TENANT = `
  WITH at_provider AS (DELETE FROM provider_sign_in WHERE tenant_id = $1),
  challenged AS (DELETE FROM mfa_challenge WHERE tenant_id = $1),
  authorized AS (DELETE FROM oauth_code WHERE tenant_id = $1),
  granted AS (DELETE FROM oauth_grant WHERE tenant_id = $1 RETURNING 1),
  signed_in AS (DELETE FROM session WHERE tenant_id = $1 RETURNING 1)
  SELECT (SELECT count(*)::int FROM signed_in) AS sessions, (SELECT count(*)::int FROM granted) AS grants`;

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

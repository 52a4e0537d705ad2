import { type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { type ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThan } from 'typeorm';
import { TenantSuspension } from './suspension.entity.js';

/** Ends what would sign in people and the apps that act for them; programs are refused by the suspension. $1: tenant. */
export const END_SIGN_INS_OF_TENANT = `
  WITH at_provider AS (DELETE FROM provider_sign_in WHERE tenant_id = $1),
  challenged AS (DELETE FROM mfa_challenge WHERE tenant_id = $1),
  authorized AS (DELETE FROM oauth_code WHERE tenant_id = $1),
  granted AS (DELETE FROM oauth_grant WHERE tenant_id = $1 RETURNING 1),
  signed_in AS (DELETE FROM session WHERE tenant_id = $1 RETURNING 1)
  SELECT (SELECT count(*)::int FROM signed_in) AS sessions, (SELECT count(*)::int FROM granted) AS grants`;

export interface EndedSignIns {
  readonly sessions: number;
  readonly grants: number;
}

@Injectable()
export class SuspensionRepository {
  async find(tx: TenantTransaction): Promise<TenantSuspension | null> {
    return tx.repository(TenantSuspension).findOneBy({ tenantId: tx.tenantId });
  }

  async store(tx: TenantTransaction, suspension: Omit<TenantSuspension, 'tenantId'>): Promise<void> {
    await tx.repository(TenantSuspension).upsert({ tenantId: tx.tenantId, ...suspension }, ['tenantId']);
  }

  async endSignIns(tx: TenantTransaction): Promise<EndedSignIns> {
    const [ended] = await tx.query<EndedSignIns>(END_SIGN_INS_OF_TENANT, [tx.tenantId]);
    return ended ?? { sessions: 0, grants: 0 };
  }

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

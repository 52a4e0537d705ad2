import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FOR_UPDATE, type WorkspaceTransaction } from '../tenant-row.js';
import { WorkspaceRole } from './role.entity.js';

/** Roles of users who were not removed, by the index of those with roles that are not built in; of service accounts and providers. $1: tenant. */
const HELD = `
  SELECT unnest(roles) AS name FROM app_user
   WHERE tenant_id = $1 AND NOT roles <@ '{owner,admin,member,viewer}'::text[] AND email NOT LIKE '%@invalid'
  UNION ALL SELECT unnest(roles) FROM service_account WHERE tenant_id = $1
  UNION ALL SELECT unnest(default_roles) FROM identity_provider WHERE tenant_id = $1`;

/** $1: tenant. */
const LIST_HELD_ROLES = `SELECT DISTINCT name FROM (${HELD}) AS held`;

/** $1: tenant, $2: role. */
const COUNT_HOLDERS = `SELECT count(*)::integer AS holders FROM (${HELD}) AS held WHERE name = $2`;

/** $1: tenant, $2: roles. */
const HOLD_ROLES = 'SELECT name FROM workspace_role WHERE tenant_id = $1 AND name = ANY ($2) FOR KEY SHARE';

@Injectable()
export class RoleRepository {
  async list(tx: TenantTransaction): Promise<WorkspaceRole[]> {
    return tx.repository(WorkspaceRole).find({ where: { tenantId: tx.tenantId }, order: { name: 'ASC' } });
  }

  /** The names that users, service accounts and identity providers have, built-in ones too. */
  async listHeld(tx: TenantTransaction): Promise<string[]> {
    const rows = await tx.query<{ name: string }>(LIST_HELD_ROLES, [tx.tenantId]);
    return rows.map(({ name }) => name);
  }

  async countHolders(tx: TenantTransaction, name: string): Promise<number> {
    const [row] = await tx.query<{ holders: number }>(COUNT_HOLDERS, [tx.tenantId, name]);
    return row?.holders ?? 0;
  }

  /** Until the transaction ends none of them is removed. @returns how many there are */
  async hold(tx: WorkspaceTransaction, tenantId: string, names: readonly string[]): Promise<number> {
    return (await tx.query(HOLD_ROLES, [tenantId, names])).length;
  }

  /** Nobody is given the role until the transaction ends. */
  async lock(tx: TenantTransaction, name: string): Promise<WorkspaceRole | null> {
    return tx.repository(WorkspaceRole).findOne({ where: { tenantId: tx.tenantId, name }, lock: FOR_UPDATE });
  }

  async insert(tx: TenantTransaction, role: Pick<WorkspaceRole, 'name' | 'label'>): Promise<void> {
    await tx.repository(WorkspaceRole).insert({ tenantId: tx.tenantId, ...role });
  }

  async delete(tx: TenantTransaction, name: string): Promise<void> {
    await tx.repository(WorkspaceRole).delete({ tenantId: tx.tenantId, name });
  }
}

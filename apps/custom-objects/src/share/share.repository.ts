import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { SharedAccess } from '../object/object-definition.js';
import { ObjectShare } from './share.entity.js';

/** Writes shares; they are read with the definition of their object. */
@Injectable()
export class ShareRepository {
  async save(tx: TenantTransaction, objectId: string, appKey: string, access: SharedAccess): Promise<void> {
    const { tenantId } = tx;
    await tx.repository(ObjectShare).upsert({ tenantId, objectId, appKey, access }, ['tenantId', 'objectId', 'appKey']);
  }

  async delete(tx: TenantTransaction, objectId: string, appKey: string): Promise<void> {
    await tx.repository(ObjectShare).delete({ tenantId: tx.tenantId, objectId, appKey });
  }
}

import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredSecrets } from '../signing-secret/live-secrets.js';
import type { Receiver } from './receiver.js';
import { LIST_RECEIVERS } from './receiver.sql.js';

/** A subscription with its own sealed secrets and headers. */
export type StoredReceiver = Omit<Receiver, 'tenantId' | 'isRemoved' | 'origin' | 'createdAt' | 'signer' | 'headers'> &
  StoredSecrets & { readonly createdAt: Date; readonly sealedHeaders: Buffer | null };

@Injectable()
export class ReceiverRepository {
  /** The number of a tenant's subscriptions is bounded. */
  list(tx: TenantTransaction): Promise<StoredReceiver[]> {
    return tx.query<StoredReceiver>(LIST_RECEIVERS, [tx.tenantId]);
  }
}

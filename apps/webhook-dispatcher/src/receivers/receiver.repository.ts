import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredSecrets } from '../subscriptions/signing-secret.service.js';
import type { Receiver } from './receiver.js';

/** All subscriptions of a tenant, also removed ones. $1: the tenant. */
export const LIST_RECEIVERS = `
  SELECT id AS "subscriptionId", app_key AS "appKey", installation_id AS "installationId", url, events, filter, enabled,
         rate_limit AS "rateLimit", ordering, on_stall AS "onStall", failing_since AS "failingSince",
         failed_at AS "failedAt", failing_hours AS "failingHours", removed_at AS "removedAt",
         created_at AS "createdAt", secret, previous_secret AS "previousSecret",
         previous_secret_until AS "previousSecretUntil", headers AS "sealedHeaders"
    FROM webhook_subscription WHERE tenant_id = $1 ORDER BY id`;

export type StoredReceiver = Omit<Receiver, 'tenantId' | 'isRemoved' | 'origin' | 'createdAt' | 'signer' | 'headers'> &
  StoredSecrets & {
    readonly createdAt: Date;
    readonly removedAt: Date | null;
    readonly sealedHeaders: Buffer | null;
  };

@Injectable()
export class ReceiverRepository {
  /** The number of a tenant's subscriptions is bounded. */
  list(tx: TenantTransaction): Promise<StoredReceiver[]> {
    return tx.query<StoredReceiver>(LIST_RECEIVERS, [tx.tenantId]);
  }
}

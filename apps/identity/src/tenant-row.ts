import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { PrimaryColumn, Raw } from 'typeorm';

/** A row of a tenant. */
export abstract class TenantRow {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
}

/** A row of a tenant with an id. */
export abstract class IdentifiedRow extends TenantRow {
  @PrimaryColumn({ type: 'uuid' }) id: string;
}

/** By the clock of the database server, as all times are. */
export const FUTURE = Raw((column) => `${column} > now()`);

/** Holds what is found until the transaction ends. */
export const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/** Returns whether a change or a removal has found its row: of two at once only one has. */
export const hasChangedOne = ({ affected }: { affected?: number | null }): boolean => affected === 1;

/** One that knows its tenant, by itself or by its origin (`inWorkspace`). */
export type WorkspaceTransaction = TenantTransaction | NarrowTransaction;

import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Column, PrimaryColumn, Raw } from 'typeorm';

/** A row of a tenant. */
export abstract class TenantRow {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
}

/** A row of a tenant with an id. */
export abstract class IdentifiedRow extends TenantRow {
  @PrimaryColumn({ type: 'uuid' }) id: string;
}

/** A link that was sent to a user. */
export abstract class LinkRow extends IdentifiedRow {
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;

  /** SHA-256 of the secret part of its token. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash: Buffer;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

export type NewLink<Row extends LinkRow, More extends keyof Row = never> = Pick<
  Row,
  'id' | 'userId' | 'secretHash' | More
> & { validSeconds: number };

/** By the clock of the database server, as all times are. */
export const FUTURE = Raw((column) => `${column} > now()`);

/** Holds what is found until the transaction ends. */
export const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/** Returns whether a change or a removal has found its row: of two at once only one has. */
export const hasChangedOne = ({ affected }: { affected?: number | null }): boolean => affected === 1;

/** One that knows its tenant, by itself or by its origin (`inWorkspace`). */
export type WorkspaceTransaction = TenantTransaction | NarrowTransaction;

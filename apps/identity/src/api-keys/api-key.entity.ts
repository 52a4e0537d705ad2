import type { Scope } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../tenant-row.js';

/** Whom a key acts for. */
export type ApiKeyOwnerKind = 'user' | 'service';

/** An API key that has not been ended. Ended keys are deleted; expired ones stay for a month, so that their owner sees why. */
@Entity({ name: 'api_key' })
export class ApiKey extends TenantRow {
  /** The `sid` of the tokens that the key is exchanged for. */
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'owner_kind', type: 'text' }) ownerKind: ApiKeyOwnerKind;

  /** The user or the service account. */
  @Column({ name: 'owner_id', type: 'uuid' }) ownerId: string;
  @Column({ type: 'text' }) name: string;

  /** The scopes of a user's key; those of a service account are the account's. */
  @Column({ type: 'text', array: true }) scopes: string[];

  /** SHA-256 of the key. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash: Buffer;

  /** The user who made it. */
  @Column({ name: 'created_by', type: 'uuid' }) createdBy: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;

  /** To five minutes; null until it is used. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true }) lastUsedAt: Date | null;

  /** Where it was used then. */
  @Column({ name: 'last_address', type: 'text', nullable: true }) lastAddress: string | null;
}

/** Keys of a disabled account are refused until it is active again. */
export type ServiceAccountStatus = 'active' | 'disabled';

/** A program of a tenant, with a name, roles and scopes. It calls with API keys and cannot sign in. */
@Entity({ name: 'service_account' })
export class ServiceAccount extends TenantRow {
  /** The `sub` of its tokens. */
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text', array: true }) roles: string[];
  @Column({ type: 'text', array: true }) scopes: Scope[];
  @Column({ type: 'text' }) status: ServiceAccountStatus;

  /** The user who made it. */
  @Column({ name: 'created_by', type: 'uuid' }) createdBy: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

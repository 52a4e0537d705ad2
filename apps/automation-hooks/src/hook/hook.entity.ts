import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How a hook call is recognised, before its tenant is known: a global table that the narrow role reaches. */
@Entity({ name: 'hook' })
export class Hook {
  @PrimaryColumn({ name: 'workflow_id', type: 'uuid' }) workflowId: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;

  /** SHA-256 of the secret. */
  @Column({ name: 'secret_hash', type: 'bytea' }) secretHash: Buffer;
  @Column({ name: 'secret_created_at', type: 'timestamptz' }) secretCreatedAt: Date;

  /** To five minutes. */
  @Column({ name: 'secret_last_used_at', type: 'timestamptz', nullable: true }) secretLastUsedAt: Date | null;

  /** The secret before this one, valid for an overlap. */
  @Column({ name: 'previous_secret_hash', type: 'bytea', nullable: true }) previousSecretHash: Buffer | null;

  @Column({ name: 'previous_secret_created_at', type: 'timestamptz', nullable: true })
  previousSecretCreatedAt: Date | null;

  @Column({ name: 'previous_secret_last_used_at', type: 'timestamptz', nullable: true })
  previousSecretLastUsedAt: Date | null;

  @Column({ name: 'previous_valid_until', type: 'timestamptz', nullable: true }) previousValidUntil: Date | null;
}

/** The secret of a hook, sealed, so that administrators can be shown its URL again. */
@Entity({ name: 'hook_secret' })
export class HookSecret {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ name: 'workflow_id', type: 'uuid' }) workflowId: string;
  @Column({ type: 'bytea' }) sealed: Buffer;
}

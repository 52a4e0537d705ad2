import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { Ordering, StallRule } from './subscription.js';

/** Finds do not select the sealed secrets, so that no answer has them. */
@Entity({ name: 'webhook_subscription' })
export class Subscription {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;

  /** The installation it belongs to; null when the tenant created it. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true }) installationId: string | null;
  @Column({ name: 'app_key', type: 'text', nullable: true }) appKey: string | null;

  @Column({ type: 'boolean' }) sandbox: boolean;
  @Column({ type: 'text' }) url: string;
  @Column({ type: 'text', array: true }) events: string[];
  @Column({ type: 'text', nullable: true }) description: string | null;

  /** A formula over the data of a delivery. */
  @Column({ type: 'text', nullable: true }) filter: string | null;

  /** Attempts a second that may begin. */
  @Column({ name: 'rate_limit', type: 'integer', nullable: true }) rateLimit: number | null;
  @Column({ type: 'boolean' }) enabled: boolean;

  /** Null for one that is active or paused. */
  @Column({ name: 'disabled_reason', type: 'text', nullable: true }) disabledReason: string | null;
  @Column({ type: 'text' }) ordering: Ordering;
  @Column({ name: 'on_stall', type: 'text' }) onStall: StallRule;

  /** `whpk_…` of the private key in `secret`; null for a shared secret. */
  @Column({ name: 'public_key', type: 'text', nullable: true }) publicKey: string | null;
  @Column({ name: 'headers', type: 'bytea', nullable: true }) sealedHeaders: Buffer | null;

  /** Null for a subscription of an app, which signs with the secret of the app. */
  @Column({ type: 'bytea', nullable: true, select: false }) secret: Buffer | null;
  @Column({ name: 'previous_secret', type: 'bytea', nullable: true, select: false }) previousSecret: Buffer | null;

  @Column({ name: 'previous_secret_until', type: 'timestamptz', nullable: true, select: false })
  previousSecretUntil: Date | null;

  @Column({ name: 'failing_since', type: 'timestamptz', nullable: true }) failingSince: Date | null;

  /** Some failure in the last hour that had one. */
  @Column({ name: 'failed_at', type: 'timestamptz', nullable: true }) failedAt: Date | null;

  /** How many hours since `failingSince` had failures. */
  @Column({ name: 'failing_hours', type: 'integer' }) failingHours: number;

  /** Until when its receiver is left alone. */
  @Column({ name: 'paused_until', type: 'timestamptz', nullable: true }) pausedUntil: Date | null;

  /** When its app was uninstalled, until the app has been told; then it gets that one event and nobody sees it. */
  @Column({ name: 'removed_at', type: 'timestamptz', nullable: true }) removedAt: Date | null;
  /** Updates increase it, so that a process notices that it has missed one. */
  @VersionColumn({ type: 'integer' }) version: number;
  @Column({ name: 'created_by', type: 'uuid' }) createdBy: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

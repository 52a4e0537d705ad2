import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What is left of a subscription whose installation was removed, so that the app can still be told that it was: it is the
 * receiver of that one event. Has no secret, because subscriptions of apps sign with the secret of the app.
 */
@Entity({ name: 'removed_subscription' })
export class RemovedSubscription {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** Of the subscription. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ name: 'removed_at', type: 'timestamptz' })
  removedAt: Date;
}

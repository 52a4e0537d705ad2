import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The secret that the webhooks of an app are signed with. */
@Entity({ name: 'app_webhook_secret' })
export class WebhookSecret {
  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  /** The secret, encrypted for this app. */
  @Column({ type: 'bytea' })
  sealed: Buffer;
}

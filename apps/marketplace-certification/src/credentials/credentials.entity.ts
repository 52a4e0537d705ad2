import type { OAuthAppStatus } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'app_webhook_secret' })
export class WebhookSecret {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ type: 'bytea' }) sealed: Buffer;
}

/** A decision about an app that identity has yet to learn. Gone once it has. */
@Entity({ name: 'client_status' })
export class ClientStatus {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ type: 'text', nullable: true }) status: OAuthAppStatus | null;

  /** True when a version was published whose settings identity does not have yet. */
  @Column({ name: 'settings_changed', type: 'boolean' }) settingsChanged: boolean;
  @Column({ name: 'decided_at', type: 'timestamptz' }) decidedAt: Date;
}

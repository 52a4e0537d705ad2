import type { OAuthAppStatus } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What holds for an app in every workspace. An app without a row is active and has no redirect URIs. */
@Entity({ name: 'oauth_app' })
export class OAuthApp {
  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  /** Of the published version. */
  @Column({ name: 'redirect_uris', type: 'text', array: true })
  redirectUris: string[];

  @Column({ type: 'text' })
  status: OAuthAppStatus;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

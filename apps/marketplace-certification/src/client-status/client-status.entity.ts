import type { OAuthAppStatus } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A decision about an app that identity has yet to learn. Gone once it has. */
@Entity({ name: 'client_status' })
export class ClientStatus {
  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ type: 'text' })
  status: OAuthAppStatus;

  @Column({ name: 'decided_at', type: 'timestamptz' })
  decidedAt: Date;
}

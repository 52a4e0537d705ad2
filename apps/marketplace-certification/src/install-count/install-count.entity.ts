import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many tenants have an app installed, sandboxes excepted. */
@Entity({ name: 'install_count' })
export class InstallCount {
  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ type: 'bigint', transformer: bigintAsNumber })
  installs: number;
}

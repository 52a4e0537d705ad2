import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { InstallCount } from './installation.entity.js';

/** $1: key of the app, $2: 1 or -1. An app that was never installed has no row. */
const COUNT_INSTALL = `
  INSERT INTO install_count AS counted (app_key, installs) VALUES ($1, greatest($2::bigint, 0))
  ON CONFLICT (app_key) DO UPDATE SET installs = counted.installs + $2`;

/** Installations of each app over all tenants: a global table that the runtime role reaches. */
@Injectable()
export class InstallCountRepository {
  /** @param by 1 or -1, in the transaction of the change of state that it counts */
  async add(tx: TenantTransaction, appKey: string, by: 1 | -1): Promise<void> {
    await tx.query(COUNT_INSTALL, [appKey, by]);
  }

  /** @returns the counts by key; an app that was never installed has no entry */
  async list(tx: TenantTransaction, appKeys: readonly string[]): Promise<Map<string, number>> {
    const counts = await tx.repository(InstallCount).findBy({ appKey: In(appKeys) });
    return new Map(counts.map(({ appKey, installs }) => [appKey, installs]));
  }
}

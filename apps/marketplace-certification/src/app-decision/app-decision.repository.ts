import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { App } from '../catalogue/app.entity.js';
import { COUNT_APP_INSTALLATIONS, FIND_DECIDED_APP } from './app-decision.sql.js';

/** An app as operators decide on it. */
export interface DecidedApp {
  readonly appKey: string;
  readonly name: string;
  /** The publisher. */
  readonly tenantId: string;
  readonly publisherName: string;
  readonly visibility: string;
  readonly unlistedByOperator: boolean;
  readonly publishedId: string | null;
  readonly publishedVersion: string | null;
  /** The latest one. */
  readonly suspendedId: string | null;
  readonly suspendedVersion: string | null;
  readonly revoked: boolean;
}

export interface InstallationCounts {
  readonly installations: number;
  readonly tenants: number;
  readonly sandboxes: number;
}

@Injectable()
export class AppDecisionRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<DecidedApp | null> {
    const [app] = await tx.query<DecidedApp>(FIND_DECIDED_APP, [appKey]);
    return app ?? null;
  }

  async countInstallations(tx: NarrowTransaction, appKey: string): Promise<InstallationCounts> {
    const [counts] = await tx.query<InstallationCounts>(COUNT_APP_INSTALLATIONS, [appKey]);
    return counts ?? { installations: 0, tenants: 0, sandboxes: 0 };
  }

  /** Takes the app out of the marketplace; who has it keeps it. */
  async hide(tx: NarrowTransaction, appKey: string): Promise<void> {
    await tx.repository(App).update({ key: appKey }, { publishedVersionId: null });
  }

  /** Leaves the app to those who know its key, whatever its next version says. */
  async unlist(tx: NarrowTransaction, appKey: string): Promise<void> {
    await tx.repository(App).update({ key: appKey }, { visibility: 'unlisted', unlistedByOperator: true });
  }
}

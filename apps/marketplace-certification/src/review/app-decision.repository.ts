import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { App } from '../catalogue/catalogue.entity.js';
import type { ImpactView } from './review.dto.js';

/** An app with its publisher and the versions that count. $1: key. */
const FIND_DECIDED_APP = `
  SELECT a.key AS "appKey", a.name, a.tenant_id AS "tenantId", a.publisher_name AS "publisherName", a.visibility,
    a.unlisted_by_operator AS "unlistedByOperator",
    p.id AS "publishedId", p.version AS "publishedVersion", s.id AS "suspendedId", s.version AS "suspendedVersion",
    EXISTS (SELECT 1 FROM app_version r WHERE r.app_key = a.key AND r.status = 'revoked') AS revoked
  FROM app a
    LEFT JOIN app_version p ON p.app_key = a.key AND p.status = 'published'
    LEFT JOIN LATERAL (
      SELECT v.id, v.version FROM app_version v WHERE v.app_key = a.key AND v.status = 'suspended'
       ORDER BY v.published_at DESC, v.id DESC LIMIT 1) AS s ON true
  WHERE a.key = $1`;

const COUNT_APP_INSTALLATIONS = `
  SELECT count(*) FILTER (WHERE NOT sandbox)::int AS installations,
    count(DISTINCT tenant_id) FILTER (WHERE NOT sandbox)::int AS tenants,
    count(*) FILTER (WHERE sandbox)::int AS sandboxes
  FROM installation
  WHERE app_key = $1 AND state IN ('installing', 'active', 'compensating', 'uninstalling')`;

/** $1: key of the app, $2: its publisher. */
const LIST_TENANTS_OF_APP = `
  SELECT DISTINCT tenant_id AS "tenantId" FROM installation
   WHERE app_key = $1 AND tenant_id <> $2 AND state IN ('installing', 'active', 'compensating', 'uninstalling')`;

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

@Injectable()
export class AppDecisionRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<DecidedApp | null> {
    const [app] = await tx.query<DecidedApp>(FIND_DECIDED_APP, [appKey]);
    return app ?? null;
  }

  async countInstallations(tx: NarrowTransaction, appKey: string): Promise<ImpactView> {
    const [counts] = await tx.query<ImpactView>(COUNT_APP_INSTALLATIONS, [appKey]);
    return counts ?? { installations: 0, tenants: 0, sandboxes: 0 };
  }

  /** The workspaces that have the app, but for its publisher. */
  async listTenants(tx: NarrowTransaction, { appKey, tenantId }: Pick<DecidedApp, 'appKey' | 'tenantId'>) {
    const rows = await tx.query<{ tenantId: string }>(LIST_TENANTS_OF_APP, [appKey, tenantId]);
    return rows.map((row) => row.tenantId);
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

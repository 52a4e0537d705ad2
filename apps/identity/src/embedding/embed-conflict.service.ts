import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import {
  assertQuotaLeft,
  Database,
  HOUR_SECONDS,
  inWorkspace,
  type NarrowTransaction,
  type QuotaRule,
  quotaRefusal,
  takeQuota,
} from '@crm/database';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { counter } from '@crm/telemetry';
import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail, appActor } from '../audit/audit-trail.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import type { MintClient } from './embedding.entity.js';

export const embedConflicts = counter(
  'embed_conflicts_total',
  'Mints with an address that a person of another workspace has proven, mints that were refused because an app had too many of them, and mints of host users whose address another user of the workspace has',
  ['outcome'],
);

/** The windows of apps that had conflicts, the latest first. $1: conflicts per window, $2: at most so many. */
export const LIST_EMBED_CONFLICTS = `
  SELECT substr(name, length('embed-conflict:') + 1) AS "appKey", tenant_id AS "tenantId",
    LEAST(used, $1) AS conflicts, used >= $1 AND resets_at > now() AS throttled, resets_at AS "resetsAt"
  FROM quota_use WHERE starts_with(name, 'embed-conflict:') ORDER BY resets_at DESC LIMIT $2`;

/** Per app and hour. A host meets some; who asks for address after address whether it has an account meets many. */
export const CONFLICTS_PER_HOUR = 20;
const MOST_LISTED = 200;

type App = Pick<MintClient, 'appKey' | 'tenantId'>;
interface EmbedConflict {
  readonly appKey: string;
  readonly tenantId: string;
  /** In the window that ends, or ended, at `resetsAt`. */
  readonly conflicts: number;
  readonly throttled: boolean;
  readonly resetsAt: string;
}

/**
 * A mint tells whether a person of another workspace has proven an address. So conflicts are counted per app; when an hour has
 * had its share, every mint whose answer could tell something is refused alike: all but those of a known `sub` with its own address.
 */
@Injectable()
export class EmbedConflictService {
  private readonly logger = new Logger(EmbedConflictService.name);

  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {}

  /** @throws PlatformError RATE_LIMITED when the app has had its conflicts of the hour */
  async assertLeft(tx: NarrowTransaction, app: App): Promise<void> {
    try {
      await assertQuotaLeft(tx, app.tenantId, ruleOf(app));
    } catch (error) {
      throw throttled(error);
    }
  }

  /** Like {@link assertLeft}, with what has been read already. */
  assertLeftOf(app: App, conflicts: { used: number; resetSeconds: number } | null): void {
    if (!conflicts || conflicts.used < CONFLICTS_PER_HOUR) return;
    throw throttled(quotaRefusal(ruleOf(app), conflicts.resetSeconds));
  }

  /** @returns the answer to a conflict: EMBED_IDENTITY_CONFLICT, or RATE_LIMITED once the hour's share is used up */
  async count(app: App): Promise<unknown> {
    try {
      const left = await inWorkspace(this.database, app.tenantId, async (tx) => {
        const remaining = await takeQuota(tx, app.tenantId, ruleOf(app));
        const subject = { kind: 'app', id: app.appKey } as const;
        const action = 'embed_credentials.conflict';
        this.trail.record(tx, { action, outcome: 'failure', actor: appActor(app.appKey), subject });
        return remaining;
      });
      if (left === 0) {
        const { tenantId, appKey } = app;
        const msg = 'The host of an app has presented too many addresses of other workspaces; its mints are throttled';
        this.logger.warn({ msg, tenantId, appKey });
      }
    } catch (error) {
      return throttled(error);
    }
    embedConflicts.inc({ outcome: 'conflict' });
    return new PlatformError('EMBED_IDENTITY_CONFLICT');
  }

  /** The apps with conflicts, for operators. */
  async list(operator: Principal): Promise<EmbedConflict[]> {
    const rows = await this.database.crossTenant((tx) =>
      tx.query<Omit<EmbedConflict, 'resetsAt'> & { resetsAt: Date }>(LIST_EMBED_CONFLICTS, [
        CONFLICTS_PER_HOUR,
        MOST_LISTED,
      ]),
    );
    if (rows.length > 0) {
      await this.database.transaction(PLATFORM_TENANT, (tx) =>
        recordOperatorAct(tx, {
          operator: actingOperator(operator),
          act: 'embed-conflict.view',
          subject: { kind: 'platform', id: 'embed-conflicts' },
          findings: { apps: rows.map(({ appKey, conflicts }) => ({ appKey, conflicts })) },
        }),
      );
    }
    return rows.map((row) => ({ ...row, resetsAt: row.resetsAt.toISOString() }));
  }
}

/** `read_embed_mint` reads the same name. */
const ruleOf = ({ appKey }: App): QuotaRule => ({
  name: `embed-conflict:${appKey}`,
  limit: CONFLICTS_PER_HOUR,
  windowSeconds: HOUR_SECONDS,
  what: 'addresses of other workspaces',
});

function throttled(error: unknown): unknown {
  if (error instanceof PlatformError && error.code === 'RATE_LIMITED') embedConflicts.inc({ outcome: 'throttled' });
  return error;
}

import { pooledRandom, RevocationSource } from '@crm/access';
import { byTenant, Database, isRefusedStatement, NO_TENANT, type Outcome, TENANT_OF_STATEMENT } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { RunBacklog } from '../run/run-backlog.js';
import { LOOP_STOPPED, MAX_DEPTH } from '../run/run-chain.js';

// Hook calls, verified and stored for all tenants by one statement of the narrow role: a call presents no tenant. On a cluster by
// one for the hooks and one for each tenant.

/** How exactly it is known when a secret was last used: a write with every call would cost more than the call. */
const USE_INTERVAL = "interval '5 minutes'";

/** How long a call with the same key is taken for a repetition. */
export const KEY_LIFETIME = "interval '24 hours'";

/**
 * Compares the secrets of calls, in a constant form: one row of each table and two hashes, whether the hook exists or not.
 * Hashing with the random text hides how many bytes are equal; `OFFSET 0` keeps each lookup a lookup by its whole key.
 * @param columns what is selected of `call` and `hook` @param from what is looked up besides
 */
const presentedTo = (columns: string, from = ''): string => `
  SELECT call.n, call.workflow_id, hook.tenant_id, ${columns},
         (CASE WHEN is_current THEN hook.secret_last_used_at ELSE hook.previous_secret_last_used_at END
           > now() - ${USE_INTERVAL}) IS NOT TRUE AS is_use_due
    FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS call (workflow_id, secret_hash, n)
    LEFT JOIN hook ON hook.workflow_id = call.workflow_id
    ${from}
    CROSS JOIN LATERAL (
      SELECT sha256(coalesce(hook.secret_hash, ''::bytea) || $3::bytea) = presented.hash AS is_current,
             (sha256(coalesce(hook.previous_secret_hash, ''::bytea) || $3::bytea) = presented.hash
               AND hook.previous_valid_until > now()) IS TRUE AS is_previous
        FROM (SELECT sha256(call.secret_hash || $3::bytea) AS hash OFFSET 0) AS presented OFFSET 0) AS secret`;

/**
 * Looks up calls by the address they present. $1: workflows, $2: SHA-256 of the secrets, $3: a random text per
 * statement.
 * @param suspended the parameter with the suspended tenants, whose hooks accept nothing
 * @param revoked the parameter with the revoked apps, likewise
 */
const verified = (suspended: string, revoked: string): string =>
  presentedTo(
    `workflow.definition_version,
         ((is_current OR is_previous) AND workflow.enabled AND workflow.trigger_type = 'webhook_received'
           AND hook.tenant_id <> ALL (${suspended}::uuid[])) IS TRUE
           AND (workflow.app_key = ANY (${revoked}::text[])) IS NOT TRUE AS is_accepted`,
    `LEFT JOIN LATERAL (
      SELECT enabled, trigger_type, definition_version, app_key FROM workflow
       WHERE tenant_id = coalesce(hook.tenant_id, '${NO_TENANT}') AND id = call.workflow_id
      OFFSET 0) AS workflow ON true`,
  );

/** Selects whether calls would be accepted, for those that cannot be read. $1 to $3: as in `verified`, $4: suspended tenants, $5: revoked apps. */
export const VERIFY_CALLS = `SELECT n::int, is_accepted AS "isAccepted" FROM (${verified('$4', '$5')}) AS verified ORDER BY n`;

/**
 * Verifies calls and stores a run for each accepted one, unless its key repeats an earlier call or its workflow is over
 * the rate. $1 to $3: as in `verified`; lists of equal length: $4: ids of the new runs, $5: SHA-256 of the keys or
 * null, $6: depths, $7: payloads as a JSON array, $12: traceparents or null. $8: runs a minute, $9: largest depth, $10:
 * code and $11: detail of the error of a deeper run, $13: suspended tenants, $14: tenants with too many runs queued, $15:
 * revoked apps.
 * The rate is a bucket of one minute: `next_at` is at most a minute ahead, `granted` counts the calls of this statement
 * that fit; a full bucket is not locked. One that was set over a minute from now is of a clock that was ahead, and empty. Rows are locked in one order, rates before keys.
 * One row a call: `runId` is null when it is not accepted, over the rate (`retryAfterMs`), or when another statement
 * has just stored its key: asked again, it gives that run.
 */
export const ACCEPT_CALLS = `
  WITH verified AS MATERIALIZED (${verified('$13', '$15')}),
  pace AS MATERIALIZED (SELECT interval '1 minute' / $8::int AS gap, now() + interval '1 minute' AS most),
  known AS MATERIALIZED (
    SELECT verified.*, verified.tenant_id = ANY ($14::uuid[]) AS is_full, new.run_id, new.key_hash, new.depth, new.traceparent, earlier.run_id AS earlier_run_id,
           CASE WHEN rate.set_at < now() + interval '1 minute' THEN rate.next_at END AS next_at
      FROM verified
      JOIN unnest($4::uuid[], $5::bytea[], $6::int[], $12::text[])
           WITH ORDINALITY AS new (run_id, key_hash, depth, traceparent, n) USING (n)
      LEFT JOIN LATERAL (
        SELECT run_id FROM hook_call_key AS key
         WHERE key.tenant_id = verified.tenant_id AND key.workflow_id = verified.workflow_id
           AND key.key_hash = new.key_hash AND key.created_at > now() - ${KEY_LIFETIME}
        OFFSET 0) AS earlier ON true
      LEFT JOIN workflow_rate AS rate
             ON rate.tenant_id = verified.tenant_id AND rate.workflow_id = verified.workflow_id
     WHERE verified.is_accepted),
  wanted AS MATERIALIZED (
    SELECT known.*, row_number() OVER (PARTITION BY known.tenant_id, known.workflow_id ORDER BY known.n) AS place
      FROM known CROSS JOIN pace
     WHERE known.earlier_run_id IS NULL AND NOT known.is_full AND (known.next_at IS NULL OR known.next_at + pace.gap <= pace.most)),
  rated AS (
    INSERT INTO workflow_rate AS rate (tenant_id, workflow_id, next_at, granted)
    SELECT started.tenant_id, started.workflow_id, now() + least(started.runs, $8::int) * pace.gap,
           least(started.runs, $8::int)
      FROM (SELECT tenant_id, workflow_id, count(*)::int AS runs FROM wanted GROUP BY 1, 2 ORDER BY 1, 2) AS started
      CROSS JOIN pace
    ON CONFLICT (tenant_id, workflow_id) DO UPDATE SET (granted, next_at, set_at) = (
      SELECT fitting.runs, goes_on.at + fitting.runs * pace.gap, now()
        FROM pace, LATERAL (
          SELECT CASE WHEN rate.set_at < pace.most THEN greatest(rate.next_at, now()) ELSE now() END AS at) AS goes_on, LATERAL (
          SELECT greatest(0, least(EXCLUDED.granted, floor(
                   extract(epoch FROM pace.most - goes_on.at) * $8::int / 60 + 1e-6)::int)) AS runs) AS fitting)
    RETURNING tenant_id, workflow_id, granted, next_at),
  admitted AS MATERIALIZED (
    SELECT wanted.* FROM wanted JOIN rated USING (tenant_id, workflow_id) WHERE wanted.place <= rated.granted),
  keyed AS (
    INSERT INTO hook_call_key AS earlier (tenant_id, workflow_id, key_hash, run_id)
    SELECT tenant_id, workflow_id, key_hash, run_id FROM admitted
     WHERE key_hash IS NOT NULL ORDER BY tenant_id, workflow_id, key_hash
    ON CONFLICT (tenant_id, workflow_id, key_hash) DO UPDATE SET run_id = EXCLUDED.run_id, created_at = now()
     WHERE earlier.created_at <= now() - ${KEY_LIFETIME}
    RETURNING run_id),
  started AS MATERIALIZED (
    SELECT admitted.* FROM admitted WHERE key_hash IS NULL OR run_id IN (SELECT run_id FROM keyed)),
  stored AS (
    INSERT INTO run (tenant_id, id, workflow_id, workflow_version, depth, input, status, error_code, error_detail, finished_at)
    SELECT tenant_id, run_id, workflow_id, definition_version, depth, payload.value,
           CASE WHEN depth <= $9::int THEN 'queued' ELSE 'cancelled' END,
           CASE WHEN depth > $9::int THEN $10::text END, CASE WHEN depth > $9::int THEN $11::text END,
           CASE WHEN depth > $9::int THEN now() END
      FROM started JOIN json_array_elements($7::json) WITH ORDINALITY AS payload (value, n) USING (n)),
  queued AS (
    INSERT INTO run_queue (tenant_id, run_id, workflow_id, traceparent)
    SELECT tenant_id, run_id, workflow_id, traceparent FROM started WHERE depth <= $9::int)
  SELECT verified.n::int, verified.is_accepted AS "isAccepted", verified.is_use_due AS "isUseDue",
         known.tenant_id AS "tenantId", coalesce(known.earlier_run_id, started.run_id) AS "runId",
         known.is_full AND known.earlier_run_id IS NULL AS "isFull",
         CASE WHEN verified.is_accepted AND known.earlier_run_id IS NULL AND admitted.n IS NULL
              THEN least(ceil(extract(epoch FROM coalesce(rated.next_at, known.next_at) + pace.gap - pace.most) * 1000), 86400000)::int
         END AS "retryAfterMs"
    FROM verified CROSS JOIN pace
    LEFT JOIN known USING (n)
    LEFT JOIN rated ON rated.tenant_id = verified.tenant_id AND rated.workflow_id = verified.workflow_id
    LEFT JOIN admitted USING (n)
    LEFT JOIN started USING (n)
   ORDER BY verified.n`;

// The same on a cluster: hooks are on the coordinator, everything else where its tenant is. Who presents the address of no hook
// takes the same steps, for a tenant that there is not.

/** The tenants of calls, and whether their secrets are right. $1 to $3: as in `verified`, $4: suspended tenants. */
const FIND_HOOKS = `
  SELECT n::int, coalesce(tenant_id, '${NO_TENANT}') AS "tenantId", is_known AS "isKnown", is_use_due AS "isUseDue"
    FROM (${presentedTo('((is_current OR is_previous) AND hook.tenant_id <> ALL ($4::uuid[])) IS TRUE AS is_known')}) AS found ORDER BY n`;

/**
 * Stores what calls of a tenant start. $1: tenant; lists of equal length: $2: workflows, $3: whether each secret is right, $4: ids
 * of the new runs, $5: SHA-256 of the keys or null, $6: depths, $7: payloads, $8: traceparents or null. $9 to $12: as $8 to $11 of
 * ACCEPT_CALLS, $13: whether the tenant has too many runs queued,
 * $14: revoked apps.
 */
const ACCEPT_CALLS_OF_TENANT = `
  SELECT is_accepted AS "isAccepted", run AS "runId", is_full AS "isFull", retry_after_ms AS "retryAfterMs"
    FROM accept_calls($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

/** Selects whether calls may start a workflow. $1: tenant, $2: workflow, $3: revoked apps. */
const IS_OPEN = `
  SELECT workflow.is_open AS "isOpen"
    FROM ${TENANT_OF_STATEMENT}, LATERAL (
      SELECT enabled AND trigger_type = 'webhook_received' AND (app_key = ANY ($3::text[])) IS NOT TRUE AS is_open
        FROM workflow
       WHERE tenant_id = $1::uuid AND id = $2 AND tenant.id IS NOT NULL
      OFFSET 0) AS workflow`;

/**
 * Notes that a secret was used; a locked hook is skipped, so that no call waits. $1: workflow, $2: SHA-256 of the
 * secret.
 */
export const NOTE_HOOK_USE = `
  WITH used AS MATERIALIZED (
    SELECT workflow_id FROM hook
     WHERE workflow_id = $1 AND (secret_hash = $2 OR previous_secret_hash = $2) FOR UPDATE SKIP LOCKED)
  UPDATE hook SET
    secret_last_used_at = CASE WHEN hook.secret_hash = $2 THEN now() ELSE hook.secret_last_used_at END,
    previous_secret_last_used_at =
      CASE WHEN hook.previous_secret_hash = $2 THEN now() ELSE hook.previous_secret_last_used_at END
    FROM used WHERE hook.workflow_id = used.workflow_id`;

export interface PresentedHook {
  /** A UUID. */
  readonly workflowId: string;
  /** SHA-256 of the presented secret. */
  readonly secretHash: Buffer;
}

/** A call that can be read, and the run that it starts if it is accepted. */
export interface HookCall extends PresentedHook {
  readonly runId: string;
  /** SHA-256 of the key by which a repetition is recognised; null without one. */
  readonly keyHash: Buffer | null;
  readonly depth: number;
  /** JSON of the payload. */
  readonly input: string;
  /** Below which the run is recorded, if it is. */
  readonly traceparent: string | undefined;
}

export interface CallOutcome {
  readonly isAccepted: boolean;
  /** True when the use of the secret has to be noted again. */
  readonly isUseDue: boolean;
  /** The run that the call started, or the one that it repeats. */
  readonly runId: string | null;
  /** True when its tenant has too many runs queued to start another. */
  readonly isFull: boolean | null;
  /** Milliseconds until the workflow may start another run; null unless it has started as many as it may. */
  readonly retryAfterMs: number | null;
}

/** Null: refused together with others of its tenant, so that it is tried alone. */
type Accepted = Exclude<Outcome<CallOutcome>, 'next'>;

interface FoundHook {
  /** The number of the call, from 1. */
  readonly n: number;
  readonly tenantId: string;
  readonly isKnown: boolean;
  readonly isUseDue: boolean;
}

@Injectable()
export class HookCallRepository {
  constructor(
    private readonly database: Database,
    private readonly revocations: RevocationSource,
    private readonly backlog: RunBacklog,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  /**
   * Verifies calls and stores runs. No two calls may have the same workflow, secret and key.
   * @returns an outcome for each, in order
   */
  async accept(calls: readonly HookCall[]): Promise<Accepted[]> {
    if (await this.database.everyTenant.isDistributed()) return this.acceptByTenant(calls);
    const outcomes = await this.database.crossTenantStatement<CallOutcome & { tenantId: string | null }>(ACCEPT_CALLS, [
      ...presented(calls),
      calls.map(({ runId }) => runId),
      calls.map(({ keyHash }) => keyHash),
      calls.map(({ depth }) => depth),
      `[${calls.map(({ input }) => input).join(',')}]`,
      ...this.bounds,
      calls.map(({ traceparent }) => traceparent ?? null),
      this.revocations.suspendedTenants(),
      this.backlog.fullTenants(),
      this.revocations.revokedApps(),
    ]);
    for (const { tenantId } of outcomes) if (tenantId !== null) this.backlog.note(tenantId);
    return outcomes.map((result) => ({ result }));
  }

  /** Calls of a tenant whose node is away fail alone. */
  private async acceptByTenant(calls: readonly HookCall[]): Promise<Accepted[]> {
    const outcomes: Accepted[] = Array(calls.length).fill(null);
    const accept = async (tenantId: string, found: readonly FoundHook[]): Promise<void> => {
      const own = found.map((hook) => ({ ...hook, ...(calls[hook.n - 1] as HookCall) })).sort(byWorkflowAndKey);
      try {
        const rows = await this.acceptOf(tenantId, own);
        for (const [index, { n, isUseDue }] of own.entries()) {
          outcomes[n - 1] = { result: { ...(rows[index] as (typeof rows)[number]), isUseDue } };
        }
      } catch (error) {
        if (own.length > 1 && isRefusedStatement(error)) return;
        for (const { n } of own) outcomes[n - 1] = { error };
      }
    };
    await Promise.all(byTenant(await this.findHooks(calls)).map((group) => accept(...group)));
    return outcomes;
  }

  private async acceptOf(tenantId: string, calls: readonly (FoundHook & HookCall)[]) {
    const rows = await this.database.read<Omit<CallOutcome, 'isUseDue'>>(tenantId, ACCEPT_CALLS_OF_TENANT, [
      calls.map(({ workflowId }) => workflowId),
      calls.map(({ isKnown }) => isKnown),
      calls.map(({ runId }) => runId),
      calls.map(({ keyHash }) => keyHash),
      calls.map(({ depth }) => depth),
      calls.map(({ input }) => input),
      calls.map(({ traceparent }) => traceparent ?? null),
      ...this.bounds,
      this.backlog.isFull(tenantId),
      this.revocations.revokedApps(),
    ]);
    if (rows.some(({ isAccepted }) => isAccepted)) this.backlog.note(tenantId);
    return rows;
  }

  /** $8 to $11 of ACCEPT_CALLS. */
  private get bounds(): unknown[] {
    return [this.config.runs.perMinute, MAX_DEPTH, LOOP_STOPPED.code, LOOP_STOPPED.detail];
  }

  private findHooks(hooks: readonly PresentedHook[]): Promise<FoundHook[]> {
    const parameters = [...presented(hooks), this.revocations.suspendedTenants()];
    return this.database.crossTenantStatement<FoundHook>(FIND_HOOKS, parameters);
  }

  /** Returns whether a call with this address would be accepted. Costs what accepting costs without storing. */
  async verify(hook: PresentedHook): Promise<boolean> {
    if (await this.database.everyTenant.isDistributed()) {
      const [found] = await this.findHooks([hook]);
      const tenantId = found?.tenantId ?? NO_TENANT;
      const [workflow] = await this.database.read<{ isOpen: boolean }>(tenantId, IS_OPEN, [
        hook.workflowId,
        this.revocations.revokedApps(),
      ]);
      return found?.isKnown === true && workflow?.isOpen === true;
    }
    const rows = await this.database.crossTenantStatement<{ isAccepted: boolean }>(VERIFY_CALLS, [
      ...presented([hook]),
      this.revocations.suspendedTenants(),
      this.revocations.revokedApps(),
    ]);
    return rows[0]?.isAccepted === true;
  }

  async noteUse({ workflowId, secretHash }: PresentedHook): Promise<void> {
    await this.database.crossTenantStatement(NOTE_HOOK_USE, [workflowId, secretHash]);
  }
}

/** The order in which rows are locked. */
const byWorkflowAndKey = (a: HookCall, b: HookCall): number =>
  a.workflowId < b.workflowId
    ? -1
    : a.workflowId > b.workflowId
      ? 1
      : Buffer.compare(a.keyHash ?? NO_KEY, b.keyHash ?? NO_KEY);

const NO_KEY = Buffer.alloc(0);

/** The first parameters of `verified`. */
const presented = (hooks: readonly PresentedHook[]): unknown[] => [
  hooks.map(({ workflowId }) => workflowId),
  hooks.map(({ secretHash }) => secretHash),
  pooledRandom(16),
];

import { measureDueWork } from '@crm/database';

// The queue of runs, and what TypeORM cannot say of runs in one statement. The narrow role claims and releases for all
// tenants; every other statement runs in the context of a tenant, which is $1.

/**
 * Queues runs that an event starts, at most one of each workflow, and counts them in the rates of these. A run over the rate
 * is due when its turn comes. $2: ids of the runs, $3: their workflows, $4: runs that a workflow may start in a minute, $5: traceparent, or
 * null.
 *
 * The rate is that of hook calls (hook-call.sql.ts), whose bucket refuses what does not fit; here `next_at` goes on ahead.
 */
export const QUEUE_RUNS = `
  WITH rated AS (
    INSERT INTO workflow_rate AS rate (tenant_id, workflow_id, next_at, granted)
    SELECT $1, workflow_id, now() + interval '1 minute' / $4::int, 1
      FROM unnest($3::uuid[]) AS workflow_id ORDER BY workflow_id
    ON CONFLICT (tenant_id, workflow_id) DO UPDATE
      SET granted = 1, next_at = greatest(rate.next_at, now()) + interval '1 minute' / $4::int
    RETURNING workflow_id, next_at)
  INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, traceparent)
  SELECT $1, new.run_id, new.workflow_id, greatest(now(), rated.next_at - interval '1 minute'), $5::text
    FROM unnest($2::uuid[], $3::uuid[]) AS new (run_id, workflow_id) JOIN rated USING (workflow_id)`;

/**
 * Claims due runs, those due for longest first. Workers do not wait for one another. Materialised: a plan that looks the
 * choice up again for each row would claim more than the limit.
 * $1: id of the claim, $2: seconds of the lease, $3: limit, $4: tenants that are left out.
 *
 * Each claim since the last outcome has twice the lease of the one before, and up to half as much again: runs that died together with the process
 * of another one are not claimed together with it again and again, and a process that dies for other reasons is given
 * time to recover before its runs fail.
 */
export const CLAIM_RUNS = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, run_id, due_at FROM run_queue
     WHERE due_at <= now() AND tenant_id <> ALL ($4::uuid[])
     ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE run_queue SET claim_id = $1, claims = claims + 1,
         due_at = now() + make_interval(secs => $2 * power(2, claims) * (1 + random() / 2))
    FROM due
   WHERE run_queue.tenant_id = due.tenant_id AND run_queue.run_id = due.run_id
  RETURNING run_queue.tenant_id AS "tenantId", run_queue.run_id AS "runId", claim_id AS "claimId", workflow_id AS "workflowId", due.due_at AS "dueAt", claims, traceparent`;

/** Gives back what was claimed and not begun. Lists of equal length: $1: tenants, $2: runs, $3: claims, $4: when due. */
export const RELEASE_RUNS = `
  UPDATE run_queue SET due_at = released.due_at, claim_id = NULL, claims = claims - 1
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS released (tenant_id, run_id, claim_id, due_at)
   WHERE run_queue.tenant_id = released.tenant_id AND run_queue.run_id = released.run_id
     AND run_queue.claim_id = released.claim_id`;

/** Whether runs with ids from $1 up to $2 are queued, of any tenant. */
export const HAS_QUEUED_RUNS = `SELECT EXISTS (SELECT FROM run_queue WHERE run_id >= $1 AND run_id < $2) AS queued`;

/**
 * Stores runs of one cause, whose input is sent once; a run whose id is stored already is not stored again.
 * $2: ids of the runs, $3: their workflows, $4: event, $5: depth, $6: input, $7: status, $8: code and $9: detail of the
 * error, $10: versions of the workflows.
 */
export const INSERT_RUNS = `
  INSERT INTO run (tenant_id, id, workflow_id, workflow_version, event_id, depth, input, status, error_code, error_detail, finished_at)
  SELECT $1, new.id, new.workflow_id, new.version, $4, $5, $6, $7, $8, $9, CASE WHEN $7 = 'queued' THEN NULL ELSE now() END
    FROM unnest($2::uuid[], $3::uuid[], $10::int[]) AS new (id, workflow_id, version)
  ON CONFLICT (tenant_id, id) DO NOTHING RETURNING id`;

/**
 * A page of runs, newest first, with the payloads of the first runs until these fill $7 bytes of JSON; when $7 is null no
 * payload is read. $2: workflow or null, $3: status or null, $4: id after which the page begins or null, $5: limit, $6: offset.
 */
export const LIST_RUNS = `
  SELECT id, workflow_id AS "workflowId", status, error_code AS "errorCode", error_detail AS "errorDetail",
         created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt",
         CASE WHEN sum(CASE WHEN $7::int IS NOT NULL THEN octet_length(input::text) END) OVER (ORDER BY id DESC) <= $7
              THEN input END AS input
    FROM (SELECT * FROM run
           WHERE tenant_id = $1 AND ($2::uuid IS NULL OR workflow_id = $2) AND ($3::text IS NULL OR status = $3)
             AND ($4::uuid IS NULL OR id < $4)
           ORDER BY id DESC LIMIT $5 OFFSET $6) AS page
   ORDER BY id DESC`;

/** How many runs a filter finds, counted up to $4. $2: workflow or null, $3: status or null. */
export const COUNT_RUNS = `
  SELECT count(*)::int AS counted
    FROM (SELECT 1 FROM run
           WHERE tenant_id = $1 AND ($2::uuid IS NULL OR workflow_id = $2) AND ($3::text IS NULL OR status = $3)
           LIMIT $4) AS found`;

/** The steps of a page of runs, without their outputs. $2: ids of the runs. */
export const LIST_STEPS = `
  SELECT run_id AS "runId", key, type, status, error_code AS "errorCode", error_detail AS "errorDetail"
    FROM run_step WHERE tenant_id = $1 AND run_id = ANY ($2::uuid[]) ORDER BY run_id, position`;

/** Runs that are due and wait for a worker. $1: tenants whose runs wait for something else. */
export const MEASURE_DUE_RUNS = measureDueWork('run_queue', 'due_at', 'tenant_id <> ALL ($1::uuid[])');

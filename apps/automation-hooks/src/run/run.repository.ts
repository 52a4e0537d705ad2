import { copiesByStatement, PLAN_FOR_VALUES, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import {
  Run,
  type RunError,
  type RunStatus,
  RunStep,
  type RunSummary,
  type RunWithSteps,
  type StepSummary,
} from './run.entity.js';

/**
 * Stores runs of one cause, whose input is sent once; known ids are skipped. $2: ids, $3: workflows, $4: event, $5:
 * depth, $6: input, $7: status, $8: error code, $9: error detail, $10: workflow versions.
 */
export const INSERT_RUNS = `
  INSERT INTO run (tenant_id, id, workflow_id, workflow_version, event_id, depth, input, status, error_code, error_detail, finished_at)
  SELECT $1, new.id, new.workflow_id, new.version, $4, $5, $6, $7, $8, $9, CASE WHEN $7 = 'queued' THEN NULL ELSE now() END
    FROM unnest($2::uuid[], $3::uuid[], $10::int[]) AS new (id, workflow_id, version)
  ON CONFLICT (tenant_id, id) DO NOTHING RETURNING id`;

/**
 * A page of runs, newest first, with the first payloads up to $7 bytes of JSON, none when it is null. $2: workflow or
 * null, $3: status or null, $4: id before the page or null, $5: limit, $6: offset.
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

/** Bytes of JSON of the payloads in a page of runs: two hundred of the longest would fill the memory of a process. */
const MAX_PAGE_INPUT_BYTES = 4_000_000;

export type NewRun = Readonly<Pick<Run, 'id' | 'workflowId' | 'workflowVersion'>>;

export interface RunCause extends Readonly<Pick<Run, 'input' | 'depth'>> {
  readonly eventId?: string;
}

export interface RunFilter {
  readonly workflowId?: string;
  readonly status?: RunStatus;
}

@Injectable()
export class RunRepository {
  /**
   * Stores runs of one cause, sending its input once per statement. A workflow has one run per event.
   * @returns ids of the stored runs
   */
  async insert(
    tx: TenantTransaction,
    runs: readonly NewRun[],
    cause: RunCause,
    status: RunStatus,
    error: RunError | null = null,
  ): Promise<string[]> {
    const input = JSON.stringify(cause.input);
    const stored: string[] = [];
    for (const part of copiesByStatement(runs, Buffer.byteLength(input))) {
      const rows = await tx.query<{ id: string }>(INSERT_RUNS, [
        tx.tenantId,
        part.map((run) => run.id),
        part.map((run) => run.workflowId),
        cause.eventId ?? null,
        cause.depth,
        input,
        status,
        error?.code ?? null,
        error?.detail ?? null,
        part.map((run) => run.workflowVersion),
      ]);
      stored.push(...rows.map((row) => row.id));
    }
    return stored;
  }

  async find(tx: TenantTransaction, id: string): Promise<RunWithSteps | null> {
    const { tenantId } = tx;
    const [run, steps] = await Promise.all([
      tx.repository(Run).findOneBy({ tenantId, id }),
      tx.repository(RunStep).find({ where: { tenantId, runId: id }, order: { position: 'ASC' } }),
    ]);
    return run && Object.assign(run, { steps });
  }

  async findDepth(tx: TenantTransaction, id: string): Promise<number | null> {
    const run = await tx.repository(Run).findOne({ where: { tenantId: tx.tenantId, id }, select: { depth: true } });
    return run?.depth ?? null;
  }

  /**
   * Newest first.
   * @param withInput reads payloads, as many of the first as fit in a page
   */
  async list(
    tx: TenantTransaction,
    { workflowId, status }: RunFilter,
    page: ListPage,
    withInput: boolean,
  ): Promise<{ runs: RunSummary[]; counted: number }> {
    const filter = [tx.tenantId, workflowId ?? null, status ?? null];
    const maxInputBytes = withInput ? MAX_PAGE_INPUT_BYTES : null;
    tx.issue(PLAN_FOR_VALUES, []);
    const [rows, [count]] = await Promise.all([
      tx.query<Omit<RunSummary, 'steps'>>(LIST_RUNS, [
        ...filter,
        page.after?.id ?? null,
        page.limit,
        page.offset,
        maxInputBytes,
      ]),
      tx.query<{ counted: number }>(COUNT_RUNS, [...filter, page.countLimit]),
    ]);
    return { runs: await this.withSteps(tx, rows), counted: count?.counted ?? 0 };
  }

  private async withSteps(tx: TenantTransaction, runs: readonly Omit<RunSummary, 'steps'>[]): Promise<RunSummary[]> {
    if (runs.length === 0) return [];
    const ids = runs.map((run) => run.id);
    const steps = await tx.query<StepSummary & { runId: string }>(LIST_STEPS, [tx.tenantId, ids]);
    return runs.map((run) => ({ ...run, steps: steps.filter((step) => step.runId === run.id) }));
  }
}

import { chunksByStatement, PLAN_FOR_VALUES, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
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
 * Stores and queues runs of one cause, whose input is sent once; known ids are skipped. $1: tenant, $2: ids, $3: workflows, $4:
 * workflow versions, $5: event, $6: depth, $7: input, $8: error code, $9: error detail, both null for runs that start, $10: runs
 * a minute, $11: traceparent or null.
 */
const START_RUNS = 'SELECT start_runs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)';

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

/** Bytes of JSON of the payloads in a page of runs: they are written in one piece, in which nobody else has a turn. */
const MAX_PAGE_INPUT_BYTES = 300_000;

export type NewRun = Readonly<Pick<Run, 'id' | 'workflowId' | 'workflowVersion'>>;

export interface RunCause extends Readonly<Pick<Run, 'input' | 'depth'>> {
  readonly eventId: string;
  /** Below which the runs are recorded. */
  readonly traceparent: string | undefined;
}

export interface RunFilter {
  readonly workflowId?: string;
  readonly status?: RunStatus;
}

@Injectable()
export class RunRepository {
  constructor(@Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig) {}

  /**
   * Stores runs of one cause, sending its input once per statement. A workflow has one run per event.
   * @param error with which they are stored as cancelled; otherwise they are queued
   */
  start(tx: TenantTransaction, runs: readonly NewRun[], cause: RunCause, error: RunError | null = null): void {
    const input = JSON.stringify(cause.input);
    for (const part of chunksByStatement(runs, Buffer.byteLength(input))) {
      tx.issue(START_RUNS, [
        tx.tenantId,
        part.map((run) => run.id),
        part.map((run) => run.workflowId),
        part.map((run) => run.workflowVersion),
        cause.eventId,
        cause.depth,
        input,
        error?.code ?? null,
        error?.detail ?? null,
        this.config.runs.perMinute,
        cause.traceparent ?? null,
      ]);
    }
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
    const byRun = new Map<string, StepSummary[]>(runs.map(({ id }) => [id, []]));
    for (const step of steps) byRun.get(step.runId)?.push(step);
    return runs.map((run) => ({ ...run, steps: byRun.get(run.id) ?? [] }));
  }
}

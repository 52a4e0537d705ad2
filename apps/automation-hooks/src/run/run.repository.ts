import { copiesByStatement, type Queryable, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { Run, RunError, RunStatus, RunSummary, Step, StepSummary } from './run.entity.js';

const RUN_COLUMNS = `id, workflow_id AS "workflowId", event_id AS "eventId", depth, status, error_code AS "errorCode",
  error_detail AS "errorDetail", created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt"`;

const STEP_COLUMNS = `run_id AS "runId", position, key, type, status, attempts, due_at AS "dueAt",
  error_code AS "errorCode", error_detail AS "errorDetail"`;

/** Of the payloads in a page of runs, in bytes of JSON: two hundred of the longest would fill a process's memory. */
const MAX_PAGE_INPUT_BYTES = 4_000_000;

interface ErrorColumns {
  errorCode: string | null;
  errorDetail: string | null;
}

/** The row of a run, or of a step. */
type Row<T> = Omit<T, 'error' | 'steps'> & ErrorColumns;

/** A run to be stored, of this workflow. */
export interface NewRun {
  readonly id: string;
  readonly workflowId: string;
}

/** What starts runs: a hook call or an event. */
export interface RunCause {
  readonly input: Readonly<Record<string, unknown>>;
  readonly eventId?: string;
  readonly depth: number;
}

export interface RunFilter {
  readonly workflowId?: string;
  readonly status?: string;
}

@Injectable()
export class RunRepository {
  /**
   * Stores runs of one cause, whose input is sent once for as many copies as one statement may write. A second run of the
   * same workflow for the same event is not stored.
   * @returns ids of those that were stored
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
      const rows = await tx.query<{ id: string }>(
        `INSERT INTO run (tenant_id, id, workflow_id, event_id, depth, input, status, error_code, error_detail, finished_at)
         SELECT $1, new.id, new.workflow_id, $4, $5, $6, $7, $8, $9, CASE WHEN $7 = 'queued' THEN NULL ELSE now() END
           FROM unnest($2::uuid[], $3::uuid[]) AS new (id, workflow_id)
         ON CONFLICT (tenant_id, workflow_id, event_id) DO NOTHING RETURNING id`,
        [
          tx.tenantId,
          part.map((run) => run.id),
          part.map((run) => run.workflowId),
          cause.eventId ?? null,
          cause.depth,
          input,
          status,
          error?.code ?? null,
          error?.detail ?? null,
        ],
      );
      stored.push(...rows.map((row) => row.id));
    }
    return stored;
  }

  async find(tx: TenantTransaction, id: string): Promise<Run | undefined> {
    const [run] = await tx.query<Row<Run>>(`SELECT ${RUN_COLUMNS}, input FROM run WHERE id = $1`, [id]);
    if (!run) return undefined;
    const steps = await tx.query<Row<Step>>(
      `SELECT ${STEP_COLUMNS}, output FROM run_step WHERE run_id = $1 ORDER BY position`,
      [id],
    );
    return { ...withError(run), steps: steps.map(withError) };
  }

  async depthOf(tx: TenantTransaction, id: string): Promise<number | undefined> {
    const [row] = await tx.query<{ depth: number }>('SELECT depth FROM run WHERE id = $1', [id]);
    return row?.depth;
  }

  /**
   * Newest first.
   * @param withInput whether payloads are read, as many of the first as a page has room for
   */
  async list(
    tx: TenantTransaction,
    filter: RunFilter,
    page: ListPage,
    withInput: boolean,
  ): Promise<{ runs: RunSummary[]; counted: number }> {
    const where = `($1::uuid IS NULL OR workflow_id = $1) AND ($2::text IS NULL OR status = $2)`;
    const parameters = [filter.workflowId ?? null, filter.status ?? null];
    const size = 'sum(octet_length(input::text)) OVER (ORDER BY id DESC)';
    const input = withInput ? `CASE WHEN ${size} <= ${MAX_PAGE_INPUT_BYTES} THEN input END` : 'NULL';
    const rows = await tx.query<Row<RunSummary>>(
      `SELECT ${RUN_COLUMNS}, ${input} AS input
         FROM (SELECT * FROM run WHERE ${where} AND ($3::uuid IS NULL OR id < $3)
                ORDER BY id DESC LIMIT $4 OFFSET $5) AS page
        ORDER BY id DESC`,
      [...parameters, page.after?.id ?? null, page.limit, page.offset],
    );
    const [counted] = await tx.query<{ total: string }>(
      `SELECT count(*) AS total FROM (SELECT 1 FROM run WHERE ${where} LIMIT $3) AS counted`,
      [...parameters, page.countLimit],
    );
    return { runs: await this.withSteps(tx, rows), counted: Number(counted?.total ?? 0) };
  }

  async start(tx: TenantTransaction, id: string): Promise<void> {
    await tx.query("UPDATE run SET status = 'running', started_at = now() WHERE id = $1 AND status = 'queued'", [id]);
  }

  async finish(tx: TenantTransaction, id: string, status: RunStatus, error: RunError | null): Promise<void> {
    await tx.query(
      'UPDATE run SET status = $2, error_code = $3, error_detail = $4, finished_at = now() WHERE id = $1',
      [id, status, error?.code ?? null, error?.detail ?? null],
    );
  }

  async saveStep(tx: TenantTransaction, runId: string, step: Step): Promise<void> {
    await tx.query(
      `INSERT INTO run_step (tenant_id, run_id, position, key, type, status, attempts, due_at, output, error_code, error_detail)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (tenant_id, run_id, position) DO UPDATE SET status = EXCLUDED.status, attempts = EXCLUDED.attempts,
         due_at = EXCLUDED.due_at, output = EXCLUDED.output, error_code = EXCLUDED.error_code,
         error_detail = EXCLUDED.error_detail, updated_at = now()`,
      [
        tx.tenantId,
        runId,
        step.position,
        step.key,
        step.type,
        step.status,
        step.attempts,
        step.dueAt,
        step.output && JSON.stringify(step.output),
        step.error?.code ?? null,
        step.error?.detail ?? null,
      ],
    );
  }

  private async withSteps(tx: Queryable, rows: readonly Row<RunSummary>[]): Promise<RunSummary[]> {
    if (rows.length === 0) return [];
    const steps = await tx.query<Row<StepSummary> & { runId: string }>(
      `SELECT ${STEP_COLUMNS} FROM run_step WHERE run_id = ANY($1::uuid[]) ORDER BY run_id, position`,
      [rows.map((row) => row.id)],
    );
    return rows.map((row) => ({
      ...withError(row),
      steps: steps.filter((step) => step.runId === row.id).map(withError),
    }));
  }
}

function withError<Row extends ErrorColumns>({ errorCode, errorDetail, ...row }: Row) {
  return { ...row, error: errorCode === null ? null : { code: errorCode, detail: errorDetail ?? '' } };
}

import { copiesByStatement, PLAN_FOR_VALUES, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { Run, type RunError, type RunStatus, type RunSummary, type RunWithSteps } from './run.entity.js';
import { COUNT_RUNS, INSERT_RUNS, LIST_RUNS, LIST_STEPS } from './run.sql.js';
import { RunStep, type StepSummary } from './run-step.entity.js';

/** Bytes of JSON of the payloads in a page of runs: two hundred of the longest would fill the memory of a process. */
const MAX_PAGE_INPUT_BYTES = 4_000_000;

/** A run to be stored, of this workflow. */
export type NewRun = Readonly<Pick<Run, 'id' | 'workflowId' | 'workflowVersion'>>;

/** What starts runs: a hook call or an event. */
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

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<RunWithSteps | null> {
    const { tenantId } = tx;
    const [run, steps] = await Promise.all([
      tx.repository(Run).findOneBy({ tenantId, id }),
      tx.repository(RunStep).find({ where: { tenantId, runId: id }, order: { position: 'ASC' } }),
    ]);
    return run && Object.assign(run, { steps });
  }

  /** @returns null when there is no such run */
  async findDepth(tx: TenantTransaction, id: string): Promise<number | null> {
    const run = await tx.repository(Run).findOne({ where: { tenantId: tx.tenantId, id }, select: { depth: true } });
    return run?.depth ?? null;
  }

  /**
   * Newest first.
   * @param withInput whether payloads are read, as many of the first as a page has room for
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

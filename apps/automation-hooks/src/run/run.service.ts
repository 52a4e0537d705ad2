import type { Principal } from '@crm/context';
import { coversScope, type EventEnvelope, eventScope, PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { VerifiedHook } from '../hook/hook.service.js';
import { administers } from '../workflow/administers.js';
import { WorkflowRepository } from '../workflow/workflow.repository.js';
import { type RunListQuery, type RunView, toRunView } from './run.dto.js';
import { inputOf } from './run.input.js';
import { RunQueue } from './run.queue.js';
import { RunRepository } from './run.repository.js';
import { RunSignal } from './run.signal.js';
import { causingRun, MAX_DEPTH } from './run.trace.js';

/** Starts runs and shows them. */
@Injectable()
export class RunService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunRepository,
    private readonly queue: RunQueue,
    private readonly workflows: WorkflowRepository,
    private readonly signal: RunSignal,
  ) {}

  /**
   * Stores a run for a hook call. When this returns the run is committed and will be carried out, whatever dies.
   * @returns id of the run
   * @throws NOT_FOUND when the workflow was disabled or removed since the secret was checked
   */
  async acceptCall(hook: VerifiedHook, input: Readonly<Record<string, unknown>>): Promise<string> {
    return this.database.transaction(hook.tenantId, async (tx) => {
      const workflow = await this.workflows.find(tx, hook.workflowId);
      if (!workflow?.enabled) throw new PlatformError('NOT_FOUND');
      const run = { id: newId(), workflowId: workflow.id };
      await this.enqueue(tx, await this.runs.insert(tx, [run], { input, depth: 0 }, 'queued'));
      return run.id;
    });
  }

  /** Stores a run for each enabled workflow that waits for the event, in the transaction that takes the event in. */
  async acceptEvent(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    const waiting = await this.workflows.startedBy(tx, event.type);
    const workflows = waiting.filter(({ grantedScopes }) => mayReceive(grantedScopes, event.type));
    if (workflows.length === 0) return;
    const runs = workflows.map(({ id }) => ({ id: newId(), workflowId: id }));
    const cause = { input: inputOf(event), eventId: event.id, depth: await this.depthAfter(tx, event) };
    if (cause.depth > MAX_DEPTH) {
      const detail = `The event was caused by a chain of ${MAX_DEPTH} runs; a longer one is taken for a loop.`;
      await this.runs.insert(tx, runs, cause, 'cancelled', { code: 'LOOP_STOPPED', detail });
    } else {
      await this.enqueue(tx, await this.runs.insert(tx, runs, cause, 'queued'));
    }
  }

  /** @throws NOT_FOUND, also for a run of another tenant */
  async get(principal: Principal, id: string): Promise<RunView> {
    const run = await this.database.transaction(principal.tenantId, (tx) => this.runs.find(tx, id));
    if (!run) throw new PlatformError('NOT_FOUND');
    return toRunView(run, administers(principal));
  }

  /** @throws INVALID_QUERY for a cursor of another tenant or list */
  async list(principal: Principal, query: RunListQuery): Promise<ListAnswer<RunView>> {
    const { tenantId } = principal;
    const { workflowId = null, status = null } = query;
    const page = parsePage(query, { tenantId, list: 'runs', filter: [workflowId, status] });
    const withInput = administers(principal);
    const { runs, counted } = await this.database.transaction(tenantId, (tx) =>
      this.runs.list(tx, query, page, withInput),
    );
    return mapList(listAnswer(runs, page, counted, idPosition), (run) => toRunView(run, withInput));
  }

  private async enqueue(tx: TenantTransaction, runIds: readonly string[]): Promise<void> {
    await this.queue.add(tx, runIds);
    tx.afterCommit(() => this.signal.signal());
  }

  private async depthAfter(tx: TenantTransaction, event: EventEnvelope): Promise<number> {
    // Anybody may send any trace; only a call with a run's own token is the doing of a run.
    const cause = event.actorkind === 'internal' ? causingRun(event.traceparent) : undefined;
    const depth = cause === undefined ? undefined : await this.runs.depthOf(tx, cause);
    return depth === undefined ? 0 : depth + 1;
  }
}

/**
 * A scope that an administrator kept back from an app must not come in by a trigger: a run may hand the event's data on to
 * the outside, and needs no scope for that.
 * @param grantedScopes null for a workflow of the tenant's own
 */
function mayReceive(grantedScopes: readonly string[] | null, event: string): boolean {
  const needed = eventScope(event);
  return grantedScopes === null || needed === undefined || coversScope(grantedScopes, needed);
}

import type { Principal } from '@crm/context';
import { coversScope, type EventEnvelope, eventScope, isVisibleToApp, PlatformError } from '@crm/contracts';
import { Database, idOf, millisecondsOfId, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { VerifiedHook } from '../hook/hook.service.js';
import { isAdministrator } from '../workflow/administrator.js';
import { type StartedWorkflow, WorkflowRepository } from '../workflow/workflow.repository.js';
import { eventInput } from './event-input.js';
import { type ListRunsQuery, type RunView, toRunView } from './run.dto.js';
import { RunRepository } from './run.repository.js';
import { RunSignal } from './run.signal.js';
import { RunQueueRepository } from './run-queue.repository.js';
import { causingRun, MAX_DEPTH } from './run-trace.js';

/** Starts runs and shows them. */
@Injectable()
export class RunService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunRepository,
    private readonly queue: RunQueueRepository,
    private readonly workflows: WorkflowRepository,
    private readonly signal: RunSignal,
  ) {}

  /**
   * Stores a run for a hook call. Once this resolves the run is committed and will be executed, whichever process ends.
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

  /** Stores a run for each enabled workflow that the event starts, in the transaction that handles the event. */
  async acceptEvent(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    const waiting = await this.workflows.listStartedBy(tx, event.type);
    const workflows = waiting.filter((workflow) => mayReceive(workflow, event));
    if (workflows.length === 0) return;
    // One run of a workflow for an event, however often that is delivered.
    const runs = workflows.map(({ id }) => ({ id: idOf(millisecondsOfId(event.id), id, event.id), workflowId: id }));
    const cause = { input: eventInput(event), eventId: event.id, depth: await this.depthAfter(tx, event) };
    if (cause.depth > MAX_DEPTH) {
      const detail = `The event was caused by a chain of ${MAX_DEPTH} runs; a longer chain is taken for a loop`;
      await this.runs.insert(tx, runs, cause, 'cancelled', { code: 'LOOP_STOPPED', detail });
    } else {
      await this.enqueue(tx, await this.runs.insert(tx, runs, cause, 'queued'));
    }
  }

  /** @throws NOT_FOUND, also for a run of another tenant */
  async get(principal: Principal, id: string): Promise<RunView> {
    const run = await this.database.transaction(principal.tenantId, (tx) => this.runs.find(tx, id));
    if (!run) throw new PlatformError('NOT_FOUND');
    return toRunView(run, isAdministrator(principal));
  }

  /** @throws INVALID_QUERY for a cursor of another tenant or list */
  async list(principal: Principal, query: ListRunsQuery): Promise<ListAnswer<RunView>> {
    const { tenantId } = principal;
    const { workflowId = null, status = null } = query;
    const page = parsePage(query, { tenantId, list: 'runs', filter: [workflowId, status] });
    const withInput = isAdministrator(principal);
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
    // Anyone may send any trace; only a call with a token for runs was made by a run.
    const cause = event.actorkind === 'internal' ? causingRun(event.traceparent) : undefined;
    const depth = cause === undefined ? null : await this.runs.findDepth(tx, cause);
    return depth === null ? 0 : depth + 1;
  }
}

/**
 * Whether a workflow may be started by an event. An app must not get around a scope that the administrator did not grant,
 * or an object that is not shared with it, by means of a trigger: a run can send the event's data to the outside, which
 * requires no scope.
 */
function mayReceive({ appKey, grantedScopes }: StartedWorkflow, event: EventEnvelope): boolean {
  if (appKey === null) return true;
  const needed = eventScope(event.type);
  return isVisibleToApp(event, appKey) && (needed === undefined || coversScope(grantedScopes ?? [], needed));
}

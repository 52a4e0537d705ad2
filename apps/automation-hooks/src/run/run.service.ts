import type { Principal } from '@crm/access';
import { coversScope, type EventEnvelope, eventScope, isVisibleToApp, PlatformError } from '@crm/contracts';
import { Database, idOf, millisecondsOfId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { recordedOnly } from '@crm/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { isAdministrator } from '../workflow/administrator.js';
import { type StartedWorkflow, WorkflowRepository } from '../workflow/workflow.repository.js';
import { eventInput } from './event-input.js';
import { type ListRunsQuery, type RunView, toRunView } from './run.dto.js';
import { type NewRun, RunRepository } from './run.repository.js';
import { RunSignal } from './run.signal.js';
import { RunQueueRepository } from './run-queue.repository.js';
import { causingRun } from './run-trace.js';
import { LOOP_STOPPED, MAX_DEPTH } from './workflow-depth.js';

/** Starts runs and shows them. */
@Injectable()
export class RunService {
  private readonly runsPerMinute: number;

  constructor(
    private readonly database: Database,
    private readonly runs: RunRepository,
    private readonly queue: RunQueueRepository,
    private readonly workflows: WorkflowRepository,
    private readonly signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.runsPerMinute = config.runs.perMinute;
  }

  /**
   * Stores a run for each enabled workflow that the event starts, in the transaction that handles the event. A workflow
   * that has started as many runs as it may starts this one later.
   */
  async acceptEvent(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    const waiting = await this.workflows.listStartedBy(tx, event.type);
    const workflows = waiting.filter((workflow) => mayReceive(workflow, event));
    if (workflows.length === 0) return;
    // One run of a workflow for an event, however often that is delivered.
    const runs = workflows.map(({ id, version }) => ({
      id: idOf(millisecondsOfId(event.id), id, event.id),
      workflowId: id,
      workflowVersion: version,
    }));
    const cause = { input: eventInput(event), eventId: event.id, depth: await this.depthAfter(tx, event) };
    if (cause.depth > MAX_DEPTH) {
      await this.runs.insert(tx, runs, cause, 'cancelled', LOOP_STOPPED);
    } else {
      const stored = new Set(await this.runs.insert(tx, runs, cause, 'queued'));
      this.enqueue(
        tx,
        runs.filter(({ id }) => stored.has(id)),
        recordedOnly(event.traceparent),
      );
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

  private enqueue(tx: TenantTransaction, runs: readonly NewRun[], traceparent: string | undefined): void {
    if (runs.length === 0) return;
    this.queue.add(tx, runs, this.runsPerMinute, traceparent);
    tx.afterCommit(() => this.signal.signal());
  }

  private async depthAfter(tx: TenantTransaction, event: EventEnvelope): Promise<number> {
    // Anyone may send any trace; only a call with a token for runs was made by a run.
    const cause = event.actorkind === 'internal' ? causingRun(event) : undefined;
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

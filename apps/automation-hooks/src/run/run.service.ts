import { type Principal, RevocationSource } from '@crm/access';
import { coversScope, type EventEnvelope, eventScope, isVisibleToApp, PlatformError } from '@crm/contracts';
import { Database, idOf, isErasure, millisecondsOfId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { traceparentIfRecorded } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { type StartedWorkflow, WorkflowRepository } from '../workflow/workflow.repository.js';
import { isAdministrator } from '../workflow/workflow.service.js';
import { ErasedRecords } from './erased-records.js';
import { type ListRunsQuery, type RunView, toRunView } from './run.dto.js';
import { RunRepository } from './run.repository.js';
import { RunBacklog } from './run-backlog.js';
import { causingRun, LOOP_STOPPED, MAX_DEPTH, RunChain } from './run-chain.js';
import { RunQueueRepository, RunSignal } from './run-queue.repository.js';

/** The event as conditions and templates read it: keys of its data, which take precedence, and fields of its record. */
function eventInput(event: EventEnvelope): Record<string, unknown> {
  const { record } = event.data;
  const fields = typeof record === 'object' && record !== null ? record : {};
  return { ...fields, ...event.data };
}

@Injectable()
export class RunService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunRepository,
    private readonly queue: RunQueueRepository,
    private readonly workflows: WorkflowRepository,
    private readonly chain: RunChain,
    private readonly backlog: RunBacklog,
    private readonly erased: ErasedRecords,
    private readonly signal: RunSignal,
    private readonly revocations: RevocationSource,
  ) {}

  /**
   * Stores a run for each enabled workflow that the event starts, in the event's transaction; over the rate it starts
   * later. The event itself waits while its tenant has too many runs queued, and behind others that wait.
   */
  async acceptEvent(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    await this.startFrom(tx, event);
    // Afterwards, as nothing else of the record starts a run any more.
    if (isErasure(event)) await this.erased.accept(tx, event);
  }

  private async startFrom(tx: TenantTransaction, event: EventEnvelope): Promise<void> {
    const workflows = await this.startedBy(tx, event);
    if (workflows.length === 0) return;
    const waits = workflows.some(({ eventsWait }) => eventsWait) || this.backlog.isFull(tx.tenantId);
    if (waits) this.queue.keepEvent(tx, event);
    else await this.store(tx, event, workflows);
    this.backlog.note(tx.tenantId);
  }

  /** Stores the runs of an event that has waited. @returns how many there are */
  async start(tx: TenantTransaction, event: EventEnvelope): Promise<number> {
    const workflows = await this.startedBy(tx, event, isErasure(event) ? null : undefined);
    if (workflows.length > 0) await this.store(tx, event, workflows);
    return workflows.length;
  }

  /** @param recordId starts nothing once it is erased; null to start all the same */
  private async startedBy(
    tx: TenantTransaction,
    event: EventEnvelope,
    recordId: string | null = event.subject ?? null,
  ): Promise<StartedWorkflow[]> {
    const workflows = await this.workflows.listStartedBy(tx, event.type, recordId);
    return workflows.filter((workflow) => !this.isRevoked(workflow) && mayReceive(workflow, event));
  }

  private isRevoked({ appKey }: StartedWorkflow): boolean {
    return appKey !== null && this.revocations.isAppRevoked(appKey);
  }

  private async store(tx: TenantTransaction, event: EventEnvelope, workflows: StartedWorkflow[]): Promise<void> {
    // One run of a workflow for an event, however often that is delivered.
    const runs = workflows.map(({ id, version }) => ({
      id: idOf(millisecondsOfId(event.id), id, event.id),
      workflowId: id,
      workflowVersion: version,
    }));
    const traceparent = traceparentIfRecorded(event.traceparent);
    const depth = await this.depthAfter(tx, event);
    const cause = { input: eventInput(event), eventId: event.id, depth, traceparent };
    if (depth > MAX_DEPTH) return this.runs.start(tx, runs, cause, LOOP_STOPPED);
    this.runs.start(tx, runs, cause);
    tx.afterCommit(() => this.signal.signal());
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

  private async depthAfter(tx: TenantTransaction, event: EventEnvelope): Promise<number> {
    // Anyone may send any trace; only a call with a token for runs was made by a run.
    const cause = event.actorkind === 'internal' ? causingRun(event) : undefined;
    const depth =
      this.chain.depthOfRequest(event.traceparent) ??
      (cause === undefined ? null : await this.runs.findDepth(tx, cause));
    return depth === null ? 0 : depth + 1;
  }
}

/**
 * Returns whether an event may start a workflow. A trigger must not give an app events beyond its scopes and shared objects: a
 * run can send their data anywhere.
 */
function mayReceive(workflow: StartedWorkflow, event: EventEnvelope): boolean {
  const { appKey, installationId, sandbox, grantedScopes } = workflow;
  if (appKey === null) return true;
  const needed = eventScope(event.type);
  const isVisible = isVisibleToApp(event, { appKey, installationId, sandbox });
  return isVisible && (needed === undefined || coversScope(grantedScopes ?? [], needed));
}

import { newTrace, type Principal } from '@crm/access';
import { parseUrl } from '@crm/address-policy';
import {
  coversScope,
  type EventEnvelope,
  eventScope,
  HOOK_PATH,
  isUuid,
  isVisibleToApp,
  PlatformError,
} from '@crm/contracts';
import { Database, idOf, millisecondsOfId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, listAnswer, mapList, parsePage } from '@crm/http';
import { recordedOnly } from '@crm/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { type StartedWorkflow, WorkflowRepository } from '../workflow/workflow.repository.js';
import { isAdministrator } from '../workflow/workflow.service.js';
import { type ListRunsQuery, type RunView, toRunView } from './run.dto.js';
import { RunRepository } from './run.repository.js';
import { RunQueueRepository, RunSignal } from './run-queue.repository.js';

/** Runs that may cause one another, through events or hooks; a longer chain is taken for a loop. */
export const MAX_DEPTH = 5;

export const LOOP_STOPPED = {
  code: 'LOOP_STOPPED',
  detail: `It was caused by a chain of ${MAX_DEPTH} runs; a longer chain is taken for a loop`,
} as const;

/**
 * Depth of the calling run in its chain. The call carries it because it crosses tenants. Inventing it gains nothing: a
 * larger depth shortens the caller's own chain.
 */
export const DEPTH_HEADER = 'workflow-depth';

/** The depth of the run that a hook call starts: 0 for a call from outside. */
export function depthOfCall(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,4}$/.test(header) ? Number(header) + 1 : 0;
}

/**
 * Adds the depth to requests that call a hook of this platform, and nothing to others. Redirects are not followed.
 * @param hookBaseUrl the address at which hooks are called
 */
export function depthHeaders(url: string, hookBaseUrl: string, depth: number): Record<string, string> {
  return isHookUrl(url, hookBaseUrl) ? { [DEPTH_HEADER]: String(depth) } : {};
}

function isHookUrl(text: string, hookBaseUrl: string): boolean {
  const url = parseUrl(text);
  const hooks = new URL(`${hookBaseUrl}${HOOK_PATH}/`);
  return url?.origin === hooks.origin && url.pathname.startsWith(hooks.pathname);
}

/** The trace of an unrecorded run: its id is the trace id, so that log entries of all it causes are found. */
export const traceOf = (runId: string): string => newTrace(runId.replaceAll('-', ''));

/**
 * The id of the run that caused an event; another cause is the id of no run. Older events carry the run's trace
 * instead.
 */
export function causingRun({
  causeid,
  traceparent,
}: Pick<EventEnvelope, 'causeid' | 'traceparent'>): string | undefined {
  if (isUuid(causeid)) return causeid;
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

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
    private readonly signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  /**
   * Stores a run for each enabled workflow that the event starts, in the event's transaction; over the rate it starts
   * later.
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
      const added = runs.filter(({ id }) => stored.has(id));
      if (added.length === 0) return;
      this.queue.add(tx, added, this.config.runs.perMinute, recordedOnly(event.traceparent));
      tx.afterCommit(() => this.signal.signal());
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

  private async depthAfter(tx: TenantTransaction, event: EventEnvelope): Promise<number> {
    // Anyone may send any trace; only a call with a token for runs was made by a run.
    const cause = event.actorkind === 'internal' ? causingRun(event) : undefined;
    const depth = cause === undefined ? null : await this.runs.findDepth(tx, cause);
    return depth === null ? 0 : depth + 1;
  }
}

/**
 * Whether an event may start a workflow. A trigger must not give an app events beyond its scopes and shared objects: a
 * run can send their data anywhere.
 */
function mayReceive({ appKey, grantedScopes }: StartedWorkflow, event: EventEnvelope): boolean {
  if (appKey === null) return true;
  const needed = eventScope(event.type);
  return isVisibleToApp(event, appKey) && (needed === undefined || coversScope(grantedScopes ?? [], needed));
}

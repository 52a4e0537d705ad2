import { parseUrl } from '@crm/address-policy';
import type { Principal } from '@crm/context';
import { newTrace } from '@crm/context';
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
import { recordedOnly } from '@crm/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { type StartedWorkflow, WorkflowRepository } from '../workflow/workflow.repository.js';
import { isAdministrator } from '../workflow/workflow.service.js';
import { type ListRunsQuery, type RunView, toRunView } from './run.dto.js';
import { type NewRun, RunRepository } from './run.repository.js';
import { RunQueueRepository, RunSignal } from './run-queue.repository.js';

/** Runs that may cause one another, through events or hooks; a longer chain is taken for a loop. */
export const MAX_DEPTH = 5;

/** Of a run that is not executed because its chain is longer. */
export const LOOP_STOPPED = {
  code: 'LOOP_STOPPED',
  detail: `It was caused by a chain of ${MAX_DEPTH} runs; a longer chain is taken for a loop`,
} as const;

/**
 * How deep in a chain the run is that calls a hook. The call carries it because it crosses tenants, whose runs this service
 * must not look up for each other. Nobody gains by inventing it: a larger depth shortens the caller's own chain, and a
 * missing or smaller one is what every call from outside has.
 */
export const DEPTH_HEADER = 'workflow-depth';

/** The depth of the run that a hook call starts: 0 for a call from outside. */
export function depthOfCall(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,4}$/.test(header) ? Number(header) + 1 : 0;
}

/**
 * The headers of a request that a run makes: its depth if the request calls a hook of this platform, and nothing for any
 * other address, so that nobody else learns of it. Redirects are not followed, so the header arrives nowhere else.
 * @param url as it is requested
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

/**
 * The trace of a run that is not recorded below what has started it. Its trace id is the run's id (both have 128 bits), so
 * that log entries of everything that it causes are found by the run.
 */
export const traceOf = (runId: string): string => newTrace(runId.replaceAll('-', ''));

/**
 * The id of the run that caused an event, if a run did; that of another cause is the id of no run. Events from before they
 * named their cause have the run's trace. Undefined without both.
 */
export function causingRun({
  causeid,
  traceparent,
}: Pick<EventEnvelope, 'causeid' | 'traceparent'>): string | undefined {
  if (isUuid(causeid)) return causeid;
  const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1];
  return trace?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * What conditions and templates of a workflow read of an event: the keys of its data and, directly, the fields of its
 * record. A key of the data takes precedence over a field of the same name.
 */
function eventInput(event: EventEnvelope): Record<string, unknown> {
  const { record } = event.data;
  const fields = typeof record === 'object' && record !== null ? record : {};
  return { ...fields, ...event.data };
}

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

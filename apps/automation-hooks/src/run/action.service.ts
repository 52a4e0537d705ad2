import { CORE_OBJECTS, isUuid, PlatformError, rpc } from '@crm/contracts';
import { renderTemplate, renderValue, TemplateBudget, type TemplateData, TemplateError } from '@crm/manifest';
import { type CallOptions, Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Action } from '../workflow/workflow.entity.js';
import type { PinnedDefinition } from '../workflow/workflow.repository.js';
import { type ClaimedRun, type RunningWorkflow } from './claimed-run.repository.js';
import { HttpRequestService } from './http-request.service.js';
import { type StepResult } from './run.entity.js';
import { traceOf } from './run-chain.js';
import { StepError, stepId } from './step.js';

type Output = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;
type Performed = Exclude<Action, { type: 'wait' }>;

const DAY_MS = 86_400_000;

export interface BegunRun {
  readonly tenantId: string;
  readonly run: ClaimedRun;
  /** The workflow now, whose rights the run has. */
  readonly workflow: RunningWorkflow;
  /** The definition that the run was accepted with. */
  readonly pinned: PinnedDefinition;
  /** When this process took it up. */
  readonly startedAt: Date;
  /** The span that its work belongs to; undefined when it is not recorded. */
  readonly traceparent: string | undefined;
}

/** Seconds before its expiry at which a token is no longer used: a call must arrive while the token is valid. */
const RESERVE_SECONDS = 20;
/** Tokens of so many workflows are kept; those not used for longest go first. */
const KEPT_TOKENS = 10_000;

/**
 * Tokens for work that outlives its call. Identity decides at each minting which rights the author has now; a change of
 * roles revokes earlier tokens, kept ones included.
 */
@Injectable()
export class RunTokenService {
  private readonly kept = new LRUCache<string, string>({ max: KEPT_TOKENS });

  constructor(private readonly rpc: Rpc) {}

  /**
   * Works with a token of the workflow's author, or of its app with the granted scopes. After a refused token it tries
   * once more with a new one.
   * @throws the work's error; identity's when it no longer mints
   */
  async use<T>(tenantId: string, workflow: RunningWorkflow, work: (token: string) => Promise<T>): Promise<T> {
    const name = `${workflow.id} ${workflow.version}`;
    for (let isLast = false; ; isLast = true) {
      let token: string | undefined;
      try {
        token = this.kept.get(name) ?? (await this.mint(tenantId, workflow, name));
        return await work(token);
      } catch (error) {
        if (!isTokenRefused(error)) throw error;
        // Not a newer token, which another run of the workflow has requested meanwhile.
        if (this.kept.get(name) === token) this.kept.delete(name);
        if (isLast) throw error;
      }
    }
  }

  private async mint(tenantId: string, workflow: RunningWorkflow, name: string): Promise<string> {
    const { origin, authorId: userId } = workflow;
    const actor = origin && {
      appKey: origin.appKey,
      installationId: origin.installationId,
      ...(origin.sandbox && { sandbox: true }),
      scopes: [...origin.grantedScopes],
    };
    const minted = await this.rpc.call(rpc.identity.mintInternalToken, { tenantId, userId, ...(actor && { actor }) });
    const usableSeconds = minted.expiresIn - RESERVE_SECONDS;
    if (usableSeconds > 0) this.kept.set(name, minted.token, { ttl: usableSeconds * 1000 });
    return minted.token;
  }
}

/** UNAUTHENTICATED, TOKEN_EXPIRED or TOKEN_REVOKED: the called service has done nothing. */
const isTokenRefused = (error: unknown): boolean => error instanceof PlatformError && error.status === 401;

/** Performs single actions, with the rights of the workflow's author or of the app that it belongs to. */
@Injectable()
export class ActionService {
  constructor(
    private readonly rpc: Rpc,
    private readonly tokens: RunTokenService,
    private readonly httpRequests: HttpRequestService,
  ) {}

  /**
   * @param position of the step, from 0
   * @param steps that have succeeded
   * @returns the output that later steps can read
   * @throws PlatformError as the called service answered; StepError for failures outside the platform and in templates
   */
  async perform(begun: BegunRun, action: Performed, position: number, steps: readonly StepResult[]): Promise<Output> {
    const data = templateData(begun.run, steps);
    const idempotencyKey = stepId(begun.run.id, position);
    try {
      if (action.type !== 'http_request') return await this.write(begun, action, data, idempotencyKey);
      const { traceparent, run } = begun;
      return await this.httpRequests.perform(action, data, { stepId: idempotencyKey, depth: run.depth, traceparent });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new StepError(error.code, error.message.replace(/\.$/, ''), false, { cause: error });
    }
  }

  private async write(
    { tenantId, run, workflow, pinned: { objectNames }, traceparent = traceOf(run.id) }: BegunRun,
    action: Exclude<Performed, { type: 'http_request' }>,
    data: TemplateData,
    idempotencyKey: string,
  ): Promise<Output> {
    return this.tokens.use(tenantId, workflow, async (token) => {
      // What the run causes names it as the request, so that workflows that start each other are found.
      const caller: CallOptions = { token, requestId: run.id, traceparent };
      const budget = new TemplateBudget();
      switch (action.type) {
        case 'create_record': {
          const values = renderValue(action.values, data, budget) as Values;
          return this.create(objectOf(objectNames, action.object), values, idempotencyKey, caller);
        }
        case 'update_record': {
          const values = renderValue(action.values, data, budget) as Values;
          const id = renderTemplate(action.id, data, budget).trim();
          if (!isUuid(id)) throw new PlatformError('NOT_FOUND', 'The ID of the record to update must be a UUID');
          const request = { object: objectOf(objectNames, action.object), id, values };
          return this.rpc.call(rpc.customObjects.updateRecord, request, caller);
        }
        case 'create_task':
          return this.create('task', taskValues(run, action, data, budget), idempotencyKey, caller);
      }
    });
  }

  private create(object: string, values: Values, idempotencyKey: string, caller: CallOptions): Promise<Output> {
    return this.rpc.call(rpc.customObjects.createRecord, { object, values, idempotencyKey }, caller);
  }
}

/**
 * The name in the tenant: of the package's object, else of a standard or custom one.
 * @throws NOT_FOUND for `custom:lead` and the like: the prefix never means a standard object
 */
function objectOf(objectNames: PinnedDefinition['objectNames'], object: string): string {
  const bare = object.startsWith('custom:') ? object.slice('custom:'.length) : object;
  if (Object.hasOwn(objectNames, bare)) return objectNames[bare] as string;
  if (bare !== object && Object.hasOwn(CORE_OBJECTS, bare)) {
    throw new PlatformError('NOT_FOUND', `Unknown custom object "${bare}"`);
  }
  return bare;
}

function taskValues(
  run: ClaimedRun,
  action: Extract<Action, { type: 'create_task' }>,
  data: TemplateData,
  budget: TemplateBudget,
): Values {
  const { description, assignee, dueInDays } = action;
  return {
    title: renderTemplate(action.title, data, budget),
    ...(description !== undefined && { description: renderTemplate(description, data, budget) }),
    ...(assignee !== undefined && { assigneeId: assignee }),
    // Counted from the start of the run, so that a repeated step asks for the same task.
    ...(dueInDays !== undefined && { dueAt: new Date(run.createdAt.getTime() + dueInDays * DAY_MS).toISOString() }),
  };
}

/** A step's key takes precedence over a key of the payload: the author chose it, the payload comes from outside. */
function templateData(run: ClaimedRun, steps: readonly StepResult[]): TemplateData {
  return { ...run.input, ...Object.fromEntries(steps.map((step) => [step.key, step.output])) };
}

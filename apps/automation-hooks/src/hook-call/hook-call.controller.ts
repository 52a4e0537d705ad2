import { Public } from '@crm/access';
import { HOOK_PATH, PlatformError } from '@crm/contracts';
import { ApiGroup, BodyLimit, BooleanField, ConstantProblems, Describe, IdField, toPlatformError } from '@crm/http';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Body, Controller, Inject, Injectable, type OnModuleInit, Post, Req } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { WORKFLOW_GROUP } from '../hook/hook.dto.js';
import { DEPTH_HEADER, depthOfCall } from '../run/run-chain.js';
import { HookCallService, keyOf, type Presented } from './hook-call.service.js';

export class HookCallView {
  @BooleanField()
  accepted: boolean;

  @IdField()
  runId: string;
}

/** Largest body of a hook call, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

const KEY_DESCRIPTION =
  'Calls with a key that this hook accepted in the last 24 hours start no new run, whatever the body: the response names the first run. 1 to 255 visible ASCII characters';

/** Where upstream systems start workflows. The secret in the path is the only authentication. */
@ApiGroup(WORKFLOW_GROUP)
@Controller(HOOK_PATH)
export class HookCallController {
  constructor(private readonly calls: HookCallService) {}

  @Post(':workflowId/:secret')
  @Public()
  @BodyLimit(MAX_BODY_BYTES)
  @ConstantProblems()
  @Describe({
    summary: 'Start a run through a hook URL',
    description:
      "The secret in the path is the only authentication. The body is any JSON object; the workflow's condition and templates can use its top-level keys. A wrong ID, a wrong secret, and a disabled workflow all return the same 404. The run uses the workflow as it was at the time of the call, even if the workflow is changed or disabled before the run ends. If the workflow is deleted, the run is cancelled. Runs per minute and workflow and queued runs per workspace are limited (`RATE_LIMITED`, with `Retry-After`).",
    headers: [
      { name: 'Idempotency-Key', description: KEY_DESCRIPTION },
      { name: 'webhook-id', description: `An alternative to Idempotency-Key. ${KEY_DESCRIPTION}` },
    ],
    answers: [{ status: 202, description: 'The run is accepted', body: () => HookCallView }],
  })
  async accept(@Req() request: FastifyRequest, @Body() body: Record<string, unknown>): Promise<HookCallView> {
    const { headers, callContext } = request;
    const { traceparent } = callContext;
    const call = { key: keyOf(headers), depth: depthOfCall(headers[DEPTH_HEADER]), traceparent };
    return { accepted: true, runId: await this.calls.accept(presentedBy(request), body, call) };
  }
}

/** Seconds over which calls are counted. */
const WINDOW_SECONDS = 10;

const HOOK_ROUTE = `${HOOK_PATH}/:workflowId/:secret`;

/** Refusals of a body or a header: too large, of another type, not an object, with a value that cannot be stored. */
const OF_THE_REQUEST = new Set([400, 413, 415, 422]);

/**
 * Guards the hook route. Calls are counted by presented id and address, whether the hook exists or not: ids are no
 * secret, and nobody can block a hook for its owner. A call that cannot be read learns the reason only if it presents
 * the secret.
 */
@Injectable()
export class HookCallGate implements OnModuleInit {
  private readonly server: FastifyInstance;
  private readonly limiter: Limiter;

  constructor(
    { httpAdapter }: HttpAdapterHost,
    private readonly calls: HookCallService,
    limits: LimiterStore,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    const points = config.hooks.callsPerTenSeconds;
    this.limiter = new Limiter(limits, { name: 'hook', points, windowSeconds: WINDOW_SECONDS });
    this.server = httpAdapter.getInstance();
    // Before the routes are made, which happens before onModuleInit.
    this.server.addHook('onRoute', (route) => {
      if (route.url !== HOOK_ROUTE) return;
      route.errorHandler = async (error, request) => {
        throw await this.refusalOf(request, error);
      };
    });
  }

  onModuleInit(): void {
    this.server.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.url === HOOK_ROUTE) await this.count(request, reply);
    });
    this.server.addHook('preHandler', async (request) => {
      if (request.routeOptions.url === HOOK_ROUTE) assertReadable(request);
    });
  }

  private async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A request id differs from call to call and reveals nothing about the hook, but all refusals must be equal bytes.
    reply.removeHeader('x-request-id');
    await this.limiter.consume(`${addressKey(request.ip)} ${presentedBy(request).workflowId.toLowerCase()}`);
  }

  private async refusalOf(request: FastifyRequest, error: unknown): Promise<unknown> {
    const isOfTheRequest = OF_THE_REQUEST.has(toPlatformError(error).status);
    return isOfTheRequest ? this.calls.refusalOf(presentedBy(request), error) : error;
  }
}

export const presentedBy = (request: FastifyRequest): Presented => request.params as Presented;

/** Repeats the checks of the route's pipes, without looking at the secret. */
function assertReadable({ body, headers }: FastifyRequest): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object');
  }
  keyOf(headers);
}

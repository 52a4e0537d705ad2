import { HOOK_PATH, PlatformError } from '@crm/contracts';
import { toPlatformError } from '@crm/http';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { HookCallService, keyOf, type Presented } from './hook-call.service.js';

/** Seconds over which calls are counted. */
const WINDOW_SECONDS = 10;

const HOOK_ROUTE = `${HOOK_PATH}/:workflowId/:secret`;

/** Refusals of a body or a header: too large, of another type, not an object, with a value that cannot be stored. */
const OF_THE_REQUEST = new Set([400, 413, 415, 422]);

/**
 * What surrounds the route of hooks. Calls are counted by the id they present, whether it exists or not, together with the
 * address they come from: ids are no secret, and nobody can shut a hook for those who know its secret. What these may do
 * together is the rate of the workflow, which counts once the secret was right (hook-call.sql.ts). A call that cannot
 * be read is refused for its reason only if it presents the secret, so that a caller without the secret learns nothing from
 * the way a body is refused.
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

/** The address that a call presents. */
export const presentedBy = (request: FastifyRequest): Presented => request.params as Presented;

/** What the pipes of the route would refuse, without a look at the secret. */
function assertReadable({ body, headers }: FastifyRequest): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object');
  }
  keyOf(headers);
}

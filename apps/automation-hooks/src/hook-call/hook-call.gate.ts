import { PlatformError } from '@crm/contracts';
import { Limiter, LimiterStore } from '@crm/http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { HookService, type VerifiedHook } from './hook.service.js';

/** Seconds over which calls are counted. */
const WINDOW_SECONDS = 10;

export const HOOK_PATH = 'api/crm/automations/hooks';
const HOOK_ROUTE = `/${HOOK_PATH}/:workflowId/:secret`;

/**
 * Checks the secret of a hook call before its body is read, so that a caller without the secret learns nothing from the
 * way a body is refused. Calls are counted by the id they present, whether it exists or not.
 */
@Injectable()
export class HookGate implements OnModuleInit {
  private readonly verified = new WeakMap<FastifyRequest, VerifiedHook>();
  private readonly limiter: Limiter;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly hooks: HookService,
    limits: LimiterStore,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    const points = config.hooks.callsPerTenSeconds;
    this.limiter = new Limiter(limits, { name: 'hook', points, windowSeconds: WINDOW_SECONDS });
  }

  onModuleInit(): void {
    const server: FastifyInstance = this.adapterHost.httpAdapter.getInstance();
    server.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.url === HOOK_ROUTE) await this.check(request, reply);
    });
  }

  /** The hook that a request in progress presented the secret of. */
  hookOf(request: FastifyRequest): VerifiedHook {
    const hook = this.verified.get(request);
    if (!hook) throw new Error('The request did not pass the gate of hooks');
    return hook;
  }

  private async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // An id that differs from call to call would tell nothing about the hook, but answers are to be equal to the byte.
    reply.removeHeader('x-request-id');
    const { workflowId, secret } = request.params as { workflowId: string; secret: string };
    await this.limiter.consume(workflowId.toLowerCase());
    const hook = await this.hooks.verify(workflowId, secret);
    if (!hook) throw new PlatformError('NOT_FOUND');
    this.verified.set(request, hook);
  }
}

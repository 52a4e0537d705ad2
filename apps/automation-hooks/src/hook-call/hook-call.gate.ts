import { HOOK_PATH, PlatformError } from '@crm/contracts';
import { Limiter, LimiterStore } from '@crm/http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { HookService, type VerifiedHook } from '../hook/hook.service.js';
import { WorkflowService } from '../workflow/workflow.service.js';

/** Seconds over which calls are counted. */
const WINDOW_SECONDS = 10;

const HOOK_ROUTE = `${HOOK_PATH}/:workflowId/:secret`;

/**
 * Checks the secret of a hook call before its body is read, so that a caller without the secret learns nothing from the
 * way a body is refused. Calls are counted by the id they present, whether it exists or not.
 */
@Injectable()
export class HookCallGate implements OnModuleInit {
  private readonly verified = new WeakMap<FastifyRequest, VerifiedHook>();
  private readonly limiter: Limiter;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly hooks: HookService,
    private readonly workflows: WorkflowService,
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

  /** The hook whose secret a request in progress presented. */
  hookOf(request: FastifyRequest): VerifiedHook {
    const hook = this.verified.get(request);
    if (!hook) throw new Error('The request did not pass the gate of hooks');
    return hook;
  }

  private async check(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A request id differs from call to call and reveals nothing about the hook, but all refusals must be equal bytes.
    reply.removeHeader('x-request-id');
    const { workflowId, secret } = request.params as { workflowId: string; secret: string };
    await this.limiter.consume(workflowId.toLowerCase());
    const hook = await this.hooks.verify(workflowId, secret);
    // To the outside, a workflow that accepts no calls looks like an unknown id or a wrong secret.
    if (!hook || !(await this.workflows.acceptsCalls(hook.tenantId, hook.workflowId))) {
      throw new PlatformError('NOT_FOUND');
    }
    this.verified.set(request, hook);
  }
}

import { Public } from '@crm/access';
import { HOOK_PATH } from '@crm/contracts';
import { ApiGroup, BodyLimit, ConstantProblems, Describe } from '@crm/http';
import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RunService } from '../run/run.service.js';
import { WORKFLOW_GROUP } from '../workflow/api-group.js';
import { HookCallView } from './hook-call.dto.js';
import { HookCallGate } from './hook-call.gate.js';

/** Largest body of a hook call, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/** Where upstream systems start workflows. The secret in the path is the only authentication; see hook-call.gate.ts. */
@ApiGroup(WORKFLOW_GROUP)
@Controller(HOOK_PATH)
export class HookCallController {
  constructor(
    private readonly gate: HookCallGate,
    private readonly runs: RunService,
  ) {}

  @Post(':workflowId/:secret')
  @Public()
  @BodyLimit(MAX_BODY_BYTES)
  @ConstantProblems()
  @HttpCode(202)
  @Describe({
    summary: 'Starts a run of a workflow from an upstream system',
    description:
      'The secret in the path is the only authentication. The body is any JSON object; its top-level keys are available to the condition and the templates of the workflow. A wrong id, a wrong secret and a disabled workflow give the same 404.',
    answers: [{ status: 202, description: 'The run is stored and will be executed', body: () => HookCallView }],
  })
  async accept(@Req() request: FastifyRequest, @Body() body: Record<string, unknown>): Promise<HookCallView> {
    return { accepted: true, runId: await this.runs.acceptCall(this.gate.hookOf(request), body) };
  }
}

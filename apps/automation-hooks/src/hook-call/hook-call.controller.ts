import { Public } from '@crm/access';
import { HOOK_PATH } from '@crm/contracts';
import { ApiGroup, BodyLimit, ConstantProblems, Describe } from '@crm/http';
import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { WORKFLOW_GROUP } from '../api-group.js';
import { DEPTH_HEADER, depthOfCall } from '../run/run-chain.js';

import { HookCallView } from './hook-call.dto.js';
import { presentedBy } from './hook-call.gate.js';
import { HookCallService, keyOf } from './hook-call.service.js';

/** Largest body of a hook call, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

const KEY_DESCRIPTION =
  'A call with a key that the hook has accepted within the last 24 hours starts no other run, whatever its body: the answer names the run of the first. 1 to 255 visible ASCII characters';

/** Where upstream systems start workflows. The secret in the path is the only authentication; see hook-call.gate.ts. */
@ApiGroup(WORKFLOW_GROUP)
@Controller(HOOK_PATH)
export class HookCallController {
  constructor(private readonly calls: HookCallService) {}

  @Post(':workflowId/:secret')
  @Public()
  @BodyLimit(MAX_BODY_BYTES)
  @ConstantProblems()
  @HttpCode(202)
  @Describe({
    summary: 'Starts a run of a workflow from an upstream system',
    description:
      'The secret in the path is the only authentication. The body is any JSON object; its top-level keys are available to the condition and the templates of the workflow. A wrong id, a wrong secret and a disabled workflow give the same 404. The run does what the workflow says at the time of the call, also when the workflow is changed or disabled before the run ends; when the workflow is deleted, the run is cancelled. A workflow starts a limited number of runs in a minute (`RATE_LIMITED`, with `Retry-After`).',
    headers: [
      { name: 'Idempotency-Key', description: KEY_DESCRIPTION },
      { name: 'webhook-id', description: `The same, where there is no Idempotency-Key. ${KEY_DESCRIPTION}` },
    ],
    answers: [{ status: 202, description: 'The run is stored and will be executed', body: () => HookCallView }],
  })
  async accept(@Req() request: FastifyRequest, @Body() body: Record<string, unknown>): Promise<HookCallView> {
    const { headers, callContext } = request;
    const { traceparent } = callContext;
    const call = { key: keyOf(headers), depth: depthOfCall(headers[DEPTH_HEADER]), traceparent };
    return { accepted: true, runId: await this.calls.accept(presentedBy(request), body, call) };
  }
}

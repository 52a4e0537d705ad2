import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller, Get, Query } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { WORKFLOW_GROUP } from '../hook/hook.dto.js';
import { ListRunsQuery, RunView } from './run.dto.js';
import { RunService } from './run.service.js';

@ApiGroup(WORKFLOW_GROUP)
@Controller('api/crm/automations/runs')
@Access({ right: 'read', scope: 'automations' })
export class RunController {
  constructor(private readonly runs: RunService) {}

  @Get()
  @Describe({
    summary: 'List runs',
    description: 'Admins also see the payload that started each run.',
    answers: [{ status: 200, description: 'The runs, newest first', body: () => RunView, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListRunsQuery): Promise<ListAnswer<RunView>> {
    return this.runs.list(principal, query);
  }

  @Get(':runId')
  @Describe({
    summary: 'Get a run',
    description: 'A failed step includes the error that ended the run.',
    answers: [{ status: 200, description: 'The run', body: () => RunView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam('runId') runId: string): Promise<RunView> {
    return this.runs.get(principal, runId);
  }
}

@Controller()
export class RunConsumer {
  constructor(private readonly runs: RunService) {}

  @EventHandler(CONSUMERS['automation-hooks'], 'all')
  async onEvent(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.runs.acceptEvent(tx, event);
  }
}

import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, IdParam, type ListAnswer } from '@crm/http';
import { Controller, Get, Query } from '@nestjs/common';
import { RunListQuery, RunView } from './run.dto.js';
import { RunService } from './run.service.js';

@Controller('api/crm/automations/runs')
export class RunController {
  constructor(private readonly runs: RunService) {}

  @Get()
  @Access({ right: 'read', scope: 'automations' })
  @Describe({
    summary: 'Lists runs, newest first',
    answers: [{ status: 200, description: 'A page', body: () => RunView, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: RunListQuery): Promise<ListAnswer<RunView>> {
    return this.runs.list(principal, query);
  }

  @Get(':runId')
  @Access({ right: 'read', scope: 'automations' })
  @Describe({ summary: 'Reads a run', answers: [{ status: 200, description: 'The run', body: () => RunView }] })
  get(@CurrentPrincipal() principal: Principal, @IdParam('runId') runId: string): Promise<RunView> {
    return this.runs.get(principal, runId);
  }
}

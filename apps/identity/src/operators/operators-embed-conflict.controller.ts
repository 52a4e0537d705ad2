import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import { EmbedConflictService } from '../embedding/embed-conflict.service.js';
import { EmbedConflictListView } from './operator.dto.js';

@ApiGroup({
  name: 'Embedding',
  description: 'How hosts use the credentials of embedded apps.',
})
@Controller('operators/api/admin/embed-conflicts')
export class OperatorsEmbedConflictController {
  constructor(private readonly conflicts: EmbedConflictService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'List embed conflicts',
    description:
      'A mint reveals whether an address has an account in another workspace, so an app with many conflicts may be searching for accounts. After 20 conflicts in an hour, its mints are throttled.',
    answers: [
      { status: 200, description: 'The latest hour of each app, newest first', body: () => EmbedConflictListView },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<EmbedConflictListView> {
    return { data: await this.conflicts.list(principal) };
  }
}

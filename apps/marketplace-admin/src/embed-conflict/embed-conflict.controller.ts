import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { ApiGroup, Describe } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Controller, Get } from '@nestjs/common';
import { EmbedConflictListView } from './embed-conflict.dto.js';

@ApiGroup({
  name: 'Embedding',
  description: 'What hosts do with the credentials of embedded apps.',
})
@Controller('api/admin/embed-conflicts')
export class EmbedConflictController {
  constructor(private readonly rpc: Rpc) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists apps whose hosts presented addresses of other workspaces',
    description:
      'A mint tells whether an address has an account in another workspace, so an app that asks for many may be searching for accounts. After 20 conflicts in an hour its mints are throttled.',
    answers: [
      { status: 200, description: 'The latest hour of each app, newest first', body: () => EmbedConflictListView },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<EmbedConflictListView> {
    return this.rpc.call(rpc.identity.listEmbedConflicts, {}, principal);
  }
}

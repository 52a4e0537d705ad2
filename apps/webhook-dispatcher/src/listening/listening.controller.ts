import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { WEBHOOKS_GROUP } from '../webhooks-api.js';
import { ListenedDeliveriesView, ListenQuery } from './listening.dto.js';
import { ListeningService } from './listening.service.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/marketplace/developer/apps/:key/listen')
export class ListeningController {
  constructor(private readonly listening: ListeningService) {}

  @Get()
  @Header('cache-control', 'no-store')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Waits for deliveries of the sandboxes of an app',
    description:
      'For developers, as `crm-dev listen` does: a copy of each delivery of the sandboxes in the workspace that publishes the app, whatever becomes of the delivery itself, once its first attempt is recorded. The first call, without a cursor, begins a session and is answered at once; each further call is answered as soon as there are deliveries, at most 100, or when the wait is over. A cursor can be used again within a day, so that a session survives an interruption; it shows no event that reaches the ledger over an hour late. `CONFLICT` when the app has no sandbox in the workspace.',
    errors: ['INVALID_QUERY', 'CONFLICT', 'RATE_LIMITED'],
    answers: [{ status: 200, description: 'Deliveries, and where to go on', body: () => ListenedDeliveriesView }],
  })
  next(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Query() query: ListenQuery,
  ): Promise<ListenedDeliveriesView> {
    return this.listening.next(principal, key, query);
  }
}

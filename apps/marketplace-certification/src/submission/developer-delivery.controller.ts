import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../api-groups.js';
import {
  AppDeliveryDetailView,
  AppDeliveryView,
  AppStatsQuery,
  AppStatsView,
  appStatsView,
  ListAppDeliveriesQuery,
} from './developer-delivery.dto.js';
import { DeveloperDeliveryService } from './developer-delivery.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps/:key')
@Access({ right: 'administer', proof: false })
export class DeveloperDeliveryController {
  constructor(private readonly deliveries: DeveloperDeliveryService) {}

  @Get('deliveries')
  @Describe({
    summary: 'Lists the webhook deliveries of an app in all workspaces',
    description:
      'Newest first, without the data of the events. Filters are combined; `from` and `to` go by the time of the event. `QUERY_TOO_EXPENSIVE` when reading or counting takes too long.',
    answers: [{ status: 200, description: 'The delivery', body: () => AppDeliveryView, list: true }],
    errors: ['QUERY_TOO_EXPENSIVE'],
  })
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Query() query: ListAppDeliveriesQuery,
  ): Promise<ListAnswer<AppDeliveryView>> {
    return this.deliveries.list(principal, key, query);
  }

  @Get('deliveries/:id')
  @Describe({
    summary: 'Returns a webhook delivery of an app with its attempts',
    description: 'Each attempt shows the status and the beginning of what the app answered, or where it failed.',
    answers: [{ status: 200, description: 'The delivery', body: () => AppDeliveryDetailView }],
    errors: ['QUERY_TOO_EXPENSIVE'],
  })
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @IdParam() id: string,
  ): Promise<AppDeliveryDetailView> {
    const { delivery, attempts } = await this.deliveries.get(principal, key, id);
    return { ...delivery, attemptLog: attempts };
  }

  @Get('stats')
  @Describe({
    summary: 'Returns how the webhook deliveries of an app went in all workspaces, per hour',
    description:
      'Counted from the ledger, by the time of the events. `QUERY_TOO_EXPENSIVE` for more than 200,000 deliveries.',
    answers: [{ status: 200, description: 'How the deliveries of each hour went', body: () => AppStatsView }],
    errors: ['QUERY_TOO_EXPENSIVE'],
  })
  async stats(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Query() query: AppStatsQuery,
  ): Promise<AppStatsView> {
    return appStatsView(await this.deliveries.countByHour(principal, key, query));
  }
}

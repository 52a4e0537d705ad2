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
    summary: "List an app's webhook deliveries in all workspaces",
    description:
      'Newest first, without event data. All filters apply together; `from` and `to` use the event time. `QUERY_TOO_EXPENSIVE` if reading or counting takes too long.',
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
    summary: "Get an app's webhook delivery",
    description: "Each attempt has the status and the beginning of the app's response, or where it failed.",
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
    summary: "Get an app's hourly delivery statistics in all workspaces",
    description: 'Counted by event time. `QUERY_TOO_EXPENSIVE` for more than 200,000 deliveries.',
    answers: [{ status: 200, description: 'Delivery statistics for each hour', body: () => AppStatsView }],
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

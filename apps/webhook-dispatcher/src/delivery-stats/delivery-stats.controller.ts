import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Controller, Get, Query } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { DeliveryStatsQuery, DeliveryStatsView, deliveryStatsView } from './delivery-stats.dto.js';
import { DeliveryStatsService, MOST_DELIVERIES } from './delivery-stats.service.js';

const DESCRIPTION = `Counted from the ledger, by the time of the events. \`QUERY_TOO_EXPENSIVE\` for more than ${MOST_DELIVERIES.toLocaleString('en-US')} deliveries.`;
const STATS = { description: 'How the deliveries of each hour went', body: () => DeliveryStatsView };

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks')
export class DeliveryStatsController {
  constructor(private readonly stats: DeliveryStatsService) {}

  @Get('stats')
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Returns how deliveries went, per hour',
    description: DESCRIPTION,
    errors: ['QUERY_TOO_EXPENSIVE'],
    answers: [{ status: 200, ...STATS }],
  })
  async ofTenant(
    @CurrentPrincipal() principal: Principal,
    @Query() query: DeliveryStatsQuery,
  ): Promise<DeliveryStatsView> {
    return deliveryStatsView(await this.stats.ofTenant(principal, query));
  }

  @Get('subscriptions/:id/stats')
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Returns how deliveries of a subscription went, per hour',
    description: DESCRIPTION,
    errors: ['QUERY_TOO_EXPENSIVE'],
    answers: [{ status: 200, ...STATS }],
  })
  async ofSubscription(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Query() query: DeliveryStatsQuery,
  ): Promise<DeliveryStatsView> {
    return deliveryStatsView(await this.stats.ofSubscription(principal, id, query));
  }
}

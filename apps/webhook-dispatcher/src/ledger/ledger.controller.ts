import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, mapList } from '@crm/http';
import { Controller, Get, Post, Query } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import {
  attemptView,
  DeliveryDetailView,
  DeliveryStatsQuery,
  DeliveryStatsView,
  DeliveryView,
  deliveryStatsView,
  deliveryView,
  ListDeliveriesQuery,
} from './ledger.dto.js';
import { LedgerService, MOST_DELIVERIES } from './ledger.service.js';

const DELIVERY = { description: 'The delivery', body: () => DeliveryView };

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/deliveries')
@Access(ADMINISTER_WEBHOOKS)
export class DeliveryController {
  constructor(private readonly ledger: LedgerService) {}

  @Get()
  @Describe({
    summary: 'List deliveries',
    description:
      'What was sent where, with status, attempts, and last error. All filters apply together; `from` and `to` use the event time.',
    answers: [{ status: 200, ...DELIVERY, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListDeliveriesQuery,
  ): Promise<ListAnswer<DeliveryView>> {
    return mapList(await this.ledger.list(principal, query), deliveryView);
  }

  @Get(':id')
  @Describe({
    summary: 'Get a delivery',
    description: 'Each attempt has the status and the beginning of the response, or where it failed.',
    answers: [{ status: 200, description: 'The delivery', body: () => DeliveryDetailView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<DeliveryDetailView> {
    const { delivery, attempts } = await this.ledger.get(principal, id);
    return { ...deliveryView(delivery), attemptLog: attempts.map(attemptView) };
  }

  @Post(':id/redeliver')
  @Describe({
    summary: 'Resend a delivery',
    description:
      'Sends it immediately, whether it has ended, is held, or waits for its next attempt. With `ordering: record`, it is sent when no other delivery of its record is in progress, before those that wait; `CONFLICT` if it waits for an earlier one. `CONFLICT` also if its event is no longer kept, or its subscription is paused or disabled.',
    errors: ['CONFLICT'],
    answers: [{ status: 202, ...DELIVERY }],
  })
  async redeliver(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<DeliveryView> {
    return deliveryView(await this.ledger.redeliver(principal, id));
  }
}

const DESCRIPTION = `Counted by event time. \`QUERY_TOO_EXPENSIVE\` for more than ${MOST_DELIVERIES.toLocaleString('en-US')} deliveries.`;
const STATS = { description: 'Delivery statistics for each hour', body: () => DeliveryStatsView };

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks')
@Access(ADMINISTER_WEBHOOKS)
export class DeliveryStatsController {
  constructor(private readonly ledger: LedgerService) {}

  @Get('stats')
  @Describe({
    summary: 'Get hourly delivery statistics',
    description: DESCRIPTION,
    errors: ['QUERY_TOO_EXPENSIVE'],
    answers: [{ status: 200, ...STATS }],
  })
  async ofTenant(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query() query: DeliveryStatsQuery,
  ): Promise<DeliveryStatsView> {
    return deliveryStatsView(await this.ledger.countByHour({ tenantId }, query));
  }

  @Get('subscriptions/:id/stats')
  @Describe({
    summary: 'Get hourly delivery statistics of a subscription',
    description: DESCRIPTION,
    errors: ['QUERY_TOO_EXPENSIVE'],
    answers: [{ status: 200, ...STATS }],
  })
  async ofSubscription(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Query() query: DeliveryStatsQuery,
  ): Promise<DeliveryStatsView> {
    return deliveryStatsView(await this.ledger.statsOfSubscription(principal, id, query));
  }
}

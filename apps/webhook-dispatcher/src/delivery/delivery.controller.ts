import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, IdParam, type ListAnswer, mapList } from '@crm/http';
import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { attemptView, DeliveryDetailView, DeliveryListQuery, DeliveryView, deliveryView } from './delivery.dto.js';
import { DeliveryService } from './delivery.service.js';

/** The ledger is for administrators; an embedded page never sees it. */
const ADMINISTER = { right: 'administer', scope: 'webhooks', embed: false } as const;
const DELIVERY = { description: 'The delivery', body: () => DeliveryView };

@Controller('api/webhooks/deliveries')
export class DeliveryController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Get()
  @Access(ADMINISTER)
  @Describe({ summary: 'Lists deliveries, newest first', answers: [{ status: 200, ...DELIVERY, list: true }] })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: DeliveryListQuery,
  ): Promise<ListAnswer<DeliveryView>> {
    return mapList(await this.deliveries.list(principal, query), deliveryView);
  }

  @Get(':id')
  @Access(ADMINISTER)
  @Describe({
    summary: 'Reads a delivery with its attempts',
    answers: [{ status: 200, description: 'The delivery', body: () => DeliveryDetailView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<DeliveryDetailView> {
    const { delivery, attempts } = await this.deliveries.get(principal, id);
    return { ...deliveryView(delivery), attemptLog: attempts.map(attemptView) };
  }

  @Post(':id/redeliver')
  @HttpCode(202)
  @Access(ADMINISTER)
  @Describe({ summary: 'Sends a finished delivery again', answers: [{ status: 202, ...DELIVERY }] })
  async redeliver(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<DeliveryView> {
    return deliveryView(await this.deliveries.redeliver(principal, id));
  }
}

import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { MOST_DELIVERIES, RecoveryView, recoveryView, StartRecoveryInput } from './recovery.dto.js';
import { RecoveryService } from './recovery.service.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/subscriptions/:id')
@Access(ADMINISTER_WEBHOOKS)
export class RecoveryController {
  constructor(private readonly recoveries: RecoveryService) {}

  @Post('recover')
  @Describe({
    summary: 'Sends what a subscription holds',
    description:
      'In the background, the oldest events first, between new events. While a recovery runs, the answer is that one. Also for a subscription of an app. `CONFLICT` while the subscription is paused or disabled.',
    errors: ['CONFLICT'],
    answers: [{ status: 202, description: 'The recovery', body: () => RecoveryView }],
  })
  async recover(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { since, limit = MOST_DELIVERIES, includeFailed = false }: StartRecoveryInput,
  ): Promise<RecoveryView> {
    const request = { subscriptionId: id, since: since === undefined ? null : new Date(since), limit, includeFailed };
    return recoveryView(await this.recoveries.start(principal, request));
  }

  @Get('recovery')
  @Describe({
    summary: 'Returns the recovery of a subscription',
    description: 'The one that is running, or the last one; `NOT_FOUND` when there was none.',
    answers: [{ status: 200, description: 'The recovery', body: () => RecoveryView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<RecoveryView> {
    return recoveryView(await this.recoveries.get(principal, id));
  }
}

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
    summary: 'Recover held deliveries',
    description:
      "Runs in the background, oldest events first, between new events. If a recovery is already running, returns it. Works for apps' subscriptions, too. `CONFLICT` while the subscription is paused or disabled.",
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
    summary: 'Get the recovery of a subscription',
    description: 'The running recovery or the last one; `NOT_FOUND` if there was none.',
    answers: [{ status: 200, description: 'The recovery', body: () => RecoveryView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<RecoveryView> {
    return recoveryView(await this.recoveries.get(principal, id));
  }
}

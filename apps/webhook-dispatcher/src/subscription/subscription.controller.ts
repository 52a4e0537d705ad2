import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import {
  CreatedSubscriptionView,
  CreateSubscriptionInput,
  SecretView,
  SubscriptionView,
  subscriptionView,
  UpdateSubscriptionInput,
} from './subscription.dto.js';
import { SubscriptionService } from './subscription.service.js';

const SUBSCRIPTION = { description: 'The subscription', body: () => SubscriptionView };

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/subscriptions')
export class SubscriptionController {
  constructor(private readonly subscriptions: SubscriptionService) {}

  @Post()
  @NotRepeatable()
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Subscribes a URL to events',
    description:
      'The URL must be https and public. The answer contains the signing secret, which is never shown again.',
    answers: [{ status: 201, description: 'The subscription with its secret', body: () => CreatedSubscriptionView }],
    refusals: ['SUBSCRIPTION_LIMIT_EXCEEDED', 'WEBHOOK_TARGET_REFUSED'],
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() input: CreateSubscriptionInput,
  ): Promise<CreatedSubscriptionView> {
    const { subscription, secret } = await this.subscriptions.create(principal, input);
    return { ...subscriptionView(subscription), secret };
  }

  @Get()
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Lists subscriptions',
    description: 'Those of the workspace and those of its installed apps.',
    answers: [{ status: 200, ...SUBSCRIPTION, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<SubscriptionView>> {
    return mapList(await this.subscriptions.list(principal, query), subscriptionView);
  }

  @Get(':id')
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Returns a subscription',
    description: 'The secret is not part of it.',
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.get(principal, id));
  }

  @Patch(':id')
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Changes a subscription',
    description:
      'Enabling forgets past failures. A subscription of an app can only be enabled or disabled (`CONFLICT`).',
    refusals: ['CONFLICT', 'WEBHOOK_TARGET_REFUSED'],
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async update(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() changes: UpdateSubscriptionInput,
  ): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.update(principal, id, changes));
  }

  @Delete(':id')
  @HttpCode(204)
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Deletes a subscription',
    description: 'A subscription of an app is removed by uninstalling the app (`CONFLICT`).',
    refusals: ['CONFLICT'],
    answers: [{ status: 204, description: 'The subscription is deleted' }],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.subscriptions.delete(principal, id);
  }

  @Post(':id/rotate-secret')
  @NotRepeatable()
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Rotates the signing secret of a subscription',
    description: 'The previous secret stays valid for one more day.',
    answers: [{ status: 201, description: 'The new secret; it is never shown again', body: () => SecretView }],
  })
  async rotateSecret(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SecretView> {
    return { secret: await this.subscriptions.rotateSecret(principal, id) };
  }
}

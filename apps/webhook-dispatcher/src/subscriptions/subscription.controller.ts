import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, CHANGE_RECEIVERS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { SecretService } from './secret.service.js';
import {
  CreatedSubscriptionView,
  CreateSubscriptionInput,
  RotatedSecretView,
  SubscriptionView,
  subscriptionView,
  UpdateSubscriptionInput,
} from './subscription.dto.js';
import { SubscriptionService } from './subscription.service.js';

const SUBSCRIPTION = { description: 'The subscription', body: () => SubscriptionView };

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/subscriptions')
@Access(ADMINISTER_WEBHOOKS)
export class SubscriptionController {
  constructor(
    private readonly subscriptions: SubscriptionService,
    private readonly secrets: SecretService,
  ) {}

  @Post()
  @Access(CHANGE_RECEIVERS)
  @NotRepeatable()
  @Describe({
    summary: 'Subscribes a URL to events',
    description:
      'The URL must be https and public. With `v1` the answer contains the signing secret, which is never shown again; with `v1a` the public key that verifies the signatures. An API key needs the scope `users:read` as well for events of users.',
    answers: [
      {
        status: 201,
        description: 'The subscription with its secret or public key',
        body: () => CreatedSubscriptionView,
      },
    ],
    errors: ['SUBSCRIPTION_LIMIT_EXCEEDED', 'WEBHOOK_TARGET_REFUSED'],
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() input: CreateSubscriptionInput,
  ): Promise<CreatedSubscriptionView> {
    const { subscription, shown } = await this.subscriptions.create(principal, input);
    return { ...subscriptionView(subscription), ...shown };
  }

  @Get()
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
  @Describe({
    summary: 'Returns a subscription',
    description: 'The secret and the values of its headers are not part of it.',
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.get(principal, id));
  }

  @Patch(':id')
  @Access(CHANGE_RECEIVERS)
  @Describe({
    summary: 'Changes a subscription',
    description:
      '`enabled` pauses and resumes, as the calls of these names do. A new URL needs the values of all headers again. A subscription of an app can only be paused and resumed (`CONFLICT`), and one to events of users by an API key without the scope `users:read`.',
    errors: ['CONFLICT', 'WEBHOOK_TARGET_REFUSED'],
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
  @Access(CHANGE_RECEIVERS)
  @Describe({
    summary: 'Deletes a subscription',
    description:
      'What it holds is discarded: its held deliveries fail with `subscription_deleted`. A subscription of an app is removed by uninstalling the app (`CONFLICT`).',
    errors: ['CONFLICT'],
    answers: [{ status: 204, description: 'The subscription is deleted' }],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.subscriptions.delete(principal, id);
  }

  @Post(':id/pause')
  @Describe({
    summary: 'Pauses a subscription',
    description:
      'From now on its events are held: they become deliveries with the status `held`, which `recover` sends. Attempts under way end as usual. Also for a subscription of an app.',
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async pause(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.update(principal, id, { enabled: false }));
  }

  @Post(':id/resume')
  @Describe({
    summary: 'Resumes a subscription that is paused or disabled',
    description:
      'New events are sent from now on, and past failures are forgotten. What it holds stays held until `recover`. Also for a subscription of an app.',
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async resume(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.update(principal, id, { enabled: true }));
  }

  @Post(':id/rotate-secret')
  @Access(CHANGE_RECEIVERS)
  @NotRepeatable()
  @Describe({
    summary: 'Rotates the signing secret of a subscription',
    description:
      'The previous secret stays valid for one more day. With `v1a` it is a key pair that changes, and the answer has the public key.',
    answers: [
      {
        status: 201,
        description: 'The new secret, which is never shown again, or the new public key',
        body: () => RotatedSecretView,
        example: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
      },
    ],
  })
  rotateSecret(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<RotatedSecretView> {
    return this.secrets.rotate(principal, id);
  }

  @Post(':id/revoke-previous-secret')
  @Describe({
    summary: 'Revokes the previous signing secret of a subscription',
    description:
      'After a rotation, ends the day in which the previous secret still signs. Nothing changes when there is none.',
    answers: [{ status: 204, description: 'No delivery is signed with a previous secret' }],
  })
  revokePreviousSecret(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.secrets.revokePrevious(principal, id);
  }
}

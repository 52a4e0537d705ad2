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
    summary: 'Create a subscription',
    description:
      'The URL must use https and a public host. With `v1`, the response contains the signing secret, which is shown once; with `v1a`, the public key that verifies the signatures. For events about users, an API key also needs the scope `users:read`.',
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
    summary: 'List subscriptions',
    description: "The workspace's subscriptions and those of its installed apps.",
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
    summary: 'Get a subscription',
    description: 'Without the secret and the values of its headers.',
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.get(principal, id));
  }

  @Patch(':id')
  @Access(CHANGE_RECEIVERS)
  @Describe({
    summary: 'Update a subscription',
    description:
      "`enabled` pauses and resumes, like the calls with these names. With a new URL, send all header values again. An app's subscription can only be paused and resumed (`CONFLICT`); the same applies to an API key without the scope `users:read` for events about users.",
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
    summary: 'Delete a subscription',
    description:
      "Its held deliveries fail with `subscription_deleted`. An app's subscription is removed by uninstalling the app (`CONFLICT`).",
    errors: ['CONFLICT'],
    answers: [{ status: 204, description: 'The subscription is deleted' }],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.subscriptions.delete(principal, id);
  }

  @Post(':id/pause')
  @Describe({
    summary: 'Pause a subscription',
    description:
      "Its events are held as deliveries with the status `held`, which `recover` sends. Attempts in progress finish. Works for apps' subscriptions, too.",
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async pause(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.update(principal, id, { enabled: false }));
  }

  @Post(':id/resume')
  @Describe({
    summary: 'Resume a subscription',
    description:
      "Works for a paused or disabled subscription. New events are sent from then on, and past failures are cleared. Held deliveries stay held until `recover`. Works for apps' subscriptions, too.",
    answers: [{ status: 200, ...SUBSCRIPTION }],
  })
  async resume(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<SubscriptionView> {
    return subscriptionView(await this.subscriptions.update(principal, id, { enabled: true }));
  }

  @Post(':id/rotate-secret')
  @Access(CHANGE_RECEIVERS)
  @NotRepeatable()
  @Describe({
    summary: 'Rotate the signing secret',
    description:
      'The previous secret stays valid for one more day. With `v1a`, the key pair changes and the response has the new public key.',
    answers: [
      {
        status: 201,
        description: 'The new secret, shown once, or the new public key',
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
    summary: 'Revoke the previous signing secret',
    description:
      'After a rotation, stops signing with the previous secret before its day is over. Does nothing if there is none.',
    answers: [{ status: 204, description: 'No delivery is signed with a previous secret' }],
  })
  revokePreviousSecret(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.secrets.revokePrevious(principal, id);
  }
}

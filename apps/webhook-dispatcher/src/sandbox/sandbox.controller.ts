import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Header, Param, Post, Query } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { ListeningService } from './listening.service.js';
import {
  ListenedDeliveriesView,
  ListenQuery,
  TestOutcomeView,
  TriggeredEventView,
  TriggerInput,
  testOutcomeView,
} from './sandbox.dto.js';
import { TestEventService } from './test-event.service.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/marketplace/developer/apps/:key/listen')
export class ListeningController {
  constructor(private readonly listening: ListeningService) {}

  @Get()
  @Header('cache-control', 'no-store')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Waits for deliveries of the sandboxes of an app',
    description:
      'For developers, as `crm-dev listen` does: a copy of each delivery of the sandboxes in the workspace that publishes the app, whatever becomes of the delivery itself, once its first attempt is recorded. The first call, without a cursor, begins a session and is answered at once; each further call is answered as soon as there are deliveries, at most 100, or when the wait is over. A cursor can be used again within a day, so that a session survives an interruption; it shows no event that reaches the ledger over an hour late. `CONFLICT` when the app has no sandbox in the workspace.',
    errors: ['INVALID_QUERY', 'CONFLICT', 'RATE_LIMITED'],
    answers: [{ status: 200, description: 'Deliveries, and where to go on', body: () => ListenedDeliveriesView }],
  })
  next(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Query() query: ListenQuery,
  ): Promise<ListenedDeliveriesView> {
    return this.listening.next(principal, key, query);
  }
}

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/marketplace/developer/apps/:key/trigger')
export class SampleEventController {
  constructor(private readonly events: TestEventService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Sends a sample event to the sandboxes of an app',
    description:
      'For developers, as `crm-dev trigger` does: the example of the catalogue with the id of a new event and the present time, signed with the secret of the app, to each webhook of the sandboxes in the workspace that publishes the app which names the event. One attempt each, whose outcome is answered and recorded in the ledger. Neither workflows nor other subscriptions get the event. `CONFLICT` when there is no sandbox, or none of its webhooks names the event.',
    errors: ['CONFLICT', 'RATE_LIMITED'],
    answers: [{ status: 200, description: 'What became of the deliveries', body: () => TriggeredEventView }],
  })
  trigger(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Body() { event }: TriggerInput,
  ): Promise<TriggeredEventView> {
    return this.events.sendSample(principal, key, event);
  }
}

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/subscriptions/:id')
export class TestEventController {
  constructor(private readonly events: TestEventService) {}

  @Post('test')
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Sends a test event to a subscription',
    description:
      'One event of the type `webhook.test`, signed like a delivery, also while the subscription is paused or disabled and for a subscription of an app. The answer comes when the receiver has answered or 15 seconds are over, and says what came of it. The event is not repeated and not in the ledger. `RATE_LIMITED` while another one of the subscription is under way.',
    errors: ['RATE_LIMITED'],
    answers: [{ status: 200, description: 'What came of it', body: () => TestOutcomeView }],
  })
  async send(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<TestOutcomeView> {
    return testOutcomeView(await this.events.sendTest(principal, id));
  }
}

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
    summary: "Listen to the deliveries of an app's sandboxes",
    description:
      "For developers, as used by `crm-dev listen`: returns a copy of each delivery to the app's sandboxes in the publisher's workspace once its first attempt is recorded, whatever its outcome. The first call, without a cursor, starts a session and returns immediately. Each further call returns as soon as there are deliveries, up to 100, or when the wait is over. A cursor can be reused within a day, so that a session survives an interruption; it leaves out events recorded more than an hour late. `CONFLICT` if the app has no sandbox in the workspace.",
    errors: ['INVALID_QUERY', 'CONFLICT', 'RATE_LIMITED'],
    answers: [
      { status: 200, description: 'Deliveries, and the cursor of the next call', body: () => ListenedDeliveriesView },
    ],
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
    summary: "Send a sample event to an app's sandboxes",
    description:
      "For developers, as used by `crm-dev trigger`: sends the event's example with a new ID and the current time, signed with the app's secret, to each sandbox webhook in the publisher's workspace that subscribes to it. Each gets one attempt, whose outcome is returned and recorded. Workflows and other subscriptions don't get the event. `CONFLICT` if there is no sandbox, or none of its webhooks subscribes to the event.",
    errors: ['CONFLICT', 'RATE_LIMITED'],
    answers: [{ status: 200, description: 'The outcome of the deliveries', body: () => TriggeredEventView }],
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
    summary: 'Send a test event to a subscription',
    description:
      "Sends one `webhook.test` event, signed like a delivery, even if the subscription is paused, disabled, or an app's. Returns the outcome once the endpoint has responded or after 15 seconds. The event isn't retried and doesn't appear in the list of deliveries. `RATE_LIMITED` while another test event of the subscription is in progress.",
    errors: ['RATE_LIMITED'],
    answers: [{ status: 200, description: 'The outcome', body: () => TestOutcomeView }],
  })
  async send(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<TestOutcomeView> {
    return testOutcomeView(await this.events.sendTest(principal, id));
  }
}

import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { WEBHOOKS_GROUP } from '../webhooks-api.js';
import { TriggeredEventView, TriggerInput } from './sample-event.dto.js';
import { SampleEventService } from './sample-event.service.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/marketplace/developer/apps/:key/trigger')
export class SampleEventController {
  constructor(private readonly samples: SampleEventService) {}

  @Post()
  @HttpCode(200)
  @NotRepeatable()
  @Access({ right: 'administer' })
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
    return this.samples.trigger(principal, key, event);
  }
}

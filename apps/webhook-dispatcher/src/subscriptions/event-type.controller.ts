import { Access } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { EventTypesView } from './event-type.dto.js';
import { EVENT_TYPES } from './event-type.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/event-types')
export class EventTypeController {
  @Get()
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'List event types',
    description: "All events on one page, each with the schema of its data and an example of a delivery's body.",
    answers: [{ status: 200, description: 'The event types', body: () => EventTypesView }],
  })
  list(): EventTypesView {
    return { data: [...EVENT_TYPES] };
  }
}

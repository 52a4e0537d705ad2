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
    summary: 'Lists the events that a subscription can name',
    description:
      'All on one page, each with the schema of its data and with an example of the body that receivers get.',
    answers: [{ status: 200, description: 'The catalogue of events', body: () => EventTypesView }],
  })
  list(): EventTypesView {
    return { data: [...EVENT_TYPES] };
  }
}

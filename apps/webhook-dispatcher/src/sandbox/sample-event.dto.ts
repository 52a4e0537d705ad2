import { DELIVERY_STATUSES, type DeliveryStatus, EVENT_NAMES, type EventName } from '@crm/contracts';
import { EnumField, IdField, IntegerField, ListField, ObjectField, TextField } from '@crm/http';
import { DeliveryErrorView } from '../ledger/delivery.dto.js';

export class TriggerInput {
  @EnumField(EVENT_NAMES, { description: 'Of the catalogue: `GET /api/webhooks/event-types`' })
  event: EventName;
}

export class TriggeredDeliveryView {
  @IdField({ description: 'In the ledger of the workspace: `GET /api/webhooks/deliveries/{id}`' })
  id: string;

  @IdField()
  subscriptionId: string;

  @TextField({ maxLength: 2048, example: 'https://hooks.example.com/crm' })
  url: string;

  @EnumField(DELIVERY_STATUSES, {
    description: '`pending` when the platform was about to restart; the attempt is made later',
  })
  status: DeliveryStatus;

  @IntegerField({ optional: true, description: 'Status of the answer, whether it was accepted or not' })
  httpStatus?: number;

  @IntegerField({ optional: true, minimum: 0, description: 'Until the answer was complete, or the attempt had failed' })
  latencyMs?: number;

  @ObjectField(() => DeliveryErrorView, { optional: true, description: 'Why the attempt failed' })
  error?: DeliveryErrorView;
}

export class TriggeredEventView {
  @IdField({ description: '`webhook-id` of the deliveries' })
  eventId: string;

  @TextField({ maxLength: 80, example: EVENT_NAMES[0] })
  event: string;

  @ListField(() => TriggeredDeliveryView)
  deliveries: TriggeredDeliveryView[];
}

import { IntegerField, JsonField, ListField, TextField } from '@crm/http';
import { EVENT_TYPES } from './event-type.js';

const [EXAMPLE] = EVENT_TYPES;

export class EventTypeView {
  @TextField({ maxLength: 80, description: 'The name to subscribe to; `type` in the body', example: EXAMPLE?.name })
  name: string;

  @TextField({
    maxLength: 80,
    description: 'The first part of the name; `<domain>.*` subscribes to every event of the domain',
    example: EXAMPLE?.domain,
  })
  domain: string;

  @IntegerField({ minimum: 1, example: EXAMPLE?.version }) version: number;

  @TextField({
    maxLength: 120,
    description: 'Identifies the event and its version; `dataschema` in the body and `$id` of the schema',
    example: EXAMPLE?.dataschema,
  })
  dataschema: string;

  @TextField({ maxLength: 500, description: 'What happened', example: EXAMPLE?.description }) description: string;
  @JsonField({ description: 'JSON Schema 2020-12 of `data` in the body', example: EXAMPLE?.schema }) schema: object;
  @JsonField({ description: 'The whole body of a delivery', example: EXAMPLE?.example }) example: object;
}

export class EventTypesView {
  @ListField(() => EventTypeView, { maxItems: 1000 }) data: EventTypeView[];
}

import { domainOf, EVENTS, type EventDefinition, type EventEnvelope } from '@crm/contracts';

/** What receivers get. `data` of a record event is the record, on updates with `changed` and `previous`. */
export interface DeliveryBody {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly tenantId: string;
  readonly dataschema: string;
  /** API name of a custom object. */
  readonly object?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export function deliveryBody(event: EventEnvelope): DeliveryBody {
  const { record, object, ...rest } = event.data as { record?: Record<string, unknown>; object?: string } & Record<
    string,
    unknown
  >;
  return {
    id: event.id,
    type: event.type,
    timestamp: event.time,
    tenantId: event.tenantid,
    dataschema: event.dataschema,
    ...(object === undefined ? {} : { object }),
    data: record === undefined ? rest : { ...record, ...rest },
  };
}

type JsonSchema = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** Every event of the vocabulary, in its current version. */
export const EVENT_TYPES = Object.values(EVENTS).map(eventTypeOf);
export type EventType = (typeof EVENT_TYPES)[number];

function eventTypeOf(definition: EventDefinition) {
  const { name, version, dataschema, description } = definition;
  const schema: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: dataschema,
    ...deliveredSchema(definition.data as JsonSchema & ObjectSchema),
  };
  return {
    name,
    domain: domainOf(name),
    version,
    dataschema,
    description,
    schema,
    example: deliveryBody(exampleOf(definition)),
  };
}

/** The schema of what {@link deliveryBody} makes of the data. Schemas are open, for fields of the tenant and later ones. */
function deliveredSchema({ properties, required = [] }: ObjectSchema): JsonSchema {
  const { record, object: _ofTheBody, ...rest } = properties;
  const ofRecord: Partial<ObjectSchema> = record ?? {};
  const isInData = (name: string) => name !== 'record' && name !== 'object';
  return {
    type: 'object',
    properties: { ...ofRecord.properties, ...rest },
    required: [...(ofRecord.required ?? []), ...required.filter(isInData)],
  };
}

function exampleOf(definition: EventDefinition): EventEnvelope {
  return {
    specversion: '1.0',
    id: '019ca8f0-2c64-7e1b-9a37-5d8b0f4c6e21',
    source: '/crm',
    type: definition.name,
    time: '2026-03-01T09:30:00.000Z',
    datacontenttype: 'application/json',
    dataschema: definition.dataschema,
    tenantid: '019ca8c0-9e52-7a4d-8b16-3c7f5e0d2a98',
    data: definition.example as Record<string, unknown>,
  };
}

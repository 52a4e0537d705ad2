import { domainOf, EVENTS, type EventDefinition, type EventEnvelope } from '@crm/contracts';
import { type DeliveryBody, deliveryBody } from './delivery-body.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** An event as its receivers meet it. */
export interface EventType {
  readonly name: string;
  readonly domain: string;
  readonly version: number;
  readonly dataschema: string;
  readonly description: string;
  /** Of `data` in the body of a delivery. */
  readonly schema: JsonSchema;
  readonly example: DeliveryBody;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** Every event of the vocabulary, in its current version. */
export const EVENT_TYPES: readonly EventType[] = Object.values(EVENTS).map(eventTypeOf);

function eventTypeOf(definition: EventDefinition): EventType {
  const { name, version, dataschema, description } = definition;
  return {
    name,
    domain: domainOf(name),
    version,
    dataschema,
    description,
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: dataschema,
      ...deliveredSchema(definition.data as JsonSchema & ObjectSchema),
    },
    example: deliveryBody(exampleOf(definition)),
  };
}

/**
 * The schema of what {@link deliveryBody} makes of an event's data: the fields of the record stand next to what else there
 * is, and `object` moves to the body. The schemas are open: fields of the tenant and fields that are added later join in.
 */
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

import type { EventEnvelope } from '@crm/contracts';

/**
 * The body of a delivery. `id` is the id of the event, by which a receiver recognises a duplicate. For a record event
 * `data` is the record, on updates with `changed` and `previous`; for a custom record `object` is the API name of its
 * object. `dataschema` names the event and its version; the schema of `data` is in the catalogue of event types.
 */
export interface DeliveryBody {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly tenantId: string;
  readonly dataschema: string;
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

import {
  EVENTS,
  type EventData,
  type EventEnvelope,
  type EventName,
  eventSubject,
  type ServiceName,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection } from '@crm/messaging';
import { testNats } from './test-nats.js';

export function eventOf<Name extends EventName>(
  type: Name,
  tenantId: string,
  data: EventData<(typeof EVENTS)[Name]>,
): EventEnvelope {
  const { producer, dataschema } = EVENTS[type];
  return {
    specversion: '1.0',
    id: newId(),
    source: `urn:crm:service:${producer}`,
    type,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    dataschema,
    tenantid: tenantId,
    data: data as Record<string, unknown>,
  };
}

/** Publishes events as the NATS user of their producer. Without an id for the broker: it removes no double. */
export async function publishEvents(...events: readonly EventEnvelope[]): Promise<void> {
  const { url, passwords } = testNats();
  for (const event of events) {
    const name = event.type as EventName;
    const service: ServiceName = EVENTS[name].producer;
    const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
    try {
      await nats.jetstream.publish(eventSubject(name, event.tenantid), JSON.stringify(event));
    } finally {
      await nats.close();
    }
  }
}

import {
  EVENTS,
  type EventData,
  type EventEnvelope,
  type EventName,
  eventSubject,
  type Revocation,
  type ServiceName,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection, RevocationPublisher } from '@crm/messaging';
import { testNats } from './test-nats.js';

/** Each waits for its acknowledgement. */
const PUBLISHED_TOGETHER = 500;

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

const nameOf = ({ type }: EventEnvelope) => type as EventName;

/** Publishes events as the NATS users of their producers, of each in order. Without an id for the broker: it removes no double. */
export async function publishEvents(...events: readonly EventEnvelope[]): Promise<void> {
  for (const producer of new Set(events.map((event) => EVENTS[nameOf(event)].producer))) {
    const ofProducer = events.filter((event) => EVENTS[nameOf(event)].producer === producer);
    await asService(producer, (nats) => publishAll(nats, ofProducer));
  }
}

async function publishAll({ jetstream }: NatsConnection, events: readonly EventEnvelope[]): Promise<void> {
  for (let begin = 0; begin < events.length; begin += PUBLISHED_TOGETHER) {
    const batch = events.slice(begin, begin + PUBLISHED_TOGETHER);
    await Promise.all(
      batch.map((event) => jetstream.publish(eventSubject(nameOf(event), event.tenantid), JSON.stringify(event))),
    );
  }
}

/** Tells every service of the test that a tenant is suspended, as identity does. */
export const suspendTenant = (tenantId: string): Promise<void> => publishRevocation('suspension', tenantId);

/** Tells every service that it no longer is. Its tokens are accepted again: identity would also cut off those from before. */
export const reinstateTenant = (tenantId: string): Promise<void> => publishRevocation('reinstatement', tenantId);

/** Tells every service that operators have revoked an app. */
export const revokeApp = (appKey: string): Promise<void> => publishRevocation('revoked_app', appKey);

const publishRevocation = (kind: Revocation['kind'], id: string): Promise<void> =>
  asService('identity', (nats) => new RevocationPublisher(nats).publish({ kind, id, cutoffMs: Date.now() }));

async function asService(service: ServiceName, work: (nats: NatsConnection) => Promise<unknown>): Promise<void> {
  const { url, passwords } = testNats();
  const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  try {
    await work(nats);
  } finally {
    await nats.close();
  }
}

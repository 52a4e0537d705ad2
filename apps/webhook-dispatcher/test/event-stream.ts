import { type EventEnvelope, eventSubject } from '@crm/contracts';
import { NatsConnection } from '@crm/messaging';
import { testNats } from '@crm/testing';

export interface EventStream {
  /** Publishes as the service of the records does. @returns the sequence in the stream */
  publish(event: EventEnvelope): Promise<number>;
  close(): Promise<void>;
}

/** The stream of the test file, from which the service gets its events. */
export async function openStream(): Promise<EventStream> {
  const { url, passwords } = testNats();
  const service = 'custom-objects';
  const nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  return {
    async publish(event) {
      const subject = eventSubject(event.type as Parameters<typeof eventSubject>[0], event.tenantid);
      const { seq } = await nats.jetstream.publish(subject, JSON.stringify(event), { msgID: event.id });
      return seq;
    },
    close: () => nats.close(),
  };
}

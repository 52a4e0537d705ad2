import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/nats-core';

/**
 * Error codes of JetStream (`server/errors.json` of nats-server) with a status of 4xx that are about the account or the
 * stream and not about the event: 10002, resources of the account used up; 10060, another stream takes the subject; 10109,
 * the stream is sealed. They affect every event and pass when the broker is put in order.
 */
const ABOUT_THE_STREAM = new Set([10_002, 10_060, 10_109]);

/**
 * Whether the broker refuses the event itself, so that waiting does not help: the service may not publish its subject, it
 * is larger than the server or the stream takes, or JetStream rejects it. Everything else is trouble that passes, however
 * long it takes, and never counts against an event: nobody there, no answer in time, a lost connection, an unavailable
 * stream (503), no more storage (500).
 */
export function isRefusal(error: Error): boolean {
  if (error instanceof errors.PermissionViolationError) return error.operation === 'publish';
  if (error instanceof JetStreamApiError) {
    return error.status >= 400 && error.status < 500 && !ABOUT_THE_STREAM.has(error.code);
  }
  // Thrown by the client: what exceeds the server's max_payload, and a subject that is none.
  return error instanceof errors.InvalidArgumentError || error instanceof errors.InvalidSubjectError;
}

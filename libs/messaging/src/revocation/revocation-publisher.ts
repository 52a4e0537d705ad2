import { type Revocation, revocationKey } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { NatsConnection } from '../nats-connection.js';
import { REVOCATION_STREAM, REVOCATION_SUBJECT_PREFIX } from './revocation-subject.js';

/** Publishes a cut-off to every verifier. Only identity's NATS user may. */
@Injectable()
export class RevocationPublisher {
  constructor(private readonly nats: NatsConnection) {}

  /** Resolves when the bucket has stored it; watchers receive it within milliseconds. */
  async publish(revocation: Revocation): Promise<void> {
    const subject = REVOCATION_SUBJECT_PREFIX + revocationKey(revocation.kind, revocation.id);
    await this.nats.jetstream.publish(subject, JSON.stringify(revocation), {
      expect: { streamName: REVOCATION_STREAM },
    });
  }
}

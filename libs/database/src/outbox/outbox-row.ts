/** An event as it stands in the outbox. */
export interface OutboxRow {
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  /** NATS subject. */
  readonly subject: string;
  /** CloudEvents JSON. */
  readonly envelope: string;
}

/** The `consumer` of dead letters that the relay has stored, because the broker refuses them. */
export const OUTBOX_CONSUMER = 'outbox';

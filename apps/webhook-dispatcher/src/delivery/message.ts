/** What a delivery sends. */
export interface Message {
  readonly eventId: string;
  readonly body: string;
  /** Below which its attempts are recorded. Receivers do not get it. */
  readonly traceparent?: string | undefined;
}

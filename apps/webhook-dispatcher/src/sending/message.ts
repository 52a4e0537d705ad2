/** What a delivery sends. */
export interface Message {
  readonly eventId: string;
  readonly body: string;
}

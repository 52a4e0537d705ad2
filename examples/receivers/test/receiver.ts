export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A receiver under test. */
export interface Receiver {
  /** Sends a delivery. */
  send(headers: Record<string, string>, body: string): Promise<Answer>;
  /** The next line in which the receiver says what it handled; each is returned once, in their order. */
  nextHandled(): Promise<string>;
  close(): Promise<void>;
}

/** A delivery of a sandbox, as the API shows it to its developer. */
export interface ListenedDelivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly url: string;
  /** As the endpoint gets them, signed at the time of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that is signed. */
  readonly body: string;
}

export interface ListenedPage {
  readonly data: readonly ListenedDelivery[];
  readonly cursor: string;
}

const TEXTS = ['id', 'event', 'eventId', 'url', 'body'] as const;

/** Whether an answer is what it should be. */
export function isListenedPage(body: unknown): body is ListenedPage {
  if (typeof body !== 'object' || body === null) return false;
  const { data, cursor } = body as Record<string, unknown>;
  return typeof cursor === 'string' && Array.isArray(data) && data.every(isListenedDelivery);
}

function isListenedDelivery(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const delivery = value as Record<string, unknown>;
  const { headers } = delivery;
  return (
    TEXTS.every((name) => typeof delivery[name] === 'string') &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((text) => typeof text === 'string')
  );
}

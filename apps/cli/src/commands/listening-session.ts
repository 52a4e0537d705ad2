import { setTimeout as delay } from 'node:timers/promises';
import { membersOf, UsageError } from '../arguments.js';
import { type Answer, type Platform, PlatformUnreachable } from '../remote/platform.js';

/** A delivery of a sandbox, as the API shows it to its developer. */
export interface ListenedDelivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly url: string;
  /** The headers that the endpoint gets, signed at the time of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that is signed. */
  readonly body: string;
}

interface ListenedPage {
  readonly data: readonly ListenedDelivery[];
  readonly cursor: string;
}

const TEXTS = ['id', 'event', 'eventId', 'url', 'body'] as const;

function isListenedPage(body: unknown): body is ListenedPage {
  const { data, cursor } = membersOf(body);
  return typeof cursor === 'string' && Array.isArray(data) && data.every(isListenedDelivery);
}

function isListenedDelivery(value: unknown): boolean {
  const delivery = membersOf(value);
  const { headers } = delivery;
  return (
    TEXTS.every((name) => typeof delivery[name] === 'string') &&
    typeof headers === 'object' &&
    headers !== null &&
    Object.values(headers).every((text) => typeof text === 'string')
  );
}

/** A call is answered after 20 seconds at the latest. */
const TIMEOUT_MS = 35_000;
/** Milliseconds before the first try after an interruption; doubled for each further one. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Told about interruptions. */
export interface SessionListener {
  begun(): void;
  /** The connection is lost, or the platform does not want to be called now. @param reason a sentence */
  lost(reason: string): void;
  /** It goes on where it was: nothing was missed. */
  resumed(): void;
}

/** The deliveries of an app's sandboxes from now on, until it is interrupted. It survives interruptions of the connection. */
export class ListeningSession {
  private cursor: string | undefined;
  private failures = 0;

  constructor(
    private readonly platform: Platform,
    private readonly appKey: string,
    private readonly events: readonly string[],
    private readonly listener: SessionListener,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws UsageError when the session cannot begin, or the platform refuses to go on */
  async *deliveries(): AsyncGenerator<ListenedDelivery> {
    while (!this.signal.aborted) {
      const page = await this.page();
      if (page) yield* page.data;
    }
  }

  /** @returns undefined after an interruption */
  private async page(): Promise<ListenedPage | undefined> {
    try {
      const answer = await this.platform.call('GET', this.path(), { timeoutMs: TIMEOUT_MS, signal: this.signal });
      if (isTemporary(answer) && this.cursor !== undefined) {
        await this.pause(`${this.platform.origin} returned ${answer.status}.`, answer.retryAfter);
        return undefined;
      }
      if (answer.status !== 200) this.platform.refuse(answer);
      return this.accept(answer.body);
    } catch (error) {
      if (this.signal.aborted) return undefined;
      // A wrong address is no interruption.
      if (!(error instanceof PlatformUnreachable) || this.cursor === undefined) throw error;
      await this.pause(error.message);
      return undefined;
    }
  }

  private accept(body: unknown): ListenedPage {
    if (!isListenedPage(body))
      throw new UsageError(`${this.platform.origin} returned an unexpected response (expected deliveries).`);
    if (this.cursor === undefined) this.listener.begun();
    if (this.failures > 0) this.listener.resumed();
    this.failures = 0;
    this.cursor = body.cursor;
    return body;
  }

  private async pause(reason: string, retryAfterSeconds = 0): Promise<void> {
    if (this.failures === 0) this.listener.lost(reason);
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures);
    this.failures += 1;
    try {
      await delay(Math.max(wait, retryAfterSeconds * 1000), undefined, { signal: this.signal });
    } catch (error) {
      if (!this.signal.aborted) throw error;
    }
  }

  private path(): string {
    const query = new URLSearchParams();
    for (const event of this.events) query.append('events', event);
    if (this.cursor !== undefined) query.set('cursor', this.cursor);
    const route = `api/marketplace/developer/apps/${encodeURIComponent(this.appKey)}/listen`;
    return query.size > 0 ? `${route}?${query}` : route;
  }
}

/** Returns whether the same call may succeed later. */
const isTemporary = ({ status }: Answer): boolean => status === 429 || status >= 500;

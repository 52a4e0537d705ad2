import { type Receiver, type ReceiverCertificate, type ReceiverReaction, startReceiver } from '@crm/testing';
import { ATTEMPTS } from './retries.js';
import { fractionOf } from './seeded.js';

/** Share of the answers that are failures. */
const FAILING = 0.2;
/** Share of the deliveries that are refused at every attempt, one at a time. */
const REFUSED = 0.005;
/** Before the attempts of a delivery are used up. */
const ACCEPTED_AT = 5;
/** How failures are spread: those of life, most of them without a word about the next attempt. */
export const FAILURES: readonly { readonly below: number; readonly answer: Answer }[] = [
  { below: 0.4, answer: 500 },
  { below: 0.65, answer: 503 },
  { below: 0.9, answer: 'reset' },
  { below: 1, answer: 429 },
];

/** What became of a request: an HTTP status, a connection that the receiver reset, or no answer at all. */
export type Answer = 200 | 429 | 500 | 503 | 'reset' | 'hang';

export interface EndpointOptions {
  readonly seed: number;
  /** By which the seed distinguishes it from others. */
  readonly name: string;
  readonly certificate: ReceiverCertificate;
  /** True when it answers nothing until `isHanging` is reset. */
  readonly hangs: boolean;
  /** The endpoints together take their first failures from here, so that each kind occurs in every run. */
  readonly firstFailures: Answer[];
}

/** The receiver of one subscription, at an origin of its own. The seed decides how it answers each attempt. */
export class Endpoint {
  tenantId = '';
  subscriptionId = '';
  /** In the order of the requests, by event. */
  readonly answers = new Map<string, Answer[]>();
  isHanging: boolean;
  /** Received. */
  requests = 0;
  /** A delivery that is not refused is accepted at this attempt at the latest. */
  acceptedAt = ACCEPTED_AT;

  /** The events that it refuses at every attempt; the last one may have attempts left. */
  private readonly refused: string[] = [];

  private readonly seed: number;
  private readonly name: string;
  private readonly hangsAtFirst: boolean;
  private readonly firstFailures: Answer[];

  private constructor(
    { seed, name, hangs, firstFailures }: EndpointOptions,
    private readonly receiver: Receiver,
  ) {
    this.seed = seed;
    this.name = name;
    this.hangsAtFirst = hangs;
    this.isHanging = hangs;
    this.firstFailures = firstFailures;
    receiver.respondWith(({ headers }) => {
      // Its list of requests would hold all bodies of the run.
      receiver.requests.length = 0;
      return reactionOf(this.answer(headers['webhook-id'] ?? ''));
    });
  }

  static async start(options: EndpointOptions): Promise<Endpoint> {
    return new Endpoint(options, await startReceiver({ tls: options.certificate }));
  }

  get url(): string {
    return this.receiver.url;
  }

  /** Returns whether a request has reached it, if it began by hanging. */
  get hasHung(): boolean {
    return !this.hangsAtFirst || this.requests > 0;
  }

  /** Returns whether it refuses the event at every attempt; false for one that it has not received. */
  refuses(eventId: string): boolean {
    return this.refused.includes(eventId);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private answer(eventId: string): Answer {
    const known = this.answers.get(eventId);
    this.requests += 1;
    if (!known && this.beginsToRefuse(eventId)) this.refused.push(eventId);
    const answer = this.choose(eventId, (known?.length ?? 0) + 1);
    if (known) known.push(answer);
    else this.answers.set(eventId, [answer]);
    return answer;
  }

  /**
   * One delivery after the other, and none where requests hang first: a receiver of which nothing but refused deliveries is
   * left is attempted once a minute, and a run would take as many minutes.
   */
  private beginsToRefuse(eventId: string): boolean {
    const last = this.refused.at(-1);
    const isLastDone = last === undefined || (this.answers.get(last)?.length ?? 0) >= ATTEMPTS;
    return isLastDone && !this.hangsAtFirst && fractionOf(this.seed, `refusal of ${eventId} at ${this.name}`) < REFUSED;
  }

  private choose(eventId: string, attempt: number): Answer {
    if (this.isHanging) return 'hang';
    if (this.refuses(eventId)) return 500;
    const about = `${eventId} at ${this.name}, attempt ${attempt}`;
    if (attempt >= this.acceptedAt || fractionOf(this.seed, `failure of ${about}`) >= FAILING) return 200;
    const first = this.firstFailures.pop();
    if (first !== undefined) return first;
    const kind = fractionOf(this.seed, `kind of failure of ${about}`);
    return FAILURES.find(({ below }) => kind < below)?.answer ?? 500;
  }
}

function reactionOf(answer: Answer): ReceiverReaction {
  if (answer === 'reset' || answer === 'hang') return answer;
  return { status: answer, ...(answer === 429 ? { headers: { 'retry-after': '1' } } : {}) };
}

import { setTimeout as delay } from 'node:timers/promises';

/** Requests under way at a time. */
const WRITERS = 8;
/** Milliseconds after which a writer whose lead was refused makes another one. */
const AFTER_REFUSAL_MS = 100;

/** Where leads are created. */
export interface RecordServices {
  readonly recordServices: readonly { readonly url: string }[];
}

/**
 * Creates leads through the replicas of custom-objects in turn, for the tenants in turn. Every lead that is answered with 201
 * is accepted. A request that is cut off may or may not have committed; then the database knows.
 */
export class Workload {
  readonly accepted: string[] = [];
  /** Requests that were refused or cut off, by what the writer saw. */
  readonly refusals = new Map<string, number>();
  private isStopped = false;
  private begun = 0;
  private turn = 0;

  constructor(
    private readonly platform: RecordServices,
    /** One of each tenant. */
    private readonly tokens: readonly string[],
  ) {}

  /** Resolves when so many leads have been accepted in all. */
  async acceptUpTo(count: number): Promise<void> {
    await Promise.all(Array.from({ length: WRITERS }, () => this.write(count)));
  }

  /** Writers that wait for something to come back wait no more. */
  stop(): void {
    this.isStopped = true;
  }

  private async write(count: number): Promise<void> {
    while (this.begun < count) {
      this.begun += 1;
      while (!this.isStopped && !(await this.postLead())) await delay(AFTER_REFUSAL_MS);
    }
  }

  private async postLead(): Promise<boolean> {
    this.turn += 1;
    const { recordServices } = this.platform;
    const service = recordServices[this.turn % recordServices.length];
    const token = this.tokens[this.turn % this.tokens.length];
    const answer = await fetch(`${service?.url}/api/crm/leads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ lastName: `Lead ${this.turn}` }),
    }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error: Error) => ({ status: 0, text: codeOf(error) }),
    );
    if (answer.status === 201) {
      this.accepted.push(JSON.parse(answer.text).id);
      return true;
    }
    if (answer.status !== 0 && answer.status !== 503) {
      throw new Error(`A lead was answered with ${answer.status}: ${answer.text}`);
    }
    const what = answer.status === 0 ? answer.text : JSON.parse(answer.text).code;
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
    return false;
  }
}

/** Why `fetch` got no answer. */
function codeOf({ message, cause }: Error): string {
  return (cause as { code?: string } | undefined)?.code ?? message;
}

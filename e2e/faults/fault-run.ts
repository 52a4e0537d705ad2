import { eventually } from '../../scripts/demo/client.mjs';
import { type AuditedDelivery, auditedDeliveries } from '../event-path/audit.js';
import { Endpoints } from '../event-path/endpoints.js';
import { type CommittedEvent, Ledger } from '../event-path/ledger.js';
import { untilNothingIsLeft } from '../event-path/settle.js';
import { Workload } from '../event-path/workload.js';
import type { FaultPlan } from './fault-plan.js';
import { FaultyPlatform } from './platform.js';

/** Everything is up again by then, and delivers what is left. */
const FIRST_REQUEST_MS = 120_000;

/** What came of the leads of one part of a run. */
export interface Part {
  /** Leads that were answered with 201. */
  readonly accepted: readonly string[];
  /** Leads that were not, by what the writer saw instead. */
  readonly refusals: ReadonlyMap<string, number>;
  /** All that the database knows, whether the writer got the answer or not. */
  readonly committed: readonly CommittedEvent[];
  readonly deliveries: readonly AuditedDelivery[];
  readonly seconds: number;
}

export interface FaultRun {
  /** Everything was killed in turn. */
  readonly faulty: Part;
  /** Nothing was, and receivers went on failing. */
  readonly calm: Part;
  /** Deliveries in the ledger that no committed event explains. */
  readonly unexplained: number;
}

export interface RunOptions {
  /** Leads that are created when the faults are over and all their events are delivered. */
  readonly calmLeads: number;
  /** Where the processes write what they log; it stays. Without it, the logs go with the run. */
  readonly logFolder?: string | undefined;
}

/**
 * Creates leads while everything on the way of their events is killed as planned, waits until nothing is left to do, and
 * does the same once more without faults.
 * @throws Error with what is left when it does not become less any more, and for a lead that is refused for another reason
 *   than that something is not available
 */
export async function runFaults(plan: FaultPlan, { calmLeads, logFolder }: RunOptions): Promise<FaultRun> {
  const endpoints = await Endpoints.start(plan.seed);
  try {
    const platform = await FaultyPlatform.start(endpoints, { logFolder });
    try {
      for (const endpoint of endpoints.all) await platform.subscribe(endpoint);
      const ledger = new Ledger(platform.databases, platform.broker);
      const run = new Run(platform, endpoints, ledger);
      const faulty = await run.part(() => run.acceptDuringFaults(plan));
      const calm = await run.part(() => run.workload.acceptUpTo(calmLeads));
      const logged = await ledger.listDeliveries();
      return { faulty, calm, unexplained: logged.length - faulty.deliveries.length - calm.deliveries.length };
    } finally {
      await platform.stop();
    }
  } finally {
    await endpoints.close();
  }
}

class Run {
  workload: Workload;
  private readonly known = new Set<string>();
  /** One of each tenant; a long run takes new ones. */
  private readonly tokens: string[] = [];

  constructor(
    private readonly platform: FaultyPlatform,
    private readonly endpoints: Endpoints,
    private readonly ledger: Ledger,
  ) {
    this.workload = new Workload(platform, this.tokens);
  }

  /** Does the work, and looks what came of it when nothing is left to do. */
  async part(work: () => Promise<void>): Promise<Part> {
    const begun = performance.now();
    await this.signAgain();
    this.workload = new Workload(this.platform, this.tokens);
    await work().finally(() => this.workload.stop());
    await untilNothingIsLeft(this.ledger, this.endpoints);
    const seconds = (performance.now() - begun) / 1000;
    const committed = (await this.ledger.listCommittedEvents()).filter(({ id }) => !this.known.has(id));
    for (const { id } of committed) this.known.add(id);
    const deliveries = auditedDeliveries(committed, this.endpoints.all, await this.ledger.listDeliveries());
    const { accepted, refusals } = this.workload;
    return { accepted, refusals, committed, deliveries, seconds };
  }

  /** Leads go on being created while something is down, until it is the turn of the next. */
  async acceptDuringFaults({ leads, faults, hangEndsAfter }: FaultPlan): Promise<void> {
    for (const [index, fault] of faults.entries()) {
      await this.workload.acceptUpTo(fault.after);
      await this.signAgain();
      const next = faults[index + 1]?.after ?? leads;
      await Promise.all([this.platform.strike(fault), this.workload.acceptUpTo(next)]);
      if (next >= hangEndsAfter && this.endpoints.haveHung) this.endpoints.endHanging();
    }
    // What was killed may have held up events until now.
    await eventually(async () => this.endpoints.haveHung, 'that a receiver hangs', FIRST_REQUEST_MS);
    this.endpoints.endHanging();
  }

  private async signAgain(): Promise<void> {
    const { tenantIds } = this.endpoints;
    const fresh = await Promise.all(tenantIds.map((tenantId) => this.platform.sign(tenantId)));
    this.tokens.splice(0, this.tokens.length, ...fresh);
  }
}

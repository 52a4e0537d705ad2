import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type TestTokens, testTokens } from '@crm/testing';
import { client } from '../../scripts/demo/client.mjs';
import { Guard } from '../../scripts/processes/guard.mjs';
import { run } from '../../scripts/processes/run.mjs';
import { inRoot, ROOT } from '../../scripts/root.mjs';
import { type AuditedDelivery, auditedDeliveries } from '../event-path/audit.js';
import { Endpoints } from '../event-path/endpoints.js';
import { type CommittedEvent, Ledger } from '../event-path/ledger.js';
import { untilNothingIsLeft } from '../event-path/settle.js';
import { signFor, subscribe } from '../event-path/subscribe.js';
import { Workload } from '../event-path/workload.js';
import { archiveEverything } from './archive.js';
import { backUp, restoreBaseBackup } from './base-backup.js';
import { Site } from './site.js';

/** Created one after the other while something else happens. */
const LEADS_AT_A_TIME = 20;
/** Requests under way at a time. */
const READERS = 8;
/** Between them, so that a slow machine is not left with more events than it can deliver in the time of a test. */
const BREATH_MS = 100;
/** With the order of records, a delivery has failed after so many attempts. */
const SET_ASIDE_AFTER = 3;
/** The rewind begins so long before the last restored change: what was published before may not have been handled. */
const REWIND_MARGIN_MS = 60_000;

export interface RehearsalOptions {
  readonly seed: number;
  /** Before the backup, and as many after it. */
  readonly leads: number;
  /** True when the broker and its store are gone as well. */
  readonly losesBroker: boolean;
}

/** What was there, and what was there again. */
export interface Rehearsal {
  /** Leads that were accepted before the base backup began. */
  readonly beforeBackup: readonly string[];
  /** Those, and the ones that were accepted before the log was archived for the last time. */
  readonly archived: readonly string[];
  /** Those, and the ones that were accepted until everything was lost. */
  readonly accepted: readonly string[];
  /** Leads that were created at the restored place. */
  readonly afterwards: readonly string[];
  /** All that the restored database knows in the end. */
  readonly committed: readonly CommittedEvent[];
  /** Leads of the restored outbox whose record the interface does not return. */
  readonly unreadable: readonly string[];
  readonly deliveries: readonly AuditedDelivery[];
  /** Events in the ledger that the restored outbox does not know. */
  readonly unexplained: ReadonlySet<string>;
  /** Events that had no delivery in the restored ledger when it was opened. */
  readonly undeliveredAtFirst: number;
  /** Times that the relay has published again what the stream did not have. */
  readonly refills: number;
  /** Events that the dispatcher was made to receive again; undefined when there was no need. */
  readonly rewound: number | undefined;
  readonly seconds: number;
}

/** Backs up a platform that is at work, loses it, and restores it at another place. */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-backup-'));
  // PostgreSQL's user must get through; what is inside is closed to others.
  await chmod(folder, 0o711);
  const guard = new Guard({ throwawayFolder: folder });
  const endpoints = await Endpoints.start(options.seed);
  endpoints.endHanging();
  try {
    return await new Run(options, folder, guard, endpoints).rehearse();
  } finally {
    await endpoints.close();
    await rm(folder, { recursive: true, force: true });
    guard.dismiss();
  }
}

class Run {
  private readonly tokens: TestTokens = testTokens();
  private readonly tokenOf = new Map<string, string>();

  constructor(
    private readonly options: RehearsalOptions,
    private readonly folder: string,
    private readonly guard: Guard,
    private readonly endpoints: Endpoints,
  ) {}

  async rehearse(): Promise<Rehearsal> {
    const begun = performance.now();
    for (const tenantId of this.endpoints.tenantIds) this.tokenOf.set(tenantId, await signFor(this.tokens, tenantId));
    const lost = await this.workAndLose();
    const restored = await this.restore();
    try {
      const found = await this.workOn(restored);
      return { ...lost, ...found, seconds: (performance.now() - begun) / 1000 };
    } finally {
      // Nothing of it is needed any more.
      await restored.kill();
      await restored.stop();
    }
  }

  /** The first place: works, is backed up meanwhile, and is gone. */
  private async workAndLose(): Promise<Pick<Rehearsal, 'beforeBackup' | 'archived' | 'accepted'>> {
    const site = await Site.startServers(this.place('first'));
    try {
      await site.startServices();
      await this.subscribeAll(site);
      const workload = new Workload(site, [...this.tokenOf.values()]);
      await workload.acceptUpTo(this.options.leads);
      const beforeBackup = [...workload.accepted];
      await this.underLoad(workload, () => backUp(site.databases.adminUrl('postgres'), this.backup));
      // These are in the archived log alone.
      await workload.acceptUpTo(workload.accepted.length + this.options.leads);
      const archived = [...workload.accepted];
      await this.underLoad(workload, () => archiveEverything(site.databases.adminUrl('postgres')));
      await this.underLoad(workload, () => site.kill().finally(() => workload.stop()));
      return { beforeBackup, archived, accepted: workload.accepted };
    } finally {
      await site.stop();
    }
  }

  /** Leads are created until the work is done, or until a worker stops it. */
  private async underLoad(workload: Workload, work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const load = async () => {
      while (!isDone) {
        await workload.acceptUpTo(workload.accepted.length + LEADS_AT_A_TIME);
        await delay(BREATH_MS);
      }
    };
    const finish = () => {
      isDone = true;
    };
    await Promise.all([work().finally(finish), load()]);
  }

  /** The second place: other ports, other folders, nothing of the first but what was saved. */
  private async restore(): Promise<Site> {
    const place = this.place('second');
    await restoreBaseBackup(this.backup, path.join(place.folder, 'postgres'));
    return Site.startServers({
      ...place,
      brokerFolder: this.options.losesBroker ? place.brokerFolder : this.place('first').brokerFolder,
      recoverFrom: Site.archiveOf(this.place('first').folder),
    });
  }

  private async workOn(site: Site) {
    const ledger = new Ledger(site.databases, site.broker);
    const atFirst = await ledger.listCommittedEvents();
    const handledAtFirst = new Set((await ledger.listDeliveries()).map(({ eventId }) => eventId));
    const rewound = this.options.losesBroker ? undefined : await this.rewind(site);
    await site.startServices();
    const workload = new Workload(site, [...this.tokenOf.values()]);
    await workload.acceptUpTo(LEADS_AT_A_TIME);
    await untilNothingIsLeft(ledger, this.endpoints);
    const committed = await ledger.listCommittedEvents();
    const logged = await ledger.listDeliveries();
    const known = new Set(committed.map(({ id }) => id));
    return {
      afterwards: workload.accepted,
      committed,
      unreadable: await this.listUnreadable(site, committed),
      deliveries: auditedDeliveries(committed, this.endpoints.all, logged),
      unexplained: new Set(logged.map(({ eventId }) => eventId).filter((id) => !known.has(id))),
      undeliveredAtFirst: atFirst.filter(({ id }) => !handledAtFirst.has(id)).length,
      refills: await site.countRefills(),
      rewound,
    };
  }

  /** Rewinds with the time that the restored database names. */
  private async rewind(site: Site): Promise<number> {
    const [last] = await site.databases.query<{ at: Date }>(
      'webhook-dispatcher',
      'SELECT pg_last_xact_replay_timestamp() AS at',
    );
    if (!last?.at) throw new Error('The restored database does not say how far it was restored');
    const since = new Date(last.at.getTime() - REWIND_MARGIN_MS).toISOString();
    const program = inRoot('scripts', 'rewind.mjs');
    const { url, password } = site.broker.provisioner;
    const outcome = await run(process.execPath, [program, 'webhook-dispatcher', '--since', since], {
      cwd: ROOT,
      env: { ...process.env, NATS_URL: url, NATS_PASSWORD: password },
    });
    const [, count] = /receives the events since \S+ again: (\d+)/.exec(outcome.stdout) ?? [];
    if (count === undefined) throw new Error(`The consumer was not rewound: ${outcome.stderr}`);
    return Number(count);
  }

  private async listUnreadable(site: Site, committed: readonly CommittedEvent[]): Promise<string[]> {
    const call = client(site.recordServices[0]?.url ?? '');
    const unreadable: string[] = [];
    const rest = [...committed];
    const readers = Array.from({ length: READERS }, async () => {
      for (let next = rest.pop(); next; next = rest.pop()) {
        const { leadId, tenantId } = next;
        const { status, body } = await call('GET', `/api/crm/leads/${leadId}`, { token: this.tokenOf.get(tenantId) });
        if (status !== 200 || !/^Lead \d+$/.test(body.lastName)) unreadable.push(leadId);
      }
    });
    await Promise.all(readers);
    return unreadable;
  }

  /** Half of them with the order of records: what holds up a line is set aside early. */
  private async subscribeAll(site: Site): Promise<void> {
    const url = site.dispatchers[0]?.url ?? '';
    for (const [index, endpoint] of this.endpoints.all.entries()) {
      const token = this.tokenOf.get(endpoint.tenantId) ?? '';
      const ordering = index % 2 === 0 ? 'none' : 'record';
      if (ordering === 'record') endpoint.acceptedAt = SET_ASIDE_AFTER;
      await subscribe(endpoint, { url, token, ordering });
    }
  }

  private get backup(): string {
    return path.join(this.folder, 'backup');
  }

  private place(name: string) {
    const folder = path.join(this.folder, name);
    return {
      folder,
      guard: this.guard,
      endpoints: this.endpoints,
      tokens: this.tokens,
      brokerFolder: path.join(folder, 'nats'),
    };
  }
}

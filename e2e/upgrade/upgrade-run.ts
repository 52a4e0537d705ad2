import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DATABASES } from '@crm/contracts';
import { readSchema } from '@crm/testing';
import { inRoot } from '../../scripts/root.mjs';
import { type AuditedDelivery, auditedDeliveries } from '../event-path/audit.js';
import type { DatabaseOwner } from '../event-path/databases.js';
import { Endpoints } from '../event-path/endpoints.js';
import { type CommittedEvent, Ledger } from '../event-path/ledger.js';
import { untilNothingIsLeft } from '../event-path/settle.js';
import { Workload } from '../event-path/workload.js';
import { FaultyPlatform } from '../faults/platform.js';

const SERVICES: readonly DatabaseOwner[] = ['custom-objects', 'webhook-dispatcher'];
const SEED = 1;
/** Leads that each stage accepts. */
const LEADS = 25;
/** Pino's number of `error`. */
const ERROR = 50;

export interface UpgradeRun {
  readonly accepted: readonly string[];
  /** Leads that were refused or cut off, by what the writer saw. */
  readonly refusals: ReadonlyMap<string, number>;
  readonly committed: readonly CommittedEvent[];
  readonly deliveries: readonly AuditedDelivery[];
  /** Lines that programs logged as errors. */
  readonly errors: readonly string[];
  /** By service: what the migrations have made of the earlier schema, and the schema of this version. */
  readonly schemas: Readonly<Record<string, { migrated: string; committed: string }>>;
}

/**
 * A rolling upgrade while leads are written and their events are sent: the programs of the earlier build alone, the migrations beside
 * them, a process of the earlier build that starts on the new schema, processes of both builds, those of the new build alone.
 * @param earlier folder of the earlier build @param logFolder where the processes write what they log
 */
export async function runUpgrade(earlier: string, logFolder: string): Promise<UpgradeRun> {
  const endpoints = await Endpoints.start(SEED);
  endpoints.endHanging();
  try {
    const platform = await FaultyPlatform.start(endpoints, { logFolder, replicas: 1, build: earlier });
    try {
      for (const endpoint of endpoints.all) await platform.subscribe(endpoint);
      const tokens = await Promise.all(endpoints.tenantIds.map((tenantId) => platform.sign(tenantId)));
      const workload = new Workload(platform, tokens);
      await upgrade(platform, endpoints, workload, earlier).finally(() => workload.stop());
      const ledger = new Ledger(platform.databases, platform.broker);
      await untilNothingIsLeft(ledger, endpoints);
      const committed = await ledger.listCommittedEvents();
      return {
        accepted: workload.accepted,
        refusals: workload.refusals,
        committed,
        deliveries: auditedDeliveries(committed, endpoints.all, await ledger.listDeliveries()),
        errors: await listErrors(logFolder),
        schemas: await readSchemas(platform),
      };
    } finally {
      await platform.stop();
    }
  } finally {
    await endpoints.close();
  }
}

async function upgrade(platform: FaultyPlatform, endpoints: Endpoints, workload: Workload, earlier: string) {
  let accepted = 0;
  const writing = () => {
    accepted += LEADS;
    return workload.acceptUpTo(accepted);
  };
  await writing();
  await Promise.all([platform.migrate(endpoints), writing()]);
  await Promise.all([platform.addReplica(earlier), writing()]);
  await writing();
  await Promise.all([platform.addReplica(), writing()]);
  await writing();
  await Promise.all([platform.retire(2), writing()]);
  await writing();
}

async function listErrors(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => SERVICES.some((service) => file.startsWith(service)));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('{')));
  return lines.filter((line) => JSON.parse(line).level >= ERROR);
}

async function readSchemas(platform: FaultyPlatform): Promise<UpgradeRun['schemas']> {
  const entries = SERVICES.map(async (service) => {
    const migrated = await readSchema(platform.databases.adminUrl(DATABASES[service].database));
    const file = await readFile(inRoot('apps', service, 'schema.sql'), 'utf8');
    // Its first lines are for readers.
    return [service, { migrated, committed: file.slice(file.indexOf('\n\n') + 2) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

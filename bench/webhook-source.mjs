// Plays a service that changes leads: commits events in its outbox, at a rate or as fast as it can, and relays them to JetStream.
import { setTimeout as delay } from 'node:timers/promises';
import { EVENTS } from '@crm/contracts';
import { appendEvent, Database } from '@crm/database';
import { OutboxRelay } from '@crm/messaging';
import { counter, inTurn } from './load.mjs';
import { storedLead } from './records-data.mjs';

/** The service that produces the events of leads: the broker lets nobody else publish them. */
const SERVICE = 'custom-objects';
const POOL_SIZE = 10;
/** Events in a transaction of a backlog. */
const TOGETHER = 50;
const TICK_MS = 5;

/** With a PostgreSQL whose log is on disk. @param {import('./lab.mjs').Lab} lab */
export async function startSource(lab) {
  await lab.servers({ durable: true });
  const { runtimeUrl: url, narrowUrl } = await lab.database(SERVICE);
  const options = { poolSize: POOL_SIZE, genericPlans: true, applicationName: 'bench source' };
  const database = new Database({ url, narrowUrl, ...options });
  const nats = await lab.nats(SERVICE);
  /** @type {OutboxRelay | undefined} */
  let relay;
  const stopRelay = async () => {
    await relay?.stop();
    relay = undefined;
  };
  lab.stops.push(() => database.close(), stopRelay);
  /** Since it was emptied: events with the milliseconds since 1970 at which their transaction had committed, by tenant.
   * @type {Map<string, [id: string, committedAt: number][]>} */
  const commits = new Map();
  const turn = counter();

  const append = async (/** @type {import('@crm/database').TenantTransaction} */ tx) => {
    const record = storedLead(turn());
    return appendEvent(tx, EVENTS['lead.created'], { subject: record.id, data: { record }, recordVersion: 1 });
  };
  /** @param {string} tenantId @param {number} events in one transaction */
  const commit = async (tenantId, events) => {
    const ids = await database.transaction(tenantId, (tx) =>
      Promise.all(Array.from({ length: events }, () => append(tx))),
    );
    const committedAt = Date.now();
    const ofTenant = commits.get(tenantId) ?? [];
    for (const id of ids) ofTenant.push([id, committedAt]);
    commits.set(tenantId, ofTenant);
  };

  return {
    commits,

    startRelay() {
      relay = new OutboxRelay(database, nats);
      relay.start();
    },
    stopRelay,

    /** Commits as fast as it can, the tenants in turn. @param {readonly string[]} tenantIds @param {number} events */
    async commitAll(tenantIds, events) {
      const tenant = inTurn(tenantIds);
      let left = events;
      const write = async () => {
        while (left > 0) {
          const size = Math.min(TOGETHER, left);
          left -= size;
          await commit(tenant(), size);
        }
      };
      await Promise.all(Array.from({ length: POOL_SIZE }, write));
    },

    /** One event in a transaction, evenly, the tenants in turn. @param {readonly string[]} tenantIds @param {number} perSecond @param {number} milliseconds */
    async commitAtRate(tenantIds, perSecond, milliseconds) {
      const begun = performance.now();
      const total = Math.round((perSecond * milliseconds) / 1000);
      const tenant = inTurn(tenantIds);
      /** @type {Promise<void>[]} */
      const running = [];
      while (running.length < total) {
        const due = Math.min(total, Math.ceil(((performance.now() - begun) * perSecond) / 1000));
        while (running.length < due) running.push(commit(tenant(), 1));
        await delay(TICK_MS);
      }
      await Promise.all(running);
    },
  };
}

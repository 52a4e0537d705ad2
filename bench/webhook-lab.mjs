// What webhooks are measured with: PostgreSQL with its log on disk, NATS, the source of events in this process, the dispatcher as
// it runs in production, and the receiver; and ten tenants with ten subscriptions each.
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@crm/database';
import { demoReceiverCertificate } from '../scripts/platform/demo-receiver.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { ask, requestText } from './load.mjs';
import { storedLead } from './records-data.mjs';
import { startSource } from './webhook-source.mjs';

/** To `lead.created`. @typedef {{ tenantId: string, id: string, url: string, path: string }} Subscription */

/** Each endpoint that misbehaves has an origin of its own, as it has in life; of those that work, different tenants share one. */
const OTHER_ORIGINS = 11;
const TENANTS = 10;
/** Each tenant has so many; the tenth can be one whose receiver never answers. */
export const SUBSCRIPTIONS = 10;
/** Longest time without any progress; an attempt that hangs takes 15 s. */
const STALL_MS = 60_000;

/** The body of a delivery, of the size that those of the source's events have. */
const lead = storedLead(1000);
const envelope = { id: lead.id, type: 'lead.created', timestamp: lead.createdAt, tenantId: lead.id };
export const DELIVERY_BODY = JSON.stringify({ ...envelope, data: lead });

/** Deliveries that are due now, as if each subscription had got an event for each of them, and their subscriptions' queues.
 * $1: subscriptions; $2: deliveries of each; $3: body. */
const INSERT_DUE = `
  WITH subscription AS MATERIALIZED (
    SELECT "tenantId" AS tenant_id, id AS subscription_id, url
      FROM jsonb_to_recordset($1) AS wanted ("tenantId" uuid, id uuid, url text)),
  queue AS (
    INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
    SELECT tenant_id, subscription_id, now() FROM subscription
    ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = least(queue.due_at, EXCLUDED.due_at)),
  event AS MATERIALIZED (
    SELECT tenant_id, uuidv7() AS id FROM (SELECT DISTINCT tenant_id FROM subscription) AS tenant, generate_series(1, $2)),
  body AS (
    INSERT INTO event_body (tenant_id, id, event, body) SELECT tenant_id, id, 'lead.created', $3 FROM event),
  made AS (
    INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts, next_attempt_at)
    SELECT tenant_id, uuidv7(), subscription_id, event.id, 'lead.created', url, 'pending', 0, now()
      FROM subscription JOIN event USING (tenant_id)
    RETURNING tenant_id, id, subscription_id, event_id)
  INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
  SELECT tenant_id, id, subscription_id, event_id, 0, false, now() FROM made`;

/** @param {import('./lab.mjs').Lab} lab */
async function startParts(lab) {
  const source = await startSource(lab);
  const { folder } = await lab.servers();
  await lab.playIdentity();
  const ports = await freePorts(SUBSCRIPTIONS + OTHER_ORIGINS);
  const { keyFile, certFile, caFile } = await demoReceiverCertificate(folder);
  const receiver = await lab.server('receiver', { PORTS: ports.join(), KEY_FILE: keyFile, CERT_FILE: certFile });
  const { environment, admin } = await lab.database('webhook-dispatcher');
  const trust = { EGRESS_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(), EGRESS_CA_FILE: caFile };
  const dispatcher = await lab.service('webhook-dispatcher', { ...environment, ...trust });
  const all = ports.map((port) => `https://127.0.0.1:${port}`);
  const [origins, otherOrigins] = [all.slice(0, SUBSCRIPTIONS), all.slice(SUBSCRIPTIONS)];
  return { source, receiver, dispatcher, admin, caFile, origins, otherOrigins };
}

export class WebhookLab {
  tenantIds = Array.from({ length: TENANTS }, newId);
  /** Nine of each tenant, which always work. @type {Subscription[]} */
  steady = [];
  /** The tenth of each. @type {Subscription[]} */
  tenth = [];

  /** @param {import('./lab.mjs').Lab} lab @param {Awaited<ReturnType<typeof startParts>>} parts */
  constructor(lab, parts) {
    this.lab = lab;
    this.parts = parts;
    this.source = parts.source;
  }

  /** @param {import('./lab.mjs').Lab} lab */
  static async start(lab) {
    const webhooks = new WebhookLab(lab, await startParts(lab));
    for (const [tenant, id] of webhooks.tenantIds.entries()) {
      for (const [index, origin] of webhooks.parts.origins.slice(0, SUBSCRIPTIONS - 1).entries()) {
        webhooks.steady.push(await webhooks.subscribe(id, `${origin}/ok/${tenant}/${index}`));
      }
    }
    await webhooks.replaceTenth('ok');
    return webhooks;
  }

  /** Deliveries of all tenants in these states. @param {readonly string[]} statuses */
  async count(...statuses) {
    const text = 'SELECT count(*)::int AS count FROM delivery WHERE status = ANY($1)';
    return Number((await this.parts.admin.query(text, [statuses])).rows[0].count);
  }

  /** In one transaction, so that none is attempted before all are there. @param {readonly Subscription[]} subscriptions @param {number} each */
  async insertDue(subscriptions, each) {
    await this.parts.admin.query(INSERT_DUE, [JSON.stringify(subscriptions), each, DELIVERY_BODY]);
  }

  /** Calls the API the way administrators do. @param {string} tenantId @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  #call(tenantId, method, path, body) {
    const { port } = this.parts.dispatcher;
    return ask(port, requestText(method, `/api/webhooks/${path}`, this.lab.authorization(tenantId), body));
  }

  /** @param {string} tenantId @param {string} url @returns {Promise<Subscription>} */
  async subscribe(tenantId, url) {
    const { id } = await this.#call(tenantId, 'POST', 'subscriptions', { events: ['lead.created'], url });
    return { tenantId, id, url, path: new URL(url).pathname };
  }

  /** Ends subscriptions, and their deliveries. @param {readonly Subscription[]} subscriptions */
  async unsubscribe(subscriptions) {
    for (const { tenantId, id } of subscriptions) await this.#call(tenantId, 'DELETE', `subscriptions/${id}`);
  }

  /** No attempt waits for an answer that never comes. @param {number} [pending] deliveries that others have left */
  async untilNoneHangs(pending = 0) {
    await untilReached('hanging attempts', 0, async () => -(await this.received('hanging')), 200);
    await untilReached('pending deliveries', -pending, async () => -(await this.count('pending')), 200);
  }

  /** Subscribes the tenth of each tenant anew. @param {'ok' | 'hang'} behaviour of its receiver */
  async replaceTenth(behaviour) {
    await this.unsubscribe(this.tenth);
    this.tenth = [];
    for (const [tenant, id] of this.tenantIds.entries()) {
      const origin = behaviour === 'ok' ? this.parts.origins[SUBSCRIPTIONS - 1] : this.parts.otherOrigins[tenant];
      this.tenth.push(await this.subscribe(id, `${origin}/${behaviour}/${tenant}/${SUBSCRIPTIONS - 1}`));
    }
  }

  /** What the tenants see as delivered to the tenth subscription of each. @returns {Promise<number[]>} */
  delivered() {
    return Promise.all(
      this.tenth.map(async ({ tenantId, id }) => {
        const query = new URLSearchParams({ subscriptionId: id, status: 'delivered', size: '1', count: 'exact' });
        return (await this.#call(tenantId, 'GET', `deliveries?${query}`)).total;
      }),
    );
  }

  /** @param {'counts' | 'receipts' | 'forget'} command */
  #askReceiver(command) {
    return ask(this.parts.receiver.port, requestText('GET', `/${command}`, ''));
  }

  /** What was committed and received before is no longer counted. */
  async forget() {
    this.source.commits.clear();
    await this.#askReceiver('forget');
  }

  /** Requests that the receiver has got since then; hanging: that wait for an answer that never comes.
   * @param {'receipts' | 'hanging'} what @returns {Promise<number>} */
  async received(what = 'receipts') {
    return (await this.#askReceiver('counts'))[what];
  }

  /** Milliseconds from the commit of each event to its receipt, by subscription. Throws when an event is missing.
   * @param {readonly Subscription[]} subscriptions that should have got all events of their tenant */
  async latencies(subscriptions) {
    const receipts = await this.#askReceiver('receipts');
    return subscriptions.map(({ tenantId, path }) => {
      /** @type {Map<string, number>} */
      const received = new Map(receipts[path]);
      return (this.source.commits.get(tenantId) ?? []).map(([id, committedAt]) => {
        const receivedAt = received.get(id);
        if (receivedAt === undefined) throw new Error(`${id} was lost at ${path}`);
        return receivedAt - committedAt;
      });
    });
  }
}

/** Looks again and again until a count has reached its end; a look shares the processor with what it looks at.
 * @param {string} what @param {number} end @param {() => Promise<number>} look gives the count, which rises */
export async function untilReached(what, end, look, everyMs = 50) {
  let last = await look();
  let movedAt = performance.now();
  while (last < end) {
    await delay(everyMs);
    const count = await look();
    if (count !== last) movedAt = performance.now();
    if (performance.now() - movedAt > STALL_MS) throw new Error(`${what}: ${count} of ${end}, and no more come`);
    last = count;
  }
}

// The processes of the measurement of webhooks: PostgreSQL with its log on disk, NATS, the source of events, the dispatcher as
// it runs in production, and the receiver; and ten tenants with ten subscriptions each.
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@crm/database';
import { demoReceiverCertificate } from '../scripts/platform/demo-receiver.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { ask, requestText } from './load.mjs';
import { storedLead } from './records-data.mjs';
import { commandsOf } from './servers/control.mjs';

/** To `lead.created`. @typedef {{ tenantId: string, id: string, url: string, path: string }} Subscription */
/** @typedef {Record<string, [id: string, at: number][]>} Noted */

/** Origins of endpoints that work; endpoints of different tenants share one. */
const HEALTHY_ORIGINS = 10;
/** Each endpoint that misbehaves has an origin of its own, as it has in life. */
const OTHER_ORIGINS = 11;
const TENANTS = 10;
/** Of each tenant; the tenth can be one whose receiver never answers. */
export const SUBSCRIPTIONS = 10;
/** Longest time without any progress; an attempt that hangs takes 15 s. */
const STALL_MS = 60_000;

/** The body of a delivery, of the size that those of the source's events have. */
const lead = storedLead(1000);
const envelope = { id: lead.id, type: 'lead.created', timestamp: lead.createdAt, tenantId: lead.id };
export const DELIVERY_BODY = JSON.stringify({ ...envelope, data: lead });

/** Deliveries that are due now, as if each subscription had got an event for each of them, and their subscriptions' queues.
 * $1: tenants, $2: subscriptions, $3: URLs, in threes; $4: deliveries of each; $5: body. */
const INSERT_DUE = `
  WITH subscription AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS wanted (tenant_id, subscription_id, url)),
  queue AS (
    INSERT INTO subscription_queue AS queue (tenant_id, subscription_id, due_at)
    SELECT tenant_id, subscription_id, now() FROM subscription
    ON CONFLICT (tenant_id, subscription_id) DO UPDATE SET due_at = least(queue.due_at, EXCLUDED.due_at)),
  event AS MATERIALIZED (
    SELECT tenant_id, uuidv7() AS id FROM (SELECT DISTINCT tenant_id FROM subscription) AS tenant, generate_series(1, $4)),
  body AS (
    INSERT INTO event_body (tenant_id, id, event, body) SELECT tenant_id, id, 'lead.created', $5 FROM event),
  made AS (
    INSERT INTO delivery (tenant_id, id, subscription_id, event_id, event, url, status, attempts, next_attempt_at)
    SELECT tenant_id, uuidv7(), subscription_id, event.id, 'lead.created', url, 'pending', 0, now()
      FROM subscription JOIN event USING (tenant_id)
    RETURNING tenant_id, id, subscription_id, event_id)
  INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
  SELECT tenant_id, id, subscription_id, event_id, 0, false, now() FROM made`;

/** The source of events, with a PostgreSQL whose log is on disk. @param {import('./lab.mjs').Lab} lab */
export async function startSource(lab) {
  await lab.servers({ durable: true });
  const [postgres, broker] = [await lab.postgres(), await lab.broker()];
  const { environment } = await lab.database('custom-objects');
  return lab.server('source', { ...environment, ...broker.environment }, [postgres, broker]);
}

/** @param {import('./lab.mjs').Lab} lab */
async function startParts(lab) {
  const source = await startSource(lab);
  const { folder } = await lab.servers();
  await lab.playIdentity();
  const ports = await freePorts(HEALTHY_ORIGINS + OTHER_ORIGINS);
  const { keyFile, certFile, caFile } = await demoReceiverCertificate(folder);
  const receiver = await lab.server('receiver', { PORTS: ports.join(), KEY_FILE: keyFile, CERT_FILE: certFile });
  const { environment: ofDispatcher, admin } = await lab.database('webhook-dispatcher');
  const trust = { EGRESS_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(), EGRESS_CA_FILE: caFile };
  const dispatcher = await lab.service('webhook-dispatcher', { ...ofDispatcher, ...trust }, [source, receiver]);
  return { source, receiver, dispatcher, admin, caFile, origins: ports.map((port) => `https://127.0.0.1:${port}`) };
}

export class WebhookLab {
  #tenantIds = Array.from({ length: TENANTS }, newId);
  /** Nine of each tenant, which always work. @type {Subscription[]} */
  steady = [];
  /** The tenth of each. @type {Subscription[]} */
  tenth = [];
  /** Milliseconds since 1970 of the events that were committed last, by tenant. @type {Noted} */
  commits = {};

  /** @param {import('./lab.mjs').Lab} lab @param {Awaited<ReturnType<typeof startParts>>} parts */
  constructor(lab, parts) {
    this.lab = lab;
    this.parts = parts;
    this.source = commandsOf(parts.source.port);
    this.receiver = commandsOf(parts.receiver.port);
    /** One for each endpoint that misbehaves. */
    this.otherOrigins = parts.origins.slice(HEALTHY_ORIGINS);
  }

  /** @param {import('./lab.mjs').Lab} lab */
  static async start(lab) {
    const webhooks = new WebhookLab(lab, await startParts(lab));
    for (const [tenant, id] of webhooks.#tenantIds.entries()) {
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
    const columns = /** @type {const} */ (['tenantId', 'id', 'url']).map((name) =>
      subscriptions.map((one) => one[name]),
    );
    await this.parts.admin.query(INSERT_DUE, [...columns, each, DELIVERY_BODY]);
  }

  /** As administrators use the API. @param {string} tenantId @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  #call(tenantId, method, path, body) {
    const { port } = this.parts.dispatcher;
    return ask(port, requestText(method, `/api/webhooks/${path}`, this.lab.authorization(tenantId), body));
  }

  /** @param {string} tenantId @param {string} url @returns {Promise<Subscription>} */
  async subscribe(tenantId, url) {
    const { id } = await this.#call(tenantId, 'POST', 'subscriptions', { events: ['lead.created'], url });
    return { tenantId, id, url, path: new URL(url).pathname };
  }

  /** Subscribes the tenth of each tenant anew. @param {'ok' | 'hang'} behaviour of its receiver */
  async replaceTenth(behaviour) {
    for (const { tenantId, id } of this.tenth) await this.#call(tenantId, 'DELETE', `subscriptions/${id}`);
    this.tenth = [];
    for (const [tenant, id] of this.#tenantIds.entries()) {
      const origin = behaviour === 'ok' ? this.parts.origins[SUBSCRIPTIONS - 1] : this.otherOrigins[tenant];
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

  /** Has the source commit events of all tenants, in turn; of nothing before will be known. @param {'commitAll' | 'commitAtRate'} how @param {object} input */
  async commit(how, input) {
    await this.source('forget');
    await this.receiver('forget');
    await this.source(how, { tenantIds: this.#tenantIds, ...input });
    this.commits = await this.source('commits');
  }

  /** Requests that the receiver has got since it forgot, and those that wait for an answer that never comes.
   * @returns {Promise<{ receipts: number, duplicates: number, hanging: number }>} */
  received() {
    return this.receiver('counts');
  }

  /** Milliseconds from the commit of each event to its receipt, by subscription. Throws when an event is missing.
   * @param {readonly Subscription[]} subscriptions that should have got all events of their tenant */
  async latencies(subscriptions) {
    /** @type {Noted} */
    const receipts = await this.receiver('receipts');
    return subscriptions.map(({ tenantId, path }) => {
      const received = new Map(receipts[path]);
      return (this.commits[tenantId] ?? []).map(([id, committedAt]) => {
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

// The processes of the measurement of webhooks: PostgreSQL with its log on disk, NATS, the source of events, the dispatcher as
// it runs in production, and the receiver; and ten tenants with ten subscriptions each.
import { setTimeout as delay } from 'node:timers/promises';
import { CONSUMERS, EVENT_STREAM } from '@crm/contracts';
import { newId } from '@crm/database';
import { NatsConnection } from '@crm/messaging';
import { demoReceiverCertificate } from '../scripts/platform/demo-receiver.mjs';
import { freePorts } from '../scripts/servers/free-port.mjs';
import { PASSWORD } from './lab.mjs';
import { storedLead } from './records-data.mjs';
import { commandsOf } from './servers/control.mjs';

/** @typedef {Awaited<ReturnType<typeof startWebhooks>>} Subjects */
/** To `lead.created`. @typedef {{ tenantId: string, id: string, url: string, path: string }} Subscription */
/** @typedef {Record<string, [id: string, at: number][]>} Noted milliseconds since 1970 of events, by tenant or path */

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

/**
 * Deliveries that are due now, as if each subscription had got an event for each of them, and their subscriptions' queues.
 * $1: tenants, $2: subscriptions, $3: URLs, in threes; $4: deliveries of each; $5: body.
 */
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

/** Everything but the dispatcher, so that the relay can be measured alone. @param {import('./lab.mjs').Lab} lab */
export async function startWebhooks(lab) {
  const { url: databaseServer, process: postgres } = await lab.postgres({ durable: true });
  const { url: natsUrl, process: nats } = await lab.broker();
  // Asking for the stream is the provisioner's right, which no service has.
  const user = /** @type {import('@crm/contracts').ServiceName} */ ('provisioner');
  const connection = await NatsConnection.open({ url: natsUrl, user, password: PASSWORD, service: user });
  lab.stops.push(() => connection.close());
  const ask = async (/** @type {string} */ subject) =>
    /** @type {any} */ ((await connection.connection.request(`$JS.API.${subject}`)).json());
  await lab.identity();
  const { environment: ofSource } = await lab.database('custom-objects');
  const source = await lab.server('source.mjs', { ...ofSource, NATS_URL: natsUrl, NATS_PASSWORD: PASSWORD });
  const ports = await freePorts(HEALTHY_ORIGINS + OTHER_ORIGINS);
  const { keyFile, certFile, caFile } = await demoReceiverCertificate(lab.folder);
  const receiver = await lab.server('receiver.mjs', { PORTS: ports.join(), KEY_FILE: keyFile, CERT_FILE: certFile });
  const origins = ports.map((port) => `https://127.0.0.1:${port}`);
  const { environment, admin } = await lab.database('webhook-dispatcher');
  return {
    lab,
    databaseServer,
    origins,
    /** One for each endpoint that misbehaves. */
    otherOrigins: origins.slice(HEALTHY_ORIGINS),
    caFile,
    source: commandsOf(source.port),
    receiver: commandsOf(receiver.port),
    processes: { postgres, nats, source: source.process, receiver: receiver.process },

    /** Events that the stream has taken. */
    position: async () => Number((await ask(`STREAM.INFO.${EVENT_STREAM.name}`)).state.last_seq),

    /** Deliveries of all tenants in these states. @param {readonly string[]} statuses */
    async count(...statuses) {
      const text = 'SELECT count(*)::int AS count FROM delivery WHERE status = ANY($1)';
      return Number((await admin.query(text, [statuses])).rows[0].count);
    },

    /** In one transaction, so that none is attempted before all are there. @param {readonly Subscription[]} subscriptions @param {number} each */
    async insertDue(subscriptions, each) {
      const column = (/** @type {'tenantId' | 'id' | 'url'} */ name) => subscriptions.map((one) => one[name]);
      await admin.query(INSERT_DUE, [column('tenantId'), column('id'), column('url'), each, DELIVERY_BODY]);
    },

    /** Called once. Resolves when what the relay has sent so far, which has no subscriptions, is handled. */
    async startDispatcher() {
      const allowed = ports.map((port) => `127.0.0.1:${port}`).join();
      const trust = { EGRESS_ALLOW: allowed, EGRESS_CA_FILE: caFile };
      const dispatcher = await lab.service('webhook-dispatcher', { ...environment, ...trust });
      const { durable } = CONSUMERS['webhook-dispatcher'];
      await untilReached('events handled', 0, async () => {
        const { num_pending: pending, num_ack_pending: underWay } = await ask(
          `CONSUMER.INFO.${EVENT_STREAM.name}.${durable}`,
        );
        return -(pending + underWay);
      });
      return dispatcher;
    },
  };
}

/** Tenants with their subscriptions, made by the API as administrators use it. @param {Subjects} subjects @param {number} port of the dispatcher */
export async function subscribeTenants({ lab, origins, otherOrigins }, port) {
  /** @param {string} tenantId @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  const call = async (tenantId, method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/webhooks/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${lab.sign(tenantId)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  /** @param {string} tenantId @param {string} url @returns {Promise<Subscription>} */
  const subscribe = async (tenantId, url) => {
    const { id } = await call(tenantId, 'POST', 'subscriptions', { events: ['lead.created'], url });
    return { tenantId, id, url, path: new URL(url).pathname };
  };
  const ids = Array.from({ length: TENANTS }, newId);
  const last = SUBSCRIPTIONS - 1;
  const tenants = {
    ids,
    subscribe,
    /** Nine of each tenant, which always work. @type {Subscription[]} */
    steady: [],
    /** @type {Subscription[]} */
    tenth: [],

    /** Subscribes the tenth of each tenant anew. @param {'ok' | 'hang'} behaviour of its receiver */
    async replaceTenth(behaviour) {
      for (const { tenantId, id } of tenants.tenth) await call(tenantId, 'DELETE', `subscriptions/${id}`);
      tenants.tenth = [];
      for (const [tenant, id] of ids.entries()) {
        const origin = behaviour === 'ok' ? origins[last] : otherOrigins[tenant];
        tenants.tenth.push(await subscribe(id, `${origin}/${behaviour}/${tenant}/${last}`));
      }
    },

    /** What the tenant sees as delivered. @param {Subscription} subscription @returns {Promise<number>} */
    async delivered({ tenantId, id }) {
      const query = new URLSearchParams({ subscriptionId: id, status: 'delivered', size: '1', count: 'exact' });
      return (await call(tenantId, 'GET', `deliveries?${query}`)).total;
    },
  };
  for (const [tenant, id] of ids.entries()) {
    for (let index = 0; index < last; index += 1) {
      tenants.steady.push(await subscribe(id, `${origins[index]}/ok/${tenant}/${index}`));
    }
  }
  await tenants.replaceTenth('ok');
  return tenants;
}

/**
 * Looks again and again until a count has reached its end; a look shares the processor with what it looks at.
 * @param {string} what @param {number} end @param {() => Promise<number>} look gives the count, which rises
 */
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

/**
 * Milliseconds from the commit of each event to its receipt, in ascending order. Throws when an event is missing.
 * @param {Noted} commits by tenant @param {Noted} receipts by path
 * @param {readonly Subscription[]} subscriptions that should have got all events of their tenant
 */
export function latenciesOf(commits, receipts, subscriptions) {
  return subscriptions
    .flatMap(({ tenantId, path }) => {
      const received = new Map(receipts[path]);
      return (commits[tenantId] ?? []).map(([id, committedAt]) => {
        const receivedAt = received.get(id);
        if (receivedAt === undefined) throw new Error(`${id} was lost at ${path}`);
        return receivedAt - committedAt;
      });
    })
    .sort((left, right) => left - right);
}

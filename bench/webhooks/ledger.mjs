// The only place that knows tables of the webhook dispatcher: how many deliveries have which status, and how a large
// queue is put there without the hours that its events would take.
import pg from 'pg';

const COUNT = 'SELECT status, count(*)::int AS count FROM delivery GROUP BY status';

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

/** The deliveries in the database of the webhook dispatcher. */
export class Ledger {
  /** @param {pg.Client} admin whom no policy binds */
  constructor(admin) {
    this.admin = admin;
  }

  /** @param {string} url of the administrator in the database of the webhook dispatcher */
  static async open(url) {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    return new Ledger(admin);
  }

  /** Deliveries of all tenants that a receiver has accepted. */
  countDelivered() {
    return this.#count(['delivered']);
  }

  /** Deliveries of all tenants that no attempt was made of. */
  countPending() {
    return this.#count(['pending']);
  }

  /** Deliveries of all tenants that wait for an attempt, whether it is their first or not. */
  countWaiting() {
    return this.#count(['pending', 'retrying']);
  }

  /**
   * In one transaction, so that none is attempted before all are there.
   * @param {readonly import('./dispatcher.mjs').Subscription[]} subscriptions
   * @param {number} each how many of each subscription
   * @param {string} body
   */
  async insertDue(subscriptions, each, body) {
    const columns = [
      subscriptions.map(({ tenantId }) => tenantId),
      subscriptions.map(({ id }) => id),
      subscriptions.map(({ url }) => url),
    ];
    await this.admin.query(INSERT_DUE, [...columns, each, body]);
  }

  close() {
    return this.admin.end();
  }

  /**
   * @param {readonly string[]} statuses
   * @returns {Promise<number>}
   */
  async #count(statuses) {
    const { rows } = await this.admin.query(COUNT);
    return rows.reduce((sum, { status, count }) => (statuses.includes(status) ? sum + count : sum), 0);
  }
}

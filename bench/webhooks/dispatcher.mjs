// The API of the webhook dispatcher, as an administrator of each tenant uses it.

/**
 * @typedef {object} Subscription to `lead.created`
 * @property {string} tenantId
 * @property {string} id
 * @property {string} url
 * @property {string} path of the URL
 */

export class DispatcherApi {
  /**
   * @param {number} port on 127.0.0.1
   * @param {(tenantId: string) => string} sign makes a token of a tenant's administrator
   */
  constructor(port, sign) {
    this.port = port;
    this.sign = sign;
  }

  /**
   * @param {string} tenantId
   * @param {string} url
   * @returns {Promise<Subscription>}
   */
  async subscribe(tenantId, url) {
    const { id } = await this.#call(tenantId, 'POST', 'subscriptions', { events: ['lead.created'], url });
    return { tenantId, id, url, path: new URL(url).pathname };
  }

  /** @param {Subscription} subscription */
  async unsubscribe({ tenantId, id }) {
    await this.#call(tenantId, 'DELETE', `subscriptions/${id}`);
  }

  /**
   * What the tenant sees of its ledger.
   * @param {Subscription} subscription
   * @param {string} status
   * @returns {Promise<number>}
   */
  async countDeliveries({ tenantId, id }, status) {
    const query = new URLSearchParams({ subscriptionId: id, status, size: '1', count: 'exact' });
    const { total } = await this.#call(tenantId, 'GET', `deliveries?${query}`);
    return total;
  }

  /**
   * @param {string} tenantId
   * @param {string} method
   * @param {string} path below /api/webhooks
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async #call(tenantId, method, path, body) {
    const token = this.sign(tenantId);
    const response = await fetch(`http://127.0.0.1:${this.port}/api/webhooks/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

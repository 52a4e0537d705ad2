import { client, eventually } from '../demo/client.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';

/** A failed attempt comes again after five seconds, then after five minutes; a claim of a dead process after 30 s. */
const ARRIVE_MS = 420_000;

/** Webhooks of the tenants' leads, and the receiver that they go to. */
export class Deliveries {
  #receiver;

  /** @param {Awaited<ReturnType<typeof startDemoReceiver>>} receiver */
  constructor(receiver) {
    this.#receiver = receiver;
  }

  /**
   * @param {import('../platform/addresses.mjs').Addresses} addresses
   * @param {readonly string[]} tokens of an administrator of each tenant
   */
  static async subscribe({ baseUrl, demoReceiver }, tokens) {
    const receiver = await startDemoReceiver(demoReceiver);
    const call = client(baseUrl);
    for (const token of tokens) {
      const body = { events: ['lead.created'], url: `${demoReceiver.url}/leads` };
      await call('POST', '/api/webhooks/subscriptions', { token, body, expect: 201 });
    }
    return new Deliveries(receiver);
  }

  /**
   * Resolves when each of these leads has arrived.
   * @param {readonly string[]} leads
   * @returns {Promise<{ events: number, again: number }>} how many have, and how many requests there were beyond one each
   */
  async untilArrived(leads) {
    const { received } = this.#receiver;
    let looked = 0;
    const waiting = new Set(leads);
    await eventually(
      async () => {
        for (; looked < received.length; looked += 1) {
          const one = /** @type {import('../demo/receiver.mjs').Received} */ (received[looked]);
          waiting.delete(JSON.parse(one.body).data.id);
        }
        return waiting.size === 0;
      },
      'the arrival of every lead that was accepted',
      ARRIVE_MS,
    );
    const events = new Set(received.map(({ id }) => id)).size;
    return { events, again: received.length - events };
  }

  async close() {
    await this.#receiver.close();
  }
}

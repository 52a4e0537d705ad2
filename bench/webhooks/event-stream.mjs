// What JetStream says of the stream of events and of the dispatcher's place in it.
import { CONSUMERS, EVENT_STREAM } from '@crm/contracts';
import { NatsConnection } from '@crm/messaging';
import { PASSWORD } from '../processes.mjs';

export class EventStream {
  /** @param {NatsConnection} nats */
  constructor(nats) {
    this.nats = nats;
  }

  /** @param {string} url of the broker */
  static async open(url) {
    // Asking for the stream is the provisioner's right, which no service has.
    const user = /** @type {import('@crm/contracts').ServiceName} */ ('provisioner');
    return new EventStream(await NatsConnection.open({ url, user, password: PASSWORD, service: user }));
  }

  /**
   * Events that the stream has taken.
   * @returns {Promise<number>}
   */
  async position() {
    return (await this.#ask(`STREAM.INFO.${EVENT_STREAM.name}`)).state.last_seq;
  }

  /**
   * Events that the dispatcher has not handled.
   * @returns {Promise<number>}
   */
  async waiting() {
    const { durable } = CONSUMERS['webhook-dispatcher'];
    const info = await this.#ask(`CONSUMER.INFO.${EVENT_STREAM.name}.${durable}`);
    return info.num_pending + info.num_ack_pending;
  }

  close() {
    return this.nats.close();
  }

  /**
   * @param {string} subject below that of JetStream's API
   * @returns {Promise<any>}
   */
  async #ask(subject) {
    const message = await this.nats.connection.request(`$JS.API.${subject}`);
    return message.json();
  }
}

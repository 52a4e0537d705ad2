// What runs call, answered by the measuring process at once: identity makes no token and custom-objects writes no record, so
// that what is measured is the service that executes runs, with its calls over NATS.
import { builtFile } from '../../scripts/root.mjs';
import { PASSWORD } from '../processes.mjs';

/**
 * @param {string} url of the broker
 * @returns {Promise<() => Promise<void>>} ends the stand-ins
 */
export async function answerCalls(url) {
  /** @type {typeof import('../../libs/messaging/src/index.js')} */
  const { NatsConnection } = await import(builtFile('libs/messaging'));
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { rpc } = await import(builtFile('libs/contracts'));
  const answer = async (
    /** @type {'identity' | 'custom-objects'} */ service,
    /** @type {{ subject: string }} */ { subject },
    /** @type {object} */ data,
  ) => {
    const connection = await NatsConnection.open({ url, user: service, password: PASSWORD, service });
    const reply = JSON.stringify({ ok: true, data });
    connection.connection.subscribe(subject, { callback: (_error, message) => void message.respond(reply) });
    return connection;
  };
  const connections = [
    await answer('identity', rpc.identity.mintInternalToken, { token: 'token', expiresIn: 60 }),
    await answer('custom-objects', rpc.customObjects.createRecord, { id: '0190a000-0000-7000-8000-000000000001' }),
  ];
  return async () => {
    for (const connection of connections) await connection.close();
  };
}

// The processes of the measurement, each in the way in which the platform starts it.
import path from 'node:path';
import { accepts } from '../../scripts/platform/readiness.mjs';
import { builtFile } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { Processes, signToken } from '../processes.mjs';

/**
 * Starts NATS, the two bare servers, the service and the gateway.
 * @returns {Promise<{ bare: Subject, bareProxy: Subject, direct: Subject, gateway: Subject, token: string, publicKey: import('jose').JWK, stop: () => Promise<void> }>}
 * @typedef {import('../processes.mjs').Subject} Subject
 */
export async function startSubjects() {
  const processes = await Processes.open();
  try {
    const [natsPort, barePort, proxyPort, servicePort, serviceOps, gatewayPort, gatewayOps] =
      /** @type {[number, number, number, number, number, number, number]} */ (await freePorts(7));
    const natsUrl = await processes.startBroker(natsPort);
    /** @type {typeof import('../../libs/database/src/index.js')} */
    const { newId } = await import(builtFile('libs/database'));
    const tokens = await signToken(newId());
    const { publicKey } = tokens;
    const bareServer = (/** @type {string} */ file) => path.join(import.meta.dirname, 'servers', file);
    const bare = await processes.start('bare', bareServer('bare.mjs'), { PORT: String(barePort) }, () =>
      accepts(barePort),
    );
    const bareProxy = await processes.start(
      'bare proxy',
      bareServer('bare-proxy.mjs'),
      { PORT: String(proxyPort), UPSTREAM: `http://127.0.0.1:${barePort}` },
      () => accepts(proxyPort),
    );
    const service = await processes.startIdentity(
      { port: servicePort, operationsPort: serviceOps, natsUrl },
      publicKey,
    );
    const gateway = await processes.startGateway(
      { port: gatewayPort, operationsPort: gatewayOps, natsUrl },
      { IDENTITY_URL: `http://127.0.0.1:${servicePort}` },
    );
    return {
      bare: { name: 'bare Fastify', port: barePort, processes: [bare] },
      bareProxy: { name: 'bare Fastify behind bare reply-from', port: proxyPort, processes: [bareProxy, bare] },
      direct: { name: 'service, direct', port: servicePort, processes: [service] },
      gateway: { name: 'service, through the gateway', port: gatewayPort, processes: [gateway, service] },
      get token() {
        return tokens.token;
      },
      publicKey,
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

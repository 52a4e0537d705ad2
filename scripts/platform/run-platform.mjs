import { builtFile } from '../root.mjs';
import { natsProgram } from '../servers/programs.mjs';
import { buildPackages, installPackages } from '../setup/packages.mjs';
import { Progress } from '../setup/progress.mjs';
import { markLayout } from './data-layout.mjs';
import { demoReceiverCertificate } from './demo-receiver.mjs';
import { fixedLayout, freeLayout, portsOf } from './layout.mjs';
import { requireFreePorts } from './port-check.mjs';
import { leftoversEnded, readRunState, removeRunState } from './run-state.mjs';
import { loadSecrets } from './secrets.mjs';
import { chooseServices, serviceList } from './services.mjs';
import { Supervisor } from './supervisor.mjs';

/** What the person who watches gets to see; tell: one message, also after the start.
 * @typedef {{ progress: NodeJS.WritableStream, tell: (message: string) => void }} Output */

/** Brings a platform up, from an empty clone if need be. Whatever goes wrong, everything that was started is stopped
 * again. @param {import('./options.mjs').StartOptions} options @param {NodeJS.ProcessEnv} environment
 * @param {Output} output @param {AbortSignal} cancelled aborted when the start is to be given up */
export async function runPlatform(options, environment, output, cancelled) {
  const embedded = { postgres: !environment.DATABASE_URL, nats: !environment.NATS_URL, mail: !environment.SMTP_URL };
  const ownServers = embedded.postgres || embedded.nats;
  const steps = (options.prepared ? 0 : 2) + (ownServers ? 4 : 3);
  const progress = new Progress(steps, output.progress);

  if (!options.prepared) {
    // Fetched beside the work that does not need it. What fails here fails again, and is told, when it starts.
    if (embedded.nats) natsProgram().catch(() => undefined);
    await progress.step('Installing packages', () => installPackages({ toRun: true }));
    await progress.step('Building', () => buildPackages());
  }
  const plan = await progress.step('Checking ports and data folder', async () => {
    const before = await readRunState(options.dataDir);
    if (before) await leftoversEnded(before);
    const { SERVICES } = await serviceList();
    return planPlatform(options, environment, embedded, chooseServices(SERVICES, options.only));
  });

  const { dataDir, throwaway } = options;
  const supervisor = new Supervisor({ ...plan, dataDir, throwaway, outer: environment, tell: output.tell });
  /** @type {Promise<never>} */
  const given = new Promise((_, reject) => {
    cancelled.addEventListener('abort', () => reject(cancelled.reason), { once: true });
  });
  /** Fails as soon as a program ends or the start is given up.
   * @template T @param {string} title @param {() => Promise<T>} work */
  const step = (title, work) => progress.step(title, () => Promise.race([work(), supervisor.failed, given]));

  try {
    cancelled.throwIfAborted();
    // Nobody waits for a mail before the end of the start, so the mail catcher comes up beside everything else.
    const mailCatcher = embedded.mail ? supervisor.startMailCatcher() : Promise.resolve();
    mailCatcher.catch(() => undefined);
    if (ownServers) {
      await step('Starting PostgreSQL and NATS', () =>
        Promise.all([embedded.postgres && supervisor.startPostgres(), embedded.nats && supervisor.startNats()]),
      );
    }
    const { databases } = await step('Bringing databases and streams up to date', () =>
      supervisor.provision({ passwords: plan.secrets.databases, services: plan.services }),
    );
    await step(`Starting ${plan.services.length} services`, () =>
      Promise.all([
        supervisor.startServices(databases),
        plan.services.includes('identity') && supervisor.seed(databases),
        mailCatcher,
      ]),
    );
    await supervisor.markReady();
    return { supervisor, addresses: plan.addresses };
  } catch (error) {
    await supervisor.stop();
    await removeRunState(options.dataDir);
    throw error;
  }
}

/** Everything that is decided before the first program starts.
 * @param {Pick<import('./options.mjs').StartOptions, 'dataDir' | 'freePorts' | 'portOffset'>} options
 * @param {NodeJS.ProcessEnv} environment @param {{ postgres: boolean, nats: boolean, mail: boolean }} embedded
 * @param {readonly import('./services.mjs').ServiceName[]} services those that run */
export async function planPlatform(options, environment, embedded, services) {
  const contracts = await serviceList();
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const layout = options.freePorts ? await freeLayout(contracts) : fixedLayout(contracts, options.portOffset);
  await requireFreePorts(portsToListenOn(layout, services, embedded));

  await markLayout(options.dataDir);
  const natsUsers = [...contracts.SERVICES, 'provisioner'];
  const secrets = await loadSecrets(options.dataDir, { stateful: Object.keys(DATABASES), natsUsers });
  if (!embedded.nats && environment.NATS_PASSWORD) {
    secrets.nats = Object.fromEntries(natsUsers.map((user) => [user, environment.NATS_PASSWORD ?? '']));
  }
  const certificate = await demoReceiverCertificate(options.dataDir);
  const receiver = layout.servers.demoReceiver;
  const at = (/** @type {number | undefined} */ port) => `http://127.0.0.1:${port}`;
  const addresses = {
    baseUrl: at(layout.services.gateway?.port),
    embedApiUrl: at(layout.services['embed-gateway']?.port),
    adminUrl: at(layout.services['marketplace-admin']?.port),
    // The superuser's, with its password.
    databaseUrl:
      environment.DATABASE_URL ??
      `postgres://postgres:${secrets.postgres}@127.0.0.1:${layout.servers.postgres}/postgres`,
    natsUrl: environment.NATS_URL ?? `nats://127.0.0.1:${layout.servers.nats}`,
    smtpUrl: environment.SMTP_URL ?? `smtp://127.0.0.1:${layout.servers.smtp}`,
    /** Web page of the mail catcher. */
    mailUrl: embedded.mail ? at(layout.servers.mail) : null,
    /** @type {Record<string, { url: string, operationsUrl: string }>} */
    services: Object.fromEntries(
      services.map((name) => {
        const { port, operationsPort } = layout.services[name] ?? {};
        return [name, { url: at(port), operationsUrl: at(operationsPort) }];
      }),
    ),
    /** Where the demo receives webhooks over https, and the certificate it presents. */
    demoReceiver: { url: `https://127.0.0.1:${receiver}`, port: receiver, ...certificate },
    dataDir: options.dataDir,
  };
  return { layout, services: [...services], secrets, addresses };
}

/** @param {import('./layout.mjs').Layout} layout @param {readonly string[]} services
 * @param {{ postgres: boolean, nats: boolean, mail: boolean }} embedded */
const portsToListenOn = (layout, services, embedded) => {
  const { postgres, nats, smtp, mail } = layout.servers;
  const unused = [
    ...(embedded.postgres ? [] : [postgres]),
    ...(embedded.nats ? [] : [nats]),
    ...(embedded.mail ? [] : [smtp, mail]),
  ];
  const chosen = Object.fromEntries(Object.entries(layout.services).filter(([name]) => services.includes(name)));
  return portsOf({ ...layout, services: chosen }).filter(({ port }) => !unused.includes(port));
};

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RevocationSource } from '@crm/access';
import {
  bindInputPipe,
  createHttpAdapter,
  DtoPipe,
  drainServer,
  isOfOperators,
  listRoutes,
  openApiDocument,
  operatorsServer,
  ProblemFilter,
  requireAccessRules,
} from '@crm/http';
import { connectMessaging } from '@crm/messaging';
import { type DynamicModule, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { ServiceConfig } from './configuration/service-config.js';
import { createLogger, logRequests, NestLogger } from './observability/logger.js';
import { measureRequests, startProcessMetrics, startServiceTracing } from './observability/metrics.js';
import { OperationsServer } from './operations/operations-server.js';
import { Readiness } from './operations/readiness.js';
import { RuntimeModule, type ServiceOptions } from './runtime.module.js';
import { ServedCertificate } from './transport/served-certificate.js';

type Server = ReturnType<typeof operatorsServer>;
/** Milliseconds after which the first probes and the lazy parts of the start are over. */
const AFTER_START_MS = 5_000;

/** V8 would keep what the start leaves behind until it collects the old generation, minutes later in a service at rest. */
export function collectStartGarbage(afterMs = AFTER_START_MS): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    collect();
  }, afterMs).unref();
}

/** How often a slow start logs what it may be waiting for, in milliseconds. */
const STILL_STARTING_MS = 10_000;

export interface RunningService {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly operationsUrl: string;
  /** Where marketplace-admin calls for operators; undefined for a service that has no routes of theirs. */
  readonly operatorsUrl: string | undefined;
  /** Becomes not ready, waits for requests in progress, then closes consumers and connections. Can be called twice. */
  close(): Promise<void>;
}

/** No signal handlers, no exit. @throws the error that prevents the start; what was opened is closed again */
export async function createService(
  { service: config }: { readonly service: ServiceConfig },
  module: DynamicModule,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const logger = createLogger(config);
  const certificate = config.tls && new ServedCertificate(config.tls);
  const tracing = await startServiceTracing(config);
  const problems = new ProblemFilter(config.baseUrl);
  const adapter = createHttpAdapter(config, problems, certificate?.first);
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  startProcessMetrics(config.name);
  measureRequests(instance);
  logRequests(instance, config);

  const operators =
    config.operatorsPort === undefined ? undefined : operatorsServer(instance, config, certificate?.first);

  const operations = new OperationsServer();
  const operationsUrl = await operations.listen(config.host, config.operationsPort);
  // Connections wait for their servers, so that services can start in any order; without a log line that would look like a hang.
  const waiting = setInterval(() => {
    logger.warn({ nats: new URL(config.nats.url.split(',', 1)[0] as string).host }, 'still starting: is NATS there?');
  }, STILL_STARTING_MS);
  let app: NestFastifyApplication | undefined;
  try {
    app = await NestFactory.create<NestFastifyApplication>(RuntimeModule.around(module, config, options), adapter, {
      logger: new NestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    });
    const built = app;
    bindInputPipe(app, new DtoPipe());
    app.useGlobalFilters(problems);
    const routes = listRoutes(app);
    requireAccessRules(routes);
    connectMessaging(app);

    const readiness = new Readiness(app, () => options.revocations ?? findRevocations(built));
    // While draining, every response asks the client to send no further request on the connection.
    instance.addHook('onSend', (_request, reply, _payload, done) => {
      if (!readiness.isAccepting) reply.header('connection', 'close');
      done();
    });
    // Operators' routes are listed by marketplace-admin, with the paths that they have there.
    const listed = [...routes.filter((route) => !isOfOperators(route)), ...(options.forwarded ?? [])];
    operations.attach({ readiness, routes: listed });
    await app.init();
    await app.startAllMicroservices();
    await app.listen(config.port, config.host);
    if (operators) await listen(operators, config.operatorsPort, config.host);
    const servers: Server[] = [app.getHttpServer(), ...(operators ? [operators] : [])];
    readiness.setAccepting(true);
    const stopRenewals = servers.map((server) =>
      certificate?.renew(server as unknown as TlsServer, options.certificateEveryMs),
    );

    const [url = '', operatorsUrl] = servers.map((server) => {
      const { port } = server.address() as AddressInfo;
      return `${certificate ? 'https' : 'http'}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    });
    new Logger('Service').log({ msg: 'listening', url, operationsUrl });
    const stop = async (): Promise<void> => {
      readiness.setAccepting(false);
      for (const end of stopRenewals) end?.();
      await Promise.all(servers.map((server) => drainServer(server, config.drainSeconds * 1000)));
      await built.close();
      await tracing?.stop();
      await operations.close();
    };
    let stopping: Promise<void> | undefined;
    return {
      app: built,
      url,
      operationsUrl,
      operatorsUrl,
      close: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    operators?.close();
    await app?.close();
    await tracing?.stop();
    await operations.close();
    throw error;
  } finally {
    clearInterval(waiting);
  }
}

/** Read from the modules of a service: nothing is instantiated, nothing listens or connects. */
export async function serviceDocument(
  { service: config }: { readonly service: ServiceConfig },
  module: DynamicModule,
): Promise<Record<string, unknown>> {
  const app = await NestFactory.createApplicationContext(RuntimeModule.around(module, config, {}), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  return openApiDocument(app, config);
}

async function listen(server: Server, port: number | undefined, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function findRevocations(app: NestFastifyApplication): RevocationSource | undefined {
  return app.get(RevocationSource, { strict: false });
}

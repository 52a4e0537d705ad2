import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ACCESS_OPTIONS, AccessTokenGuard, AccessTokenStrategy, RightsGuard, TokenVerifier } from '@crm/access';
import {
  type ConsumerDefinition,
  EVENTS,
  type EventEnvelope,
  eventSubject,
  type ServiceDatabase,
  type ServiceName,
  TENANT_HEADER,
} from '@crm/contracts';
import {
  createInboxTable,
  createOutboxTable,
  createTenantTable,
  Database,
  newId,
  provisionDatabase,
  runMigrations,
  ServiceMigration,
} from '@crm/database';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection as Connection, headers } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { type DynamicModule, type INestMicroservice, Logger, type Provider } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  bytesOf,
  inboxPrefix,
  MAX_FILE_STORE,
  NATS_USERS,
  NatsConnection,
  NatsStrategy,
  type NatsUser,
  natsServerConfig,
  provisionStreams,
} from '../src/index.js';

// Failures in these tests are intentional.
Logger.overrideLogger(false);

/** Most that one look counts of the time that is waited: a machine that stands still lets nothing else go on either. */
const MOST_OF_A_LOOK_MS = 60;

export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 8_000,
): Promise<void> {
  let waitedMs = 0;
  for (let begun = performance.now(); !(await condition()); ) {
    await delay(10);
    const now = performance.now();
    waitedMs += Math.min(now - begun, MOST_OF_A_LOOK_MS);
    begun = now;
    if (waitedMs > timeoutMs) throw new Error(`Waited in vain until ${what}`);
  }
}

/** Returns whether something works, for a condition to wait for. */
export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run with node scripts/with-test-servers.mjs`);
  return value;
};

export const PASSWORD = 'test';

/** A gate at which work waits until the test opens it. */
export function gate(): { open(): void; passed: Promise<void> } {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

/** An event of a lead, as custom-objects makes it. */
export const leadCreated = (tenantId: string, changes: Partial<EventEnvelope> = {}): EventEnvelope => ({
  specversion: '1.0',
  id: newId(),
  source: 'urn:crm:service:custom-objects',
  type: 'lead.created',
  subject: newId(),
  time: new Date().toISOString(),
  datacontenttype: 'application/json',
  dataschema: EVENTS['lead.created'].dataschema,
  tenantid: tenantId,
  data: { record: {} },
  ...changes,
});

/** Without an id for the broker: it does not help, doubles are the consumer's business. @returns the number in the stream */
export async function publishLead(connection: Connection, event: EventEnvelope, msgID?: string): Promise<number> {
  const eventHeaders = headers();
  eventHeaders.set(TENANT_HEADER, event.tenantid);
  const subject = eventSubject('lead.created', event.tenantid);
  const { seq } = await jetstream(connection).publish(subject, JSON.stringify(event), { headers: eventHeaders, msgID });
  return seq;
}

/** The same connection with some of its methods replaced. */
export const withMethods = (nats: NatsConnection, methods: Partial<Connection>): NatsConnection =>
  Object.create(nats, { connection: { value: Object.assign(Object.create(nats.connection), methods) } });

/** A nats-server of this test file, with the users of production and the streams made. */
export async function startBroker({ maxFileStore = MAX_FILE_STORE } = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-messaging-'));
  const passwords = Object.fromEntries(NATS_USERS.map((user) => [user, PASSWORD])) as Record<NatsUser, string>;
  let port = -1;
  let server: ChildProcess;
  const start = async () => {
    const storeDir = path.join(folder, 'js');
    const config = natsServerConfig({ host: '127.0.0.1', port, storeDir, passwords, maxFileStore });
    await writeFile(path.join(folder, 'nats.conf'), `${config}ports_file_dir: ${JSON.stringify(folder)}\n`);
    server = spawn(required('TEST_NATS_PROGRAM'), ['-c', path.join(folder, 'nats.conf')], { stdio: 'ignore' });
    const portsFile = `nats-server_${server.pid}.ports`;
    await until(async () => (await readdir(folder)).includes(portsFile), 'nats-server listens');
    await until(async () => (await readFile(path.join(folder, portsFile), 'utf8')) !== '', 'its ports are written');
    const ports = JSON.parse(await readFile(path.join(folder, portsFile), 'utf8')) as { nats: [string] };
    port = Number(new URL(ports.nats[0]).port);
  };
  const end = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  await start();
  const url = `nats://127.0.0.1:${port}`;
  const provision = (size = maxFileStore) =>
    provisionStreams({ url, user: 'provisioner', password: PASSWORD }, { replicas: 1, fileStoreBytes: bytesOf(size) });
  await provision();
  const proxy = await startProxy(port);
  const connections: { close(): Promise<void> }[] = [];
  const open = async (user: NatsUser, prefix = inboxPrefix(user)) => {
    const connection = await connect({ servers: [url], user, pass: PASSWORD, inboxPrefix: prefix });
    connections.push(connection);
    return connection;
  };
  let manager: Promise<JetStreamManager> | undefined;
  const managed = () => {
    manager ??= open('provisioner').then((connection) => jetstreamManager(connection));
    return manager;
  };
  return {
    url,
    /** Through this address connections can be cut. */
    proxy,
    /** Streams, consumers and buckets, made or updated by the provisioner. */
    provision,
    /** A plain connection as a user, straight to the server. */
    user: open,
    /** What the provisioner may do to streams and consumers. */
    manager: managed,
    /** Ids in the stream, in its order. */
    async stored() {
      const { streams } = await managed();
      const { state } = await streams.info('EVENTS');
      const ids: (string | undefined)[] = [];
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
        ids.push((await streams.getMessage('EVENTS', { seq }))?.header.get('Nats-Msg-Id'));
      }
      return ids;
    },
    /** Waits until the broker has nothing left for a consumer. */
    async settled({ durable }: ConsumerDefinition) {
      const { consumers } = await managed();
      await until(async () => {
        const info = await consumers.info('EVENTS', durable);
        return info.num_pending === 0 && info.num_ack_pending === 0;
      }, 'the broker has nothing left for the consumer');
    },
    /** A service's connection, through the proxy. */
    async service(service: ServiceName) {
      const address = `nats://127.0.0.1:${proxy.port}`;
      const connection = await NatsConnection.open({ url: address, user: service, password: PASSWORD, service });
      connections.push(connection);
      return connection;
    },
    /** Ends the server and starts it again on the same port. @param between what happens to its store meanwhile */
    async restart(between?: (storeDir: string) => Promise<void>, size = maxFileStore) {
      maxFileStore = size;
      await end();
      manager = undefined;
      await between?.(path.join(folder, 'js'));
      await start();
    },
    async stop() {
      await Promise.all(connections.map((connection) => connection.close()));
      proxy.stop();
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Broker = Awaited<ReturnType<typeof startBroker>>;

export async function startProxy(target: number) {
  const sockets = new Set<net.Socket>();
  let open = true;
  let silent = false;
  const hush = (socket: net.Socket) => socket.unpipe().pause();
  const server = net.createServer((socket) => {
    if (!open) {
      socket.destroy();
      return;
    }
    const upstream = net.connect(target, '127.0.0.1');
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.on('close', () => {
        sockets.delete(end);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
    if (silent) hush(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    /** Breaks every connection, and refuses new ones until it is mended. */
    cut,
    mend() {
      open = true;
    },
    /** From now on nothing gets through, and no connection is closed: as if the host had lost power. */
    silence() {
      silent = true;
      for (const socket of sockets) hush(socket);
    },
    stop() {
      cut();
      server.close();
    },
  };
}

const roles: ServiceDatabase = {
  database: 'msgtest',
  ownerRole: 'msgtest_owner',
  runtimeRole: 'msgtest_runtime',
  narrowRole: 'msgtest_narrow',
  distributed: process.env.CITUS_URL !== undefined,
};

export class CreateTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, { name: 'effect', columns: 'id uuid NOT NULL, event text NOT NULL' });
    await createOutboxTable(runner, roles);
    await createInboxTable(runner, roles);
  }
}

export async function startDatabase() {
  const serverUrl = process.env.CITUS_URL ?? required('TEST_DATABASE_URL');
  const name = `msgtest_${randomBytes(6).toString('hex')}`;
  const passwords = { owner: 'owner', runtime: 'runtime', narrow: 'narrow' };
  const urls = await provisionDatabase({ adminUrl: serverUrl, definition: roles, database: name, passwords });
  if (roles.distributed) await onServer(serverUrl, `ALTER DATABASE ${name} SET citus.shard_count = 4`);
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations: [CreateTables1700000000000] });
  const admin = new pg.Pool({ connectionString: serverUrl.replace(/\/[^/]*$/, `/${name}`), max: 2 });
  admin.on('error', () => undefined);
  const opened: Database[] = [];
  const open = (narrowUrl = urls.narrowUrl) => {
    const database = new Database({ url: urls.runtimeUrl, narrowUrl, applicationName: name });
    opened.push(database);
    return database;
  };
  return {
    database: open(),
    /** Another process's access to the same database. */
    sibling: () => open(),
    /** A process whose narrow role reaches the database through the port of a proxy. */
    behind({ port }: { readonly port: number }) {
      const url = new URL(urls.narrowUrl);
      url.host = `127.0.0.1:${port}`;
      return open(url.href);
    },
    /** Port of the server. */
    port: Number(new URL(serverUrl).port),
    async admin<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]> {
      return (await admin.query<Row>(sql, parameters)).rows;
    },
    async drop() {
      await Promise.all(opened.map((database) => database.close()));
      await admin.end();
      for (const node of await nodesOf(serverUrl)) await onServer(node, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer<Row>(url: string, sql: string): Promise<Row[]> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    return (await server.query(sql)).rows as Row[];
  } finally {
    await server.end();
  }
}

/** Addresses of the servers that have the database. */
async function nodesOf(serverUrl: string): Promise<string[]> {
  if (!roles.distributed) return [serverUrl];
  const nodes = await onServer<{ host: string; port: number }>(
    serverUrl,
    'SELECT nodename AS host, nodeport AS port FROM pg_dist_node ORDER BY groupid',
  );
  return nodes.map(({ host, port }) =>
    Object.assign(new URL(serverUrl), { hostname: host, port: String(port) }).toString(),
  );
}

export type TestDatabase = Awaited<ReturnType<typeof startDatabase>>;

/** What the guards of an application need. */
export const guards = (verifier: object = {}): Provider[] => [
  { provide: ACCESS_OPTIONS, useValue: { issuer: 'http://issuer.test', audiences: ['platform-api'] } },
  { provide: TokenVerifier, useValue: verifier },
  AccessTokenStrategy,
  { provide: APP_GUARD, useClass: AccessTokenGuard },
  { provide: APP_GUARD, useClass: RightsGuard },
];

/** An application that does nothing but answer calls and events. */
export const createApp = (module: DynamicModule): Promise<INestMicroservice> =>
  NestFactory.createMicroservice<MicroserviceOptions>(module, {
    inject: [NatsStrategy],
    useFactory: (strategy: NatsStrategy) => ({ strategy }),
    logger: false,
    abortOnError: false,
  } as unknown as MicroserviceOptions);

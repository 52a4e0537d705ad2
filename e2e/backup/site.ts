import { chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestTokens } from '@crm/testing';
import type { Guard } from '../../scripts/processes/guard.mjs';
import { get } from '../../scripts/processes/readiness.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { unprivilegedUser } from '../../scripts/servers/unprivileged-user.mjs';
import { Broker } from '../event-path/broker.js';
import { Databases } from '../event-path/databases.js';
import type { Endpoints } from '../event-path/endpoints.js';
import { provisionEventPath } from '../event-path/environments.js';
import { Identity } from '../event-path/identity.js';
import { ServiceProcess } from '../event-path/service-process.js';

export interface SiteOptions {
  /** The folder of this site; PostgreSQL's data are in `postgres` below it. */
  readonly folder: string;
  readonly guard: Guard;
  readonly endpoints: Endpoints;
  readonly tokens: TestTokens;
  /** The folder of the broker's store, which may hold one. */
  readonly brokerFolder: string;
  /** Archived log to recover from. */
  readonly recoverFrom?: string;
}

/** The path of an event at one place: PostgreSQL that archives its log, NATS, and a process of each service. */
export class Site {
  readonly recordServices: ServiceProcess[] = [];
  readonly dispatchers: ServiceProcess[] = [];
  private identity: Identity | undefined;

  private constructor(
    private readonly options: SiteOptions,
    readonly databases: Databases,
    readonly broker: Broker,
    private readonly ports: number[],
  ) {}

  /** Where its log is archived. */
  static archiveOf(folder: string): string {
    return path.join(folder, 'archive');
  }

  /** The servers alone; PostgreSQL has recovered when it resolves. */
  static async startServers(options: SiteOptions): Promise<Site> {
    const { folder, guard, brokerFolder, recoverFrom } = options;
    const archive = Site.archiveOf(folder);
    await mkdir(archive, { recursive: true });
    const user = await unprivilegedUser();
    if (user) await chown(archive, user.uid, user.gid);
    const [databasePort = 0, brokerPort = 0, ...ports] = await freePorts(6);
    const databases = new Databases({
      folder: path.join(folder, 'postgres'),
      port: databasePort,
      logFile: path.join(folder, 'postgres.log'),
      guard,
      settings: {
        archive_mode: 'on',
        archive_library: 'basic_archive',
        'basic_archive.archive_directory': archive,
        // Without queries during the recovery, so that a server that is ready can be written to.
        ...(recoverFrom ? { restore_command: `cp "${recoverFrom}/%f" "%p"`, hot_standby: 'off' } : {}),
      },
    });
    const broker = new Broker({
      folder: brokerFolder,
      port: brokerPort,
      logFile: path.join(folder, 'nats.log'),
      guard,
    });
    const site = new Site(options, databases, broker, ports);
    await Promise.all([databases.start(), broker.start()]);
    return site;
  }

  /** Resolves when they are ready. */
  async startServices(): Promise<void> {
    const { folder, guard, endpoints, tokens } = this.options;
    this.identity = await Identity.start(this.broker.url, this.broker.password, tokens);
    const caFile = path.join(folder, 'receivers.pem');
    await writeFile(caFile, endpoints.ca);
    const environments = await provisionEventPath(this.databases, this.broker, endpoints, caFile);
    const start = async (service: 'custom-objects' | 'webhook-dispatcher', into: ServiceProcess[]) => {
      const one = new ServiceProcess({
        name: service,
        service,
        port: this.ports.pop() ?? 0,
        operationsPort: this.ports.pop() ?? 0,
        environment: environments[service],
        logFolder: folder,
        guard,
      });
      into.push(one);
      await one.start();
    };
    await Promise.all([start('custom-objects', this.recordServices), start('webhook-dispatcher', this.dispatchers)]);
  }

  /** Everything at once, as when a data centre loses its power. */
  async kill(): Promise<void> {
    // It stands in for another service, in this process, and can only leave while there is a broker.
    await this.identity?.stop();
    this.identity = undefined;
    const services = [...this.recordServices, ...this.dispatchers];
    await Promise.all([this.databases, this.broker, ...services].map((one) => one.kill()));
  }

  async stop(): Promise<void> {
    for (const one of [...this.dispatchers, ...this.recordServices]) await one.stop();
    await this.identity?.stop();
    await this.broker.stop();
    await this.databases.stop();
  }

  /** How often the relay of the records has published again what the stream did not have. */
  async countRefills(): Promise<number> {
    const bodies = await Promise.all(this.recordServices.map((one) => get(`${one.operationsUrl}/metrics`)));
    return bodies.reduce(
      (sum, { body }) => sum + Number(/^outbox_refills_total(?:\{.*\})? (\d+)$/m.exec(body)?.[1] ?? 0),
      0,
    );
  }
}

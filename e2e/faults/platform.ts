import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type TestTokens, testTokens } from '@crm/testing';
import { eventually } from '../../scripts/demo/client.mjs';
import { Guard } from '../../scripts/processes/guard.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { Broker } from '../event-path/broker.js';
import { type DatabaseOwner, Databases } from '../event-path/databases.js';
import type { Endpoint } from '../event-path/endpoint.js';
import type { Endpoints } from '../event-path/endpoints.js';
import { provisionEventPath } from '../event-path/environments.js';
import { Identity } from '../event-path/identity.js';
import { ServiceProcess } from '../event-path/service-process.js';
import { signFor, subscribe } from '../event-path/subscribe.js';
import type { Fault, FaultTarget } from './fault-plan.js';

/** Each service has so many. */
const REPLICAS = 2;
/** A standby takes over within a second. */
const OWNER_MS = 30_000;

export interface PlatformOptions {
  /** Where the processes write what they log; it stays. Without it, the logs go with the run. */
  readonly logFolder?: string | undefined;
  /** Of each service; default 2. */
  readonly replicas?: number;
  /** The repository whose build runs; default this one. */
  readonly build?: string;
}

/** Something that can be killed and started again. */
interface Killable {
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** The whole path of an event, each part a process as in production: PostgreSQL, NATS and replicas of both services. */
export class FaultyPlatform {
  readonly dispatchers: ServiceProcess[] = [];
  readonly recordServices: ServiceProcess[] = [];
  private identity: Identity | undefined;
  private added = 0;
  private environments: Awaited<ReturnType<typeof provisionEventPath>> | undefined;

  private constructor(
    private readonly folder: string,
    private readonly logFolder: string,
    private readonly guard: Guard,
    readonly databases: Databases,
    readonly broker: Broker,
    private readonly tokens: TestTokens,
  ) {}

  static async start(
    endpoints: Endpoints,
    { logFolder, replicas = REPLICAS, build }: PlatformOptions = {},
  ): Promise<FaultyPlatform> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-faults-'));
    // PostgreSQL's user must get through; what is inside is closed to others.
    await chmod(folder, 0o711);
    const logs = logFolder ?? path.join(folder, 'logs');
    await mkdir(logs, { recursive: true });
    const guard = new Guard({ throwawayFolder: folder });
    const [databasePort = 0, brokerPort = 0] = await freePorts(2);
    const server = (name: string, port: number) => {
      return { folder: path.join(folder, name), port, logFile: path.join(logs, `${name}.log`), guard };
    };
    const databases = new Databases(server('postgres', databasePort));
    const broker = new Broker(server('nats', brokerPort));
    const platform = new FaultyPlatform(folder, logs, guard, databases, broker, testTokens());
    try {
      await platform.startServers();
      await platform.migrate(endpoints, build);
      await Promise.all(Array.from({ length: replicas }, () => platform.addReplica(build)));
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
  }

  sign(tenantId: string): Promise<string> {
    return signFor(this.tokens, tenantId);
  }

  /** Subscribes an endpoint to the leads of its tenant. */
  async subscribe(endpoint: Endpoint): Promise<void> {
    await subscribe(endpoint, { url: this.dispatchers[0]?.url ?? '', token: await this.sign(endpoint.tenantId) });
  }

  /** Kills the target and starts it again. Resolves when it is ready. */
  async strike({ target, downMs }: Fault): Promise<void> {
    const killed = await this.find(target);
    await killed.kill();
    if (target === 'NATS, store deleted') await this.broker.deleteStore();
    // How long it is down belongs to the fault; nothing is expected to have happened after it.
    await delay(downMs);
    await killed.start();
  }

  async stop(): Promise<void> {
    for (const one of [...this.dispatchers, ...this.recordServices]) await one.stop();
    await this.identity?.stop();
    await this.broker.stop();
    await this.databases.stop();
    await rm(this.folder, { recursive: true, force: true });
    this.guard.dismiss();
  }

  private async find(target: FaultTarget): Promise<Killable> {
    switch (target) {
      case 'dispatcher 1':
      case 'dispatcher 2':
        return this.dispatchers[target === 'dispatcher 1' ? 0 : 1] as ServiceProcess;
      case 'relay owner':
        return eventually(() => this.findRelayOwner(), 'that a relay is active', OWNER_MS);
      case 'PostgreSQL':
        return this.databases;
      default:
        return this.broker;
    }
  }

  private async findRelayOwner(): Promise<ServiceProcess | undefined> {
    const owns = await Promise.all(this.recordServices.map((one) => one.isRelayOwner()));
    return this.recordServices[owns.indexOf(true)];
  }

  /** Brings databases and streams up to date. @param build whose migrations do */
  async migrate(endpoints: Endpoints, build?: string): Promise<void> {
    const caFile = path.join(this.folder, 'receivers.pem');
    await writeFile(caFile, endpoints.ca);
    this.environments = await provisionEventPath(this.databases, this.broker, endpoints, caFile, build);
  }

  /** Resolves when one more process of each service is ready. */
  async addReplica(build?: string): Promise<void> {
    const { environments, logFolder, guard } = this;
    if (!environments) throw new Error('There are no databases yet');
    const ports = await freePorts(4);
    this.added += 1;
    const number = this.added;
    const add = async (into: ServiceProcess[], service: DatabaseOwner) => {
      const [port = 0, operationsPort = 0] = ports.splice(0, 2);
      const options = { build, port, operationsPort, environment: environments[service], logFolder, guard };
      const added = new ServiceProcess({ name: `${service} ${number}`, service, ...options });
      try {
        await added.start();
      } catch (error) {
        await added.kill();
        throw error;
      }
      into.push(added);
    };
    await Promise.all([add(this.recordServices, 'custom-objects'), add(this.dispatchers, 'webhook-dispatcher')]);
  }

  /** Stops the oldest processes of each service, to which nobody turns any more by then. */
  async retire(count: number): Promise<void> {
    const retired = [...this.recordServices.splice(0, count), ...this.dispatchers.splice(0, count)];
    await Promise.all(retired.map((one) => one.stop()));
  }

  private async startServers(): Promise<void> {
    await Promise.all([this.databases.start(), this.broker.start()]);
    this.identity = await Identity.start(this.broker.url, this.broker.password, this.tokens);
  }
}

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TEST_ISSUER, type TestTokens, testTokens } from '@crm/testing';
import { client, eventually } from '../../scripts/demo/client.mjs';
import { Guard } from '../../scripts/processes/guard.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { Broker } from './broker.js';
import { Databases } from './databases.js';
import type { Endpoint } from './endpoint.js';
import type { Endpoints } from './endpoints.js';
import type { Fault, FaultTarget } from './fault-plan.js';
import { Identity } from './identity.js';
import { WEBHOOK_RETRY_DELAYS } from './retries.js';
import { ServiceProcess } from './service-process.js';

/** Of each service. */
const REPLICAS = 2;
/** A standby takes over within a second. */
const OWNER_MS = 30_000;

/** Something that can be killed and started again. */
interface Killable {
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** The whole path of an event, each part a process as in production: PostgreSQL, NATS and two replicas of both services. */
export class FaultyPlatform {
  readonly dispatchers: ServiceProcess[] = [];
  readonly recordServices: ServiceProcess[] = [];
  private identity: Identity | undefined;

  private constructor(
    private readonly folder: string,
    private readonly guard: Guard,
    readonly databases: Databases,
    readonly broker: Broker,
    private readonly tokens: TestTokens,
  ) {}

  /** @param logFolder where the processes write what they log; it stays */
  static async start(endpoints: Endpoints, logFolder?: string): Promise<FaultyPlatform> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-faults-'));
    // PostgreSQL's user must get through; what is inside is closed to others.
    await chmod(folder, 0o711);
    const logs = logFolder ?? path.join(folder, 'logs');
    await mkdir(logs, { recursive: true });
    const guard = new Guard({ throwawayFolder: folder });
    const [databasePort = 0, brokerPort = 0, ...ports] = await freePorts(2 + 4 * REPLICAS);
    const server = (name: string, port: number) => {
      return { folder: path.join(folder, name), port, logFile: path.join(logs, `${name}.log`), guard };
    };
    const databases = new Databases(server('postgres', databasePort));
    const broker = new Broker(server('nats', brokerPort));
    const platform = new FaultyPlatform(folder, guard, databases, broker, testTokens());
    try {
      await platform.startAll(endpoints, ports, logs);
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
  }

  /** A token of an administrator that is valid for longer than a run takes. */
  sign(tenantId: string): Promise<string> {
    return this.tokens.sign({ tid: tenantId, exp: Math.floor(Date.now() / 1000) + 3600 });
  }

  /** Subscribes an endpoint to the leads of its tenant. */
  async subscribe(endpoint: Endpoint): Promise<void> {
    const call = client(this.dispatchers[0]?.url ?? '');
    const { body } = await call('POST', '/api/webhooks/subscriptions', {
      token: await this.sign(endpoint.tenantId),
      body: { events: ['lead.created'], url: `${endpoint.url}/events` },
      expect: 201,
    });
    endpoint.subscriptionId = body.id;
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

  private async startAll(endpoints: Endpoints, ports: number[], logFolder: string): Promise<void> {
    await Promise.all([this.databases.start(), this.broker.start()]);
    this.identity = await Identity.start(this.broker.url, this.broker.password, this.tokens);
    const caFile = path.join(this.folder, 'receivers.pem');
    await writeFile(caFile, endpoints.ca);
    const common = {
      PROFILE: 'development',
      TOKEN_ISSUER: TEST_ISSUER,
      NATS_URL: this.broker.url,
      NATS_PASSWORD: this.broker.password,
      DRAIN_SECONDS: '1',
    };
    const databases = await this.databases.provision(this.broker.provisioner);
    const recordService = { ...common, ...databases['custom-objects'] };
    const dispatcher = {
      ...common,
      ...databases['webhook-dispatcher'],
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      EGRESS_ALLOW: endpoints.all.map(({ url }) => new URL(url).host).join(),
      EGRESS_CA_FILE: caFile,
      WEBHOOK_RETRY_DELAYS,
    };
    const next = () => ports.pop() ?? 0;
    for (let replica = 1; replica <= REPLICAS; replica += 1) {
      const place = () => ({ port: next(), operationsPort: next(), logFolder, guard: this.guard });
      this.recordServices.push(
        new ServiceProcess({
          name: `custom-objects ${replica}`,
          service: 'custom-objects',
          environment: recordService,
          ...place(),
        }),
      );
      this.dispatchers.push(
        new ServiceProcess({
          name: `dispatcher ${replica}`,
          service: 'webhook-dispatcher',
          environment: dispatcher,
          ...place(),
        }),
      );
    }
    await Promise.all([...this.recordServices, ...this.dispatchers].map((one) => one.start()));
  }
}

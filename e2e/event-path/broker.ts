import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CONSUMERS, EVENT_STREAM, SERVICES, type ServiceName } from '@crm/contracts';
import { NatsConnection, provisionStreams } from '@crm/messaging';
import type { ChildServer } from '../../scripts/processes/child-server.mjs';
import type { Guard } from '../../scripts/processes/guard.mjs';
import { NATS_STOP_MS, startNats } from '../../scripts/servers/nats.mjs';

const PASSWORD = 'faults';
const PROVISIONER = { user: 'provisioner', password: PASSWORD } as const;
const DURABLE = CONSUMERS['webhook-dispatcher'].durable;

export interface BrokerOptions {
  readonly folder: string;
  readonly port: number;
  readonly logFile: string;
  readonly guard: Guard;
}

/** NATS with the users, permissions and streams of the platform, which can be killed and started again. */
export class Broker {
  private process: ChildServer | undefined;
  private connection: NatsConnection | undefined;

  constructor(private readonly options: BrokerOptions) {}

  get url(): string {
    return `nats://127.0.0.1:${this.options.port}`;
  }

  /** Every user has it. */
  get password(): string {
    return PASSWORD;
  }

  /** Makes streams and consumers. */
  get provisioner(): { url: string; user: string; password: string } {
    return { url: this.url, ...PROVISIONER };
  }

  /** Also makes the streams and consumers that are missing, as the start of the platform does. */
  async start(): Promise<void> {
    const { folder, port, logFile, guard } = this.options;
    const passwords = Object.fromEntries([...SERVICES, 'provisioner'].map((user) => [user, PASSWORD]));
    const { process: server } = await startNats({ dataDir: folder, port, passwords, guard, logFile });
    this.process = server;
    await provisionStreams(this.provisioner, { replicas: 1 });
  }

  async kill(): Promise<void> {
    this.process?.kill();
    await this.process?.ended;
  }

  /** Everything that JetStream has stored; while it is down. */
  async deleteStore(): Promise<void> {
    await rm(path.join(this.options.folder, 'jetstream'), { recursive: true });
  }

  /** Events that the dispatchers have not received, or not acknowledged. */
  async countPending(): Promise<number> {
    this.connection ??= await NatsConnection.open({
      url: this.url,
      ...PROVISIONER,
      // It may ask about consumers, which no service may.
      user: PROVISIONER.user as ServiceName,
      service: PROVISIONER.user as ServiceName,
    });
    const reply = await this.connection.connection.request(`$JS.API.CONSUMER.INFO.${EVENT_STREAM.name}.${DURABLE}`);
    const { num_pending, num_ack_pending } = reply.json<{ num_pending: number; num_ack_pending: number }>();
    return num_pending + num_ack_pending;
  }

  async stop(): Promise<void> {
    await this.connection?.close();
    await this.process?.stop('SIGTERM', NATS_STOP_MS);
  }
}

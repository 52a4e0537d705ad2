import path from 'node:path';
import { eventually } from '../../scripts/demo/client.mjs';
import { ChildServer } from '../../scripts/processes/child-server.mjs';
import type { Guard } from '../../scripts/processes/guard.mjs';
import { get } from '../../scripts/processes/readiness.mjs';
import { ROOT } from '../../scripts/root.mjs';

const READY_MS = 60_000;
const STOP_MS = 15_000;

export interface ServiceProcessOptions {
  /** Shown to people, and the name of its log. */
  readonly name: string;
  readonly service: 'custom-objects' | 'webhook-dispatcher';
  /** The repository whose build it is; default this one. */
  readonly build?: string | undefined;
  readonly port: number;
  readonly operationsPort: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly logFolder: string;
  readonly guard: Guard;
}

/** A process of a service, as it is built for production, that can be killed and started again. */
export class ServiceProcess {
  private child: ChildServer | undefined;

  constructor(private readonly options: ServiceProcessOptions) {}

  get url(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  get operationsUrl(): string {
    return `http://127.0.0.1:${this.options.operationsPort}`;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const { name, service, build = ROOT, port, operationsPort, environment, logFolder, guard } = this.options;
    const child = await ChildServer.start({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', path.join(build, 'apps', service, 'dist', 'main.js')],
      env: { ...process.env, ...environment, PORT: String(port), OPS_PORT: String(operationsPort) },
      logFile: path.join(logFolder, `${name}.log`),
      guard,
    });
    this.child = child;
    const isReady = async () => {
      if (child.outcome !== undefined) throw new Error(`${name} ended: ${child.lastLines(20).join('\n')}`);
      return (await get(`${this.operationsUrl}/readyz`)).status === 200;
    };
    await eventually(isReady, `the start of ${name}`, READY_MS);
  }

  /** Resolves when it is gone. */
  async kill(): Promise<void> {
    this.child?.kill();
    await this.child?.ended;
  }

  async stop(): Promise<void> {
    await this.child?.stop('SIGTERM', STOP_MS);
  }

  /** Returns whether its relay is the active one of its database. */
  async isRelayOwner(): Promise<boolean> {
    const { body } = await get(`${this.operationsUrl}/metrics`);
    return /^outbox_relay_active(\{.*\})? 1$/m.test(body);
  }
}

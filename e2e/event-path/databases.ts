import path from 'node:path';
import { DATABASES } from '@crm/contracts';
import pg from 'pg';
import type { Provisioned, Order as Provisioning } from '../../scripts/platform/provision.mjs';
import type { ChildServer } from '../../scripts/processes/child-server.mjs';
import type { Guard } from '../../scripts/processes/guard.mjs';
import { run } from '../../scripts/processes/run.mjs';
import { ROOT } from '../../scripts/root.mjs';
import { POSTGRES_STOP_MS, startPostgres } from '../../scripts/servers/postgres.mjs';

const PASSWORD = 'faults';

export type DatabaseOwner = 'custom-objects' | 'webhook-dispatcher';

export interface DatabasesOptions {
  readonly folder: string;
  readonly port: number;
  readonly logFile: string;
  readonly guard: Guard;
  /** The server's settings, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** PostgreSQL with the databases of the event path, which can be killed and started again. */
export class Databases {
  private process: ChildServer | undefined;

  constructor(private readonly options: DatabasesOptions) {}

  /** The same as in production: what it has acknowledged is in its log when it dies, and is there again after the recovery. */
  async start(): Promise<void> {
    const { folder, port, logFile, guard, settings } = this.options;
    const { process: server } = await startPostgres({
      dataDir: folder,
      port,
      password: PASSWORD,
      throwaway: false,
      guard,
      logFile,
      settings,
    });
    this.process = server;
  }

  /**
   * Makes the databases of both services, and the streams and consumers of NATS, as the start of the platform does.
   * @param build the repository whose programs do it
   * @returns what each service is told of its database
   */
  async provision(nats: Provisioning['nats'], build = ROOT): Promise<Record<DatabaseOwner, NodeJS.ProcessEnv>> {
    const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
    const order: Provisioning = {
      databaseUrl: this.adminUrl('postgres'),
      passwords: { 'custom-objects': passwords, 'webhook-dispatcher': passwords },
      services: ['custom-objects', 'webhook-dispatcher'],
      nats,
    };
    const program = path.join(build, 'scripts', 'platform', 'provision.mjs');
    const outcome = await run(process.execPath, [program], { cwd: build, input: JSON.stringify(order) });
    if (outcome.code !== 0) throw new Error(`The databases could not be made:\n${outcome.stderr}`);
    const { databases } = JSON.parse(outcome.stdout) as Provisioned;
    const environmentOf = (service: DatabaseOwner) => {
      const urls = databases[service];
      return { DATABASE_URL: urls?.runtimeUrl, DATABASE_NARROW_URL: urls?.narrowUrl };
    };
    return {
      'custom-objects': environmentOf('custom-objects'),
      'webhook-dispatcher': environmentOf('webhook-dispatcher'),
    };
  }

  /** Asks as the administrator, whom no policy binds. */
  async query<Row extends pg.QueryResultRow>(service: DatabaseOwner, sql: string): Promise<Row[]> {
    const admin = new pg.Client({ connectionString: this.adminUrl(DATABASES[service].database) });
    await admin.connect();
    try {
      const { rows } = await admin.query<Row>(sql);
      return rows;
    } finally {
      await admin.end();
    }
  }

  /** The server alone: what works for its clients ends by itself, as it does when memory runs out. */
  async kill(): Promise<void> {
    this.process?.kill();
    await this.process?.ended;
  }

  async stop(): Promise<void> {
    await this.process?.stop('SIGINT', POSTGRES_STOP_MS);
  }

  /** The administrator, whom no policy binds. */
  adminUrl(database: string): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${this.options.port}/${database}`;
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './config.js';

const passwords = Object.fromEntries(
  Object.keys(DATABASES).flatMap((service) => {
    const prefix = service.toUpperCase().replaceAll('-', '_');
    return ['OWNER', 'RUNTIME', 'NARROW'].map((role) => [`${prefix}_${role}_PASSWORD`, `${prefix} ${role}`]);
  }),
);
const ENVIRONMENT = {
  ...passwords,
  DATABASE_ADMIN_URL: 'postgres://postgres:p@db:5432/postgres?sslmode=verify-full',
  NATS_URL: 'tls://nats:4222',
  NATS_PASSWORD: 'n',
  NATS_REPLICAS: '3',
};

const problemsOf = (environment: Record<string, string>): string => {
  try {
    return JSON.stringify(loadConfig(environment));
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the configuration of the migration', () => {
  it('has the passwords of every database, by the name of its service', () => {
    const config = loadConfig(ENVIRONMENT);
    expect(Object.keys(config.passwords)).toEqual(Object.keys(DATABASES));
    expect(config.passwords['custom-objects']).toEqual({
      owner: 'CUSTOM_OBJECTS OWNER',
      runtime: 'CUSTOM_OBJECTS RUNTIME',
      narrow: 'CUSTOM_OBJECTS NARROW',
    });
    expect(config).toMatchObject({ replicas: 3, nats: { user: 'provisioner', password: 'n' } });
  });

  it('lists everything that is missing', () => {
    const missing = problemsOf({});
    for (const name of Object.keys(ENVIRONMENT)) expect(missing).toContain(`${name} is not set`);
  });

  it('takes each secret from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crm-migrate-'));
    try {
      const secrets = { ...passwords, DATABASE_ADMIN_URL: ENVIRONMENT.DATABASE_ADMIN_URL, NATS_PASSWORD: 'n' };
      const files = Object.entries(secrets).map(([name, value]) => {
        writeFileSync(join(folder, name), `${value}\n`);
        return [`${name}_FILE`, join(folder, name)];
      });
      const { NATS_URL, NATS_REPLICAS } = ENVIRONMENT;
      expect(loadConfig({ ...Object.fromEntries(files), NATS_URL, NATS_REPLICAS })).toEqual(loadConfig(ENVIRONMENT));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses to send passwords to another machine without encryption unless that is said', () => {
    const urls = { DATABASE_ADMIN_URL: 'postgres://postgres:p@db:5432/postgres', NATS_URL: 'nats://nats:4222' };
    const plain = { ...ENVIRONMENT, ...urls };
    for (const name of Object.keys(urls)) expect(problemsOf(plain)).toContain(`${name} leads to another machine`);
    expect(loadConfig({ ...plain, ALLOW_PLAINTEXT: 'postgres,nats' }).nats.url).toBe('nats://nats:4222');
  });

  it('refuses a number of copies that keeps no majority', () => {
    expect(problemsOf({ ...ENVIRONMENT, NATS_REPLICAS: '2' })).toContain('NATS_REPLICAS must be one of 1, 3');
  });
});

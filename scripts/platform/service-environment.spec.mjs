import { describe, expect, it } from '@jest/globals';
import { serviceEnvironment } from './service-environment.mjs';

/** @type {import('./service-environment.mjs').EnvironmentInput} */
const INPUT = {
  layout: {
    services: {
      gateway: { port: 8080, operationsPort: 9080 },
      identity: { port: 4001, operationsPort: 5001, operatorsPort: 6001 },
      'marketplace-admin': { port: 8082, operationsPort: 9082 },
      'webhook-dispatcher': { port: 4006, operationsPort: 5006 },
    },
  },
  secrets: {
    postgres: 'superuser',
    databases: {},
    nats: { gateway: 'g', identity: 'i', 'webhook-dispatcher': 'w' },
    keyEncryption: { identity: 'ik', 'webhook-dispatcher': 'wk' },
  },
  addresses: {
    baseUrl: 'http://127.0.0.1:8080',
    embedApiUrl: 'http://127.0.0.1:8081',
    adminUrl: 'http://127.0.0.1:8082',
    databaseUrl: 'postgres://postgres:superuser@127.0.0.1:1/postgres',
    natsUrl: 'nats://127.0.0.1:2',
    smtpUrl: 'smtp://127.0.0.1:3',
    mailUrl: null,
    services: { identity: { url: 'http://127.0.0.1:4001', operationsUrl: 'http://127.0.0.1:5001' } },
    demoReceiver: { url: '', port: 9443, caFile: '/ca.pem', keyFile: '', certFile: '' },
    dataDir: '/data',
  },
  databases: { identity: { ownerUrl: 'owner', runtimeUrl: 'runtime', narrowUrl: 'narrow' } },
  outer: { PATH: '/bin', DATABASE_URL: 'the superuser of an outer server', npm_package_name: 'x' },
};

describe('the environment of a service', () => {
  it('holds its own ports, database roles and NATS password', () => {
    expect(serviceEnvironment('identity', INPUT)).toMatchObject({
      PROFILE: 'development',
      PORT: '4001',
      OPS_PORT: '5001',
      DATABASE_URL: 'runtime',
      DATABASE_NARROW_URL: 'narrow',
      NATS_PASSWORD: 'i',
      KEY_ENCRYPTION_KEY: 'ik',
      SMTP_URL: 'smtp://127.0.0.1:3',
      OPERATOR_PASSKEY_ORIGINS: 'http://localhost:8082',
      PATH: '/bin',
    });
  });

  it('holds nobody else’s: no superuser, no owner, no npm variables', () => {
    const text = JSON.stringify(serviceEnvironment('identity', INPUT));
    for (const secret of ['superuser', 'owner', '"g"', 'wk', 'npm_package_name']) expect(text).not.toContain(secret);
    const nothing = { DATABASE_URL: undefined, SMTP_URL: undefined, KEY_ENCRYPTION_KEY: undefined };
    expect(serviceEnvironment('gateway', INPUT)).toMatchObject(nothing);
  });

  it('names the services that it calls, to each its own ports for operators', () => {
    expect(serviceEnvironment('gateway', INPUT).IDENTITY_URL).toBe('http://127.0.0.1:4001');
    expect(serviceEnvironment('marketplace-admin', INPUT).IDENTITY_URL).toBe('http://127.0.0.1:6001');
    expect(serviceEnvironment('identity', INPUT).IDENTITY_URL).toBeUndefined();
    expect(serviceEnvironment('identity', INPUT).OPERATORS_PORT).toBe('6001');
    expect(serviceEnvironment('webhook-dispatcher', INPUT).OPERATORS_PORT).toBeUndefined();
  });

  it('lets the demo receiver through where tenants’ addresses are called, and nowhere else', () => {
    expect(serviceEnvironment('webhook-dispatcher', INPUT)).toMatchObject({
      EGRESS_ALLOW: '127.0.0.1:9443,localhost:9443',
      EGRESS_CA_FILE: '/ca.pem',
    });
    expect(serviceEnvironment('gateway', INPUT).EGRESS_ALLOW).toBeUndefined();
  });

  it('leaves what the caller allows alone', () => {
    const outer = { EGRESS_ALLOW: '', EGRESS_CA_FILE: '/own.pem' };
    expect(serviceEnvironment('webhook-dispatcher', { ...INPUT, outer })).toMatchObject(outer);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { KeySource, RevocationSource } from '@crm/access';
import { ACCESS_TOKEN_TYPE } from '@crm/contracts';
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { exportJWK, SignJWT } from 'jose';
import { v7 } from 'uuid';
import { createService, type RunningService, type ServiceConfig, type ServiceOptions } from '../src/index.js';

export const TENANT = '0199aa00-0000-7000-8000-000000000001';

/** Settings of a service under test: free ports, no logs. */
export const testConfig = (changes: Partial<ServiceConfig> = {}): ServiceConfig => ({
  name: 'custom-objects',
  profile: 'test',
  host: '127.0.0.1',
  port: 0,
  operationsPort: 0,
  logLevel: 'silent',
  issuer: 'http://issuer.test',
  baseUrl: 'http://base.test',
  embedApiUrl: 'http://embed.test',
  trustedProxies: [],
  drainSeconds: 2,
  nats: { url: 'nats://127.0.0.1:1', user: 'custom-objects', password: 'unused', service: 'custom-objects' },
  ...changes,
});

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

class TestKeys extends KeySource {
  override async getKeys() {
    return { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] };
  }
}

/** Cut-offs whose arrival a test can delay. */
export class TestRevocations extends RevocationSource {
  override ready = true;
  age = 0;
  override get ageMs(): number {
    return this.age;
  }
  override isRevoked(): boolean {
    return false;
  }
}

export function tokenOf(claims: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT({ tid: TENANT, roles: ['member'], scopes: [], ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: 'k' })
    .setIssuer((claims.iss as string | undefined) ?? 'http://issuer.test')
    .setAudience((claims.aud as string | undefined) ?? 'platform-api')
    .setSubject('u-1')
    .setJti(v7())
    .setIssuedAt()
    .setExpirationTime('15m')
    .sign(privateKey);
}

class TestModule {}

interface Parts extends Omit<ServiceOptions, 'keySource'> {
  controllers?: Type[];
  providers?: Provider[];
  config?: Partial<ServiceConfig>;
}

export function startWith({ controllers = [], providers = [], config, ...options }: Parts): Promise<RunningService> {
  const module: DynamicModule = { module: TestModule, controllers, providers };
  const stated = { keySource: new TestKeys(), revocations: new TestRevocations(), ...options };
  return createService({ service: testConfig(config) }, module, stated);
}

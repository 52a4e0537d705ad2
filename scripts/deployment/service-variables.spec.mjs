import { describe, expect, it } from '@jest/globals';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { readEnvironment } from '../../libs/runtime/src/configuration/environment.js';
import { environmentProblems, serviceVariables, variablesOf } from './service-variables.mjs';

describe('the variables of a service', () => {
  it.each(SERVICES)('are learned from the configuration of %s', async (service) => {
    const { known, required } = await serviceVariables(service);
    expect(known).toEqual(expect.arrayContaining(['PROFILE', 'HOST', 'PORT', 'OPS_PORT', 'NATS_URL', 'NATS_PASSWORD']));
    expect(required).toEqual(expect.arrayContaining(['BASE_URL', 'EMBED_API_URL', 'NATS_URL', 'NATS_PASSWORD']));
    expect(known).toEqual(expect.arrayContaining([...required]));
  });

  it('include those of the service alone', async () => {
    const identity = await serviceVariables('identity');
    expect(identity.required).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'DATABASE_NARROW_URL', 'KEY_ENCRYPTION_KEY', 'SMTP_URL']),
    );
    const gateway = await serviceVariables('gateway');
    expect(gateway.known).not.toContain('DATABASE_URL');
    expect(gateway.required).toContain('IDENTITY_URL');
    expect((await serviceVariables('gateway', 'development')).required).not.toContain('IDENTITY_URL');
  });

  it('are secrets where a file may hold the value', () => {
    const loadConfig = () =>
      readEnvironment((env) => [env.string('NAME'), env.optional('KEY'), env.optional('KEY_FILE')]);
    expect(variablesOf(loadConfig)).toEqual({ known: ['KEY', 'NAME'], required: ['NAME'], fromFiles: ['KEY'] });
  });
});

describe('the environment of a service', () => {
  const environment = {
    PROFILE: 'production',
    BASE_URL: 'https://crm.example.com',
    EMBED_API_URL: 'https://embed.example.com',
    NATS_URL: 'tls://nats:4222',
    NATS_PASSWORD: 'secret',
    TRUSTED_PROXIES: '10.0.0.0/8',
  };

  it('has no problems when it is complete and known', async () => {
    expect(await environmentProblems('embed-gateway', { ...environment, MALLOC_ARENA_MAX: '2' })).toEqual([]);
  });

  it('has a problem for a variable that is missing, invalid or unknown', async () => {
    const { NATS_PASSWORD: _, ...rest } = environment;
    expect(
      await environmentProblems('embed-gateway', { ...rest, BASE_URL: 'crm', DATABASE_URL: 'postgres://x' }),
    ).toEqual([
      'DATABASE_URL is not a variable of embed-gateway',
      'BASE_URL must be a URL (http, https)',
      'NATS_PASSWORD is not set',
    ]);
  });

  it('has a problem when the service refuses its combination', async () => {
    const complete = {
      ...environment,
      DATABASE_URL: 'postgres://runtime@postgres/webhooks?sslmode=verify-full',
      DATABASE_NARROW_URL: 'postgres://narrow@postgres/webhooks?sslmode=verify-full',
      KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    };
    expect(await environmentProblems('webhook-dispatcher', complete)).toEqual([]);
    expect(await environmentProblems('webhook-dispatcher', { ...complete, EGRESS_ALLOW: '127.0.0.1:9443' })).toEqual([
      'EGRESS_ALLOW must not be set in the production profile',
    ]);
  });
});

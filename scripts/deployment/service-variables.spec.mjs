import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../libs/runtime/src/configuration/environment.js';
import { environmentProblems, serviceVariables, variablesOf } from './service-variables.mjs';

describe('the variables of a service', () => {
  it('are those of its own configuration', async () => {
    expect((await serviceVariables('identity')).known).toEqual(expect.arrayContaining(['PORT', 'DATABASE_URL']));
    expect((await serviceVariables('gateway')).known).not.toContain('DATABASE_URL');
  });

  it('are secrets where a file may hold the value', () => {
    const loadConfig = () =>
      readEnvironment((env) => [env.string('NAME'), env.optional('KEY'), env.optional('KEY_FILE')]);
    expect(variablesOf(loadConfig)).toEqual({ known: ['KEY', 'NAME'], fromFiles: ['KEY'] });
  });
});

describe('the environment of a service', () => {
  const complete = {
    PROFILE: 'production',
    BASE_URL: 'https://crm.example.com',
    EMBED_API_URL: 'https://embed.example.com',
    NATS_URL: 'tls://nats:4222',
    NATS_PASSWORD: 'secret',
    TRUSTED_PROXIES: '10.0.0.0/8',
    DATABASE_URL: 'postgres://runtime@postgres/webhooks?sslmode=verify-full',
    DATABASE_NARROW_URL: 'postgres://narrow@postgres/webhooks?sslmode=verify-full',
    KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  };

  it.each([
    [{ MALLOC_ARENA_MAX: '2' }, []],
    [{ SMTP_URL: 'smtp://x' }, ['SMTP_URL is not a variable of webhook-dispatcher']],
    [{ BASE_URL: 'crm' }, ['BASE_URL must be a URL (http, https)']],
    [{ NATS_PASSWORD: '' }, ['NATS_PASSWORD is not set']],
    [{ NATS_PASSWORD_FILE: '/a' }, ['NATS_PASSWORD is given twice, also as NATS_PASSWORD_FILE']],
    [{ EGRESS_ALLOW: '127.0.0.1:9443' }, ['EGRESS_ALLOW must not be set in the production profile']],
  ])('with %j has the problems %j', async (changed, problems) => {
    const environment = /** @type {Record<string, string>} */ ({ ...complete, ...changed });
    expect(await environmentProblems('webhook-dispatcher', environment, { '/a': 'secret' })).toEqual(problems);
  });
});

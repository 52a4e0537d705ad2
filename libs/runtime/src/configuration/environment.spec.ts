import { SERVICES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { outcomeIn, outcomeOf } from '../../test/outcome-of.js';
import { readEnvironment } from './environment.js';
import { databaseConfig, limitsConfig, quotaByPlan, serviceConfig } from './service-config.js';

describe('readEnvironment', () => {
  it('reads typed values and defaults', () => {
    const environment = { A: 'text', N: '42', L: 'x, y,,z', B: 'true', EMPTY: '' };
    const settings = readEnvironment(
      (env) => [
        env.string('A'),
        env.integer('N', { min: 1, max: 50 }),
        env.list('L'),
        env.boolean('B'),
        env.optional('EMPTY'),
        env.oneOf('C', ['one', 'two'], { default: 'two' }),
      ],
      environment,
    );
    expect(settings).toEqual(['text', 42, ['x', 'y', 'z'], true, undefined, 'two']);
  });

  it('lists all problems at once, without the values', () => {
    const environment = { PORT: '99999', URL: 'not a url', LEVEL: 'loud', KEY: 'c2hvcnQ=', FLAG: 'yes' };
    const problems = outcomeIn(environment, (env) => {
      env.port('PORT');
      env.url('URL');
      env.oneOf('LEVEL', ['low', 'high']);
      env.secret('KEY', { bytes: 32 });
      env.secret('MISSING');
      env.boolean('FLAG');
    });
    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'URL must be a URL',
      'LEVEL must be one of low, high',
      'KEY must be 32 bytes in base64',
      'MISSING is not set',
      'FLAG must be true or false',
    ]);
  });

  it('reports nested readings together', () => {
    const problems = outcomeIn({ PROFILE: 'production' }, () => ({
      service: serviceConfig('custom-objects'),
      database: databaseConfig('custom-objects'),
    }));
    expect(problems).toEqual([
      'BASE_URL is not set',
      'EMBED_API_URL is not set',
      'TRUSTED_PROXIES is not set',
      expect.stringMatching(/^TRUSTED_PROXIES says/),
      'NATS_URL is not set',
      'NATS_PASSWORD is not set',
      'DATABASE_URL is not set',
      'DATABASE_NARROW_URL is not set',
    ]);
  });
});

describe('the proxies that are trusted', () => {
  /** Settings of production, which is the profile when none is named. */
  const complete = {
    BASE_URL: 'https://crm.example/',
    EMBED_API_URL: 'https://embed.example',
    NATS_URL: 'tls://nats:4222',
    NATS_PASSWORD: 'x',
  };

  it.each(SERVICES)('must be told to %s in production', (name) => {
    const explained = ['TRUSTED_PROXIES is not set', expect.stringMatching(/^TRUSTED_PROXIES says whose .* or "none"/)];
    expect(outcomeOf(() => serviceConfig(name, complete))).toEqual(explained);
    expect(outcomeOf(() => serviceConfig(name, { ...complete, TRUSTED_PROXIES: '' }))).toEqual(explained);
    const trusted = (text: string) => serviceConfig(name, { ...complete, TRUSTED_PROXIES: text }).trustedProxies;
    expect(trusted('10.0.0.0/8, 192.0.2.1')).toEqual(['10.0.0.0/8', '192.0.2.1']);
    expect(trusted('none')).toEqual([]);
    expect(outcomeOf(() => trusted('none,10.0.0.0/8'))).toEqual([expect.stringMatching(/^TRUSTED_PROXIES must be/)]);
  });

  it('are outside production by default the gateway, and nobody at an edge', () => {
    const development = { ...complete, PROFILE: 'development' };
    expect(serviceConfig('identity', development).trustedProxies).toEqual(['127.0.0.1', '::1']);
    expect(serviceConfig('gateway', development).trustedProxies).toEqual([]);
    const production = { profile: 'production', trustedProxies: ['10.0.0.0/8'], issuer: 'https://crm.example' };
    expect(serviceConfig('identity', { ...complete, TRUSTED_PROXIES: '10.0.0.0/8' })).toMatchObject(production);
  });
});

describe('where limits are counted', () => {
  it('is in the memory of the process unless there is an address', () => {
    expect(limitsConfig({})).toEqual({ redisUrl: undefined });
    expect(limitsConfig({ REDIS_URL: 'rediss://:secret@valkey:6379' }).redisUrl).toBe('rediss://:secret@valkey:6379');
    expect(outcomeOf(() => limitsConfig({ REDIS_URL: 'http://:secret@valkey' }))).toEqual([
      'REDIS_URL must be a URL (redis, rediss)',
    ]);
  });
});

describe('databaseConfig', () => {
  const environment = { PROFILE: 'test', DATABASE_URL: 'postgres://r@db/x', DATABASE_NARROW_URL: 'postgres://n@db/x' };
  const retention = (text: string) =>
    databaseConfig('custom-objects', { ...environment, RETENTION_DAYS: text }).retentionDays;

  it('reads the retention of tables', () => {
    expect(databaseConfig('custom-objects', environment).retentionDays).toEqual({});
    expect(retention('outbox=9, inbox = 17,run_step=365')).toEqual({ outbox: 9, inbox: 17, run_step: 365 });
  });

  it.each([
    ...['run', 'run=0', 'run=366', 'run=1.5', 'run=1,run=2', 'Run=1', '=1', 'run=1,'].map((text) => [
      text,
      'be names with whole numbers from 1 to 365, such as a=1,b=365',
    ]),
    // Events may come again.
    ...['inbox=14', 'outbox=8', 'outbox=20,inbox=27'].map((text) => [
      text,
      'keep the inbox 8 days longer than the outbox at least',
    ]),
  ])('refuses the retention "%s": it must %s', (text, problem) => {
    expect(outcomeOf(() => retention(text))).toEqual([`RETENTION_DAYS must ${problem}`]);
  });
});

describe('tracing', () => {
  const tracing = (environment: Record<string, string>) =>
    serviceConfig('gateway', { PROFILE: 'development', NATS_PASSWORD: 'p', ...environment }).tracing;

  it('is off without an endpoint, and records one trace in a hundred with one', () => {
    expect(tracing({})).toBeUndefined();
    expect(tracing({ OTEL_TRACES_SAMPLE_RATIO: '1' })).toBeUndefined();
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318/' })).toEqual({
      endpoint: 'http://otel-collector:4318',
      sampleRatio: 0.01,
    });
  });

  it.each([
    ['0', 0],
    ['.5', 0.5],
    ['1', 1],
    ['0.001', 0.001],
  ])('records the share %s', (text, sampleRatio) => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c', OTEL_TRACES_SAMPLE_RATIO: text };
    expect(tracing(environment)).toMatchObject({ sampleRatio });
  });

  it.each(['1.01', '2', '-0', '1e-3', '50%', 'all', '1.'])('refuses the share "%s", also while it is off', (text) => {
    expect(outcomeOf(() => tracing({ OTEL_TRACES_SAMPLE_RATIO: text }))).toEqual([
      'OTEL_TRACES_SAMPLE_RATIO must be a number from 0 to 1',
    ]);
  });

  it('refuses an endpoint of another protocol', () => {
    expect(outcomeOf(() => tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://c:4317' }))).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL (http, https)',
    ]);
  });
});

describe('serviceConfig', () => {
  it('uses the addresses of the development profile', () => {
    expect(serviceConfig('custom-objects', { PROFILE: 'development', NATS_PASSWORD: 'p' })).toMatchObject({
      port: 4003,
      operationsPort: 5003,
      issuer: 'http://127.0.0.1:8080',
      trustedProxies: ['127.0.0.1', '::1'],
      nats: { url: 'nats://127.0.0.1:14222', user: 'custom-objects', password: 'p', service: 'custom-objects' },
    });
  });

  it('connects to one or more servers of NATS', () => {
    const urlOf = (NATS_URL: string) =>
      serviceConfig('custom-objects', { PROFILE: 'development', NATS_PASSWORD: 'p', NATS_URL }).nats.url;
    expect(urlOf('nats://nats-0:4222, nats://nats-1:4222')).toBe('nats://nats-0:4222,nats://nats-1:4222');
    for (const wrong of ['nats-0:4222', 'nats://nats-0:4222,', 'http://nats-0:4222']) {
      expect(() => urlOf(wrong)).toThrow('NATS_URL must be URLs (nats, tls), separated by commas');
    }
  });
});

const defaults = { developer: 1, business: 2, enterprise: 3 };
const read = (value: string | undefined, profile: 'development' | 'production' = 'production') =>
  readEnvironment((env) => quotaByPlan(env, 'QUOTA', { profile, defaults }), { QUOTA: value });

describe('a quota by plan', () => {
  it('keeps the default of the plans that are not named', () => {
    expect(read(undefined)).toEqual(defaults);
    expect(read('business=0,enterprise=9')).toEqual({ developer: 1, business: 0, enterprise: 9 });
  });

  it('is high outside production, unless the environment names another', () => {
    expect(read('business=4', 'development')).toEqual({ developer: 1e6, business: 4, enterprise: 1e6 });
  });

  it('refuses a plan that does not exist and a number below 0', () => {
    expect(() => read('gold=1')).toThrow('QUOTA names no plan: gold');
    expect(() => read('business=-1')).toThrow('QUOTA must be');
  });
});

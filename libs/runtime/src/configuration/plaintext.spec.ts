import { describe, expect, it } from '@jest/globals';
import { outcomeIn } from '../../test/outcome-of.js';
import { plaintextKindOf } from './plaintext.js';

const kindOf = (url: string) => plaintextKindOf(new URL(url));

describe('a connection', () => {
  it.each([
    'http://127.0.0.1:8080',
    'http://localhost:4001',
    'http://api.crm.localhost',
    'http://[::1]:4001',
    'nats://127.8.9.10:4222',
    'redis://:p@LOCALHOST.:6379',
    'postgres://u:p@127.0.0.1:15432/identity',
    'postgres:///identity?host=/var/run/postgresql',
    'postgres://u:p@db.example.com/identity?host=/run/pg',
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/identity',
    'postgresql:///identity',
  ])('to %s stays on this machine', (url) => {
    expect(kindOf(url)).toBeUndefined();
  });

  it.each([
    'https://api.example.com',
    'tls://nats:4222',
    'rediss://:p@valkey:6379',
    'smtps://u:p@mail.example.com',
    'smtp://u:p@mail.example.com:587?requireTLS=true',
    'postgres://u:p@db/identity?sslmode=verify-full&sslrootcert=/etc/ca.crt',
    'postgres://u:p@db/identity?sslmode=require',
    'postgres://u:p@db/identity?ssl=true',
    'postgres://u:p@db/identity?uselibpqcompat=true&sslmode=verify-full',
  ])('to %s is encrypted', (url) => {
    expect(kindOf(url)).toBeUndefined();
  });

  it.each([
    ['http', 'http://identity:4001'],
    ['http', 'http://10.0.0.1:4001'],
    ['http', 'http://[fd00::1]:4001'],
    ['http', 'http://localhost.example.com'],
    ['http', 'http://127.0.0.1.example.com'],
    ['nats', 'nats://nats:4222'],
    ['nats', 'nats://0.0.0.0:4222'],
    ['redis', 'redis://:p@valkey:6379'],
    ['smtp', 'smtp://mailpit:1025'],
    ['smtp', 'smtp://mailpit:1025?requireTLS=false'],
    ['postgres', 'postgres://u:p@db/identity'],
    ['postgresql', 'postgresql://u:p@10.0.0.5/identity'],
    ['postgres', 'postgres://u:p@127.0.0.1/identity?host=10.0.0.5'],
    ['postgres', 'postgres://u:p@db/identity?sslmode=disable'],
    ['postgres', 'postgres://u:p@db/identity?sslmode=prefer'],
    ['postgres', 'postgres://u:p@db/identity?sslmode=no-verify'],
    ['postgres', 'postgres://u:p@db/identity?ssl=0'],
    ['postgres', 'postgres://u:p@db/identity?sslmode=disable&ssl=true'],
    ['postgres', 'postgres://u:p@db/identity?uselibpqcompat=true&sslmode=require'],
    ['postgres', 'postgres://u:p@db/identity?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=/etc/ca.crt'],
  ])('of %s to %s can be read on its way', (kind, url) => {
    expect(kindOf(url)).toBe(kind.replace('postgresql', 'postgres'));
  });
});

describe('the addresses in an environment', () => {
  const URLS = {
    BASE_URL: 'http://crm.example.com',
    NATS_URL: 'nats://nats-0:4222,nats://nats-1:4222',
    DATABASE_URL: 'postgres://u:hidden@db/identity',
    REDIS_URL: 'redis://:hidden@valkey',
  };
  const problemsOf = (environment: Record<string, string>) =>
    outcomeIn(environment, (env) => {
      env.url('BASE_URL', { schemes: ['http', 'https'] });
      env.urls('NATS_URL', { schemes: ['nats', 'tls'] });
      env.url('DATABASE_URL', { schemes: ['postgres'], secret: true });
      env.url('REDIS_URL', { schemes: ['redis', 'rediss'], secret: true });
      return [];
    });

  it('must be encrypted in production, which is what a process without a profile runs in', () => {
    for (const environment of [URLS, { ...URLS, PROFILE: 'production' }, { ...URLS, ALLOW_PLAINTEXT: '' }]) {
      const problems = problemsOf(environment);
      expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(URLS));
      expect(problems[0]).toBe(
        'BASE_URL leads to another machine without encryption: use https://, or allow it with ALLOW_PLAINTEXT=http',
      );
      expect(problems[2]).toContain('sslmode=verify-full');
      expect(problems.join()).not.toContain('hidden');
    }
  });

  it('may be what they are in other profiles', () => {
    expect(problemsOf({ ...URLS, PROFILE: 'development' })).toEqual([]);
    expect(problemsOf({ ...URLS, PROFILE: 'test' })).toEqual([]);
  });

  it('may be without encryption where that is said, by kind', () => {
    expect(problemsOf({ ...URLS, ALLOW_PLAINTEXT: 'http, nats,postgres,redis' })).toEqual([]);
    const some = problemsOf({ ...URLS, ALLOW_PLAINTEXT: 'http,nats' });
    expect(some.map((problem) => problem.split(' ')[0])).toEqual(['DATABASE_URL', 'REDIS_URL']);
  });

  it('are all refused when one of a cluster is not encrypted', () => {
    const { NATS_URL: _, ...others } = { ...URLS, BASE_URL: 'https://crm.example.com' };
    const allowed = { ...others, ALLOW_PLAINTEXT: 'postgres,redis' };
    expect(problemsOf({ ...allowed, NATS_URL: 'tls://nats-0,nats://nats-1' })).toHaveLength(1);
    expect(problemsOf({ ...allowed, NATS_URL: 'tls://nats-0,tls://nats-1' })).toEqual([]);
  });

  it.each(['true', 'all', 'http,ftp', 'HTTP'])('are not allowed by ALLOW_PLAINTEXT=%s, which is a mistake', (value) => {
    const encrypted = {
      BASE_URL: 'https://a',
      NATS_URL: 'tls://n',
      DATABASE_URL: 'postgres:///d',
      REDIS_URL: 'rediss://r',
    };
    expect(problemsOf({ ...encrypted, ALLOW_PLAINTEXT: value })).toEqual([
      'ALLOW_PLAINTEXT must be some of http, nats, postgres, redis, smtp, separated by commas',
    ]);
  });
});

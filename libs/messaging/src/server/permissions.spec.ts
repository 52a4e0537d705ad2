import { readFile, writeFile } from 'node:fs/promises';
import { RPC_CONTRACTS, SERVICES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { clusterServerConfig, natsServerConfig, sampleServerConfig } from './nats-server-config.js';
import { NATS_USERS, type NatsUser, permissionsOf } from './permissions.js';

describe('the permissions at the broker', () => {
  it('let exactly the callers of a contract call it, and exactly its server receive it', () => {
    for (const contract of RPC_CONTRACTS) {
      const may = (what: 'publish' | 'subscribe') =>
        SERVICES.filter((service) => permissionsOf(service)[what].includes(contract.subject));
      expect(may('publish')).toEqual(SERVICES.filter((service) => contract.callers.includes(service)));
      expect(may('subscribe')).toEqual([contract.server]);
    }
  });

  it('allow no subject tree that a service does not need', () => {
    for (const user of SERVICES) {
      const { publish, subscribe } = permissionsOf(user);
      const trees = [...publish, ...subscribe].filter((subject) => subject.endsWith('>'));
      for (const tree of trees)
        expect(tree).toMatch(/^(_INBOX_|\$JS\.ACK\.EVENTS\.|\$JS\.API\.CONSUMER\.\w+\.KV_|\$JS\.FC\.|\$KV\.)/);
      expect(publish).not.toContain('$JS.API.>');
      expect(subscribe.filter((subject) => subject.startsWith('_INBOX'))).toHaveLength(1);
    }
  });

  it('let nobody but identity write cut-offs', () => {
    const writers = NATS_USERS.filter((user) =>
      permissionsOf(user).publish.some((subject) => subject.startsWith('$KV')),
    );
    expect(writers).toEqual(['identity']);
  });
});

describe('the configuration of the server', () => {
  const options = (password: string) => ({
    host: '127.0.0.1',
    port: 4222,
    storeDir: '/x',
    passwords: Object.fromEntries(NATS_USERS.map((user) => [user, password])) as Record<NatsUser, string>,
  });
  const PLAIN = options('x');

  it('quotes passwords', () => {
    expect(natsServerConfig(options('a"b\\c'))).toContain(String.raw`password: "a\"b\\c"`);
  });

  it.each<[string, object, string]>([
    ['the interval of writes to disk', { syncInterval: 'always' }, 'sync_interval: "always"\n}'],
    ['what the server may store', { maxFileStore: '18GiB' }, 'max_file_store: 18GiB\n'],
    ['it by a variable', { maxFileStore: { environment: 'LIMIT' } }, 'max_file_store: $LIMIT\n'],
  ])('names %s only to a server that is told', (_what, more, line) => {
    expect(natsServerConfig({ ...PLAIN, ...more })).toContain(`\n  ${line}`);
    expect(natsServerConfig(PLAIN)).not.toContain(line.split(':')[0]);
  });

  it.each([
    ['deploy/nats/nats-server.conf', sampleServerConfig()],
    ['k8s/base/nats/nats.conf', clusterServerConfig()],
  ])('matches the file %s', async (path, text) => {
    const file = new URL(`../../../../${path}`, import.meta.url);
    if (process.env.WRITE_DOCS) await writeFile(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

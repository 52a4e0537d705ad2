import { afterEach, describe, expect, it } from '@jest/globals';
import { nameServerTextResolver } from '../src/index.js';
import { type NameAnswer, type NameServer, startNameServer } from './name-server.js';

const NAME = '_challenge.example.com';
const SERVFAIL = 2;
const NXDOMAIN = 3;

let server: NameServer | undefined;
afterEach(() => server?.close());

async function texts(answer: NameAnswer, limitMs?: number): Promise<readonly string[]> {
  server = await startNameServer((name, kind) => (name === NAME && kind === 'TXT' ? answer : NXDOMAIN));
  return nameServerTextResolver({ servers: [server.address], limitMs })(NAME);
}

describe('nameServerTextResolver', () => {
  it('returns every record as one text, also one that comes in pieces', async () => {
    const long = 'x'.repeat(600);
    expect([...(await texts(['v=spf1 -all', long]))].sort()).toEqual(['v=spf1 -all', long]);
  });

  it('returns nothing for a name that does not exist or has no such record', async () => {
    expect(await texts(NXDOMAIN)).toEqual([]);
    await server?.close();
    expect(await texts([])).toEqual([]);
  });

  it('rejects when no server says whether there is a record', async () => {
    await expect(texts(SERVFAIL)).rejects.toThrow();
    await server?.close();
    await expect(texts('silence', 100)).rejects.toMatchObject({ code: 'ECANCELLED' });
  });
});

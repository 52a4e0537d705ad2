import { execFileSync } from 'node:child_process';
import { closeSync, promises as files, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OutsideClient } from '../src/index.js';
import { nameServerResolver, nameServerTextResolver } from '../src/resolver.js';
import { closeAll, closeLater } from './calls.js';
import { type NameAnswer, type NameServer, type RecordKind, startNameServer } from './name-server.js';
import { httpsReceiver, makeCertificate } from './receiver.js';

/** The default number of threads that Node uses for files and for the system's resolver. */
const WORKER_THREADS = 4;
const IPV6 = '2606:4700:0:0:0:0:0:1111';

afterEach(closeAll);

const serve = async (answer: (name: string, kind: RecordKind) => NameAnswer): Promise<NameServer> =>
  closeLater(await startNameServer(answer));

/** A resolver that asks a server with these answers; one answer applies to both kinds. */
async function resolving(a: NameAnswer, aaaa: NameAnswer = a, limitMs?: number) {
  const server = await serve((_name, kind) => (kind === 'A' ? a : aaaa));
  return nameServerResolver({ servers: [server.address], limitMs });
}

/** Keeps every worker thread of this process busy: opening a pipe blocks until the other end is opened. */
async function occupyWorkerThreads(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'egress-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const readers = Array.from({ length: WORKER_THREADS }, () => files.open(pipe, 'r'));
  return async () => {
    const writer = openSync(pipe, 'r+');
    await Promise.all((await Promise.all(readers)).map((reader) => reader.close()));
    closeSync(writer);
    rmSync(folder, { recursive: true });
  };
}

describe('nameServerResolver', () => {
  it('returns IPv4 and IPv6 addresses alternately', async () => {
    const resolve = await resolving(['192.0.2.1', '192.0.2.2', '192.0.2.3'], [IPV6]);
    expect(await resolve('a.example.com')).toEqual(['192.0.2.1', '2606:4700::1111', '192.0.2.2', '192.0.2.3']);
  });

  it.each<[string, NameAnswer, NameAnswer]>([
    ['none', ['192.0.2.1'], []],
    ['a failing server', ['192.0.2.1'], 2],
    ['a silent server', ['192.0.2.1'], 'silence'],
  ])('returns the addresses of one kind when the other has %s', async (_what, a, aaaa) => {
    expect(await (await resolving(a, aaaa, 300))('a.example.com')).toEqual(['192.0.2.1']);
    expect(await (await resolving(aaaa, [IPV6], 300))('a.example.com')).toEqual(['2606:4700::1111']);
  });

  it('waits for IPv6 addresses for a moment only when it has IPv4 ones, and asks for them once', async () => {
    const kinds: RecordKind[] = [];
    const server = await serve((_name, kind) => {
      kinds.push(kind);
      return kind === 'A' ? ['192.0.2.1'] : 'silence';
    });
    expect(await nameServerResolver({ servers: [server.address] })('a.example.com')).toEqual(['192.0.2.1']);
    // A second try would follow after a second.
    expect(kinds.sort()).toEqual(['A', 'AAAA']);
  });

  it.each<[string, NameAnswer, NameAnswer]>([
    ['ENOTFOUND', 3, 3],
    ['ESERVFAIL', 2, 2],
    ['ENODATA', [], []],
    ['ESERVFAIL', [], 2],
    ['ETIMEOUT', [], 'silence'],
    ['ETIMEOUT', 'silence', 'silence'],
  ])('rejects with %s when there is no address (A: %j, AAAA: %j)', async (code, a, aaaa) => {
    const resolve = await resolving(a, aaaa, 300);
    await expect(resolve('a.example.com')).rejects.toMatchObject({ code });
  });

  it('ignores the hosts file and search domains', async () => {
    const server = await serve(() => 3);
    const resolve = nameServerResolver({ servers: [server.address] });
    await expect(resolve('localhost.localdomain')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(new Set(server.asked)).toEqual(new Set(['localhost.localdomain']));
  });

  it('resolves a name while the servers of many other names are silent', async () => {
    const server = await serve((name, kind) => {
      if (name.endsWith('dead.example.com')) return 'silence';
      return kind === 'A' ? ['192.0.2.1'] : [];
    });
    const resolve = nameServerResolver({ servers: [server.address] });
    const ended = jest.fn();
    const waiting = Array.from({ length: 32 }, () => new AbortController());
    const dead = waiting.map(({ signal }, index) => resolve(`${index}.dead.example.com`, signal).catch(ended));
    expect(await resolve('alive.example.com')).toEqual(['192.0.2.1']);
    expect(ended).not.toHaveBeenCalled();
    for (const one of waiting) one.abort();
    await Promise.all(dead);
    expect(ended).toHaveBeenCalledTimes(32);
  });

  it('resolves a name while every worker thread is busy', async () => {
    const resolve = await resolving(['192.0.2.1'], []);
    const release = await occupyWorkerThreads();
    try {
      expect(await resolve('a.example.com')).toEqual(['192.0.2.1']);
    } finally {
      await release();
    }
  });

  it('stops a lookup when it is cancelled', async () => {
    const resolve = await resolving('silence', 'silence', 2 ** 30);
    const gone = new AbortController();
    const lookup = resolve('a.example.com', gone.signal);
    gone.abort();
    await expect(lookup).rejects.toMatchObject({ code: 'ETIMEOUT' });
  });
});

it('a client with the default resolver resolves exempt hosts like the system does', async () => {
  const certificate = await makeCertificate(['localhost']);
  const receiver = closeLater(await httpsReceiver(certificate, (_request, response) => response.end('ok')));
  const allow = [{ host: 'localhost', port: receiver.port }];
  const client = closeLater(new OutsideClient({ allow, ca: certificate.cert }));
  const answer = await client.request({ method: 'GET', url: `https://localhost:${receiver.port}/` });
  expect(answer).toMatchObject({ status: 200, remoteAddress: '127.0.0.1' });
});

describe('nameServerTextResolver', () => {
  const NAME = '_challenge.example.com';
  const [SERVFAIL, NXDOMAIN] = [2, 3];
  const texts = async (answer: NameAnswer, limitMs?: number) => {
    const server = await serve((name, kind) => (name === NAME && kind === 'TXT' ? answer : NXDOMAIN));
    return nameServerTextResolver({ servers: [server.address], limitMs })(NAME);
  };

  it('returns every record as one text, also one that comes in pieces', async () => {
    const long = 'x'.repeat(600);
    expect([...(await texts(['v=spf1 -all', long]))].sort()).toEqual(['v=spf1 -all', long]);
  });

  it('returns nothing for a name that does not exist or has no such record', async () => {
    expect(await texts(NXDOMAIN)).toEqual([]);
    expect(await texts([])).toEqual([]);
  });

  it('rejects when no server says whether there is a record', async () => {
    await expect(texts(SERVFAIL)).rejects.toThrow();
    await expect(texts('silence', 100)).rejects.toMatchObject({ code: 'ECANCELLED' });
  });
});

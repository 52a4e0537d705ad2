import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { certify } from '@crm/manifest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { examplePath, lastLine, Workspace } from './command.js';

const workspace = new Workspace();
const app = examplePath('industry-app');
let server: Server;
let baseUrl: string;
let answer: (body: { manifest: object; reviewPacket?: object }) => Promise<{ status: number; body: unknown }>;
const seen: { url?: string; authorization?: string; body: { manifest: object; reviewPacket?: object } }[] = [];

beforeAll(async () => {
  server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    seen.push({ url: request.url, authorization: request.headers.authorization, body });
    const { status, body: content } = await answer(body);
    response.writeHead(status, { location: '/elsewhere' });
    response.end(typeof content === 'string' ? content : JSON.stringify(content));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/crm`;
});

afterEach(() => {
  seen.length = 0;
});

afterAll(async () => {
  workspace.remove();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

/** The platform's answer: the key belongs to another publisher. */
async function certification({ manifest, reviewPacket }: { manifest: object; reviewPacket?: object }) {
  const probes = { keyOwnership: async () => 'other' as const };
  return { status: 200, body: await certify(manifest, { mode: 'certification', reviewPacket, probes }) };
}

const remotely = (...args: string[]) =>
  workspace.run(['certify', app, '--remote', ...args], { config: { baseUrl, token: 'secret' } });

describe('crm-dev certify --remote', () => {
  it('sends package and packet with the token, and shows where the findings are', async () => {
    answer = certification;
    const { status, out } = await remotely('--review', examplePath('industry-app', 'review-packet.json'));
    expect(status).toBe(1);
    expect(out).toContain('app.json:4:10 blocker MAN-002 The key "acme-site-visits" belongs to another publisher.');
    expect(lastLine(out)).toMatch(/^FAIL acme-site-visits@1\.0\.0 /);
    expect(seen).toMatchObject([
      {
        url: '/crm/api/marketplace/developer/certifications',
        authorization: 'Bearer secret',
        body: { manifest: { key: 'acme-site-visits' }, reviewPacket: { demoVideo: expect.any(String) } },
      },
    ]);
  });

  it('prefers the options of the command line to the environment', async () => {
    answer = certification;
    await remotely('--token', 'other', '--base-url', `${baseUrl}/`);
    expect(seen[0]).toMatchObject({
      url: '/crm/api/marketplace/developer/certifications',
      authorization: 'Bearer other',
    });
  });

  it('does not send a text that is not JSON', async () => {
    const file = workspace.write('bad.json', '{');
    const { status, out } = await workspace.run(['certify', file, '--remote'], { config: { baseUrl, token: 'a' } });
    expect({ status, sent: seen.length }).toEqual({ status: 1, sent: 0 });
    expect(lastLine(out)).toMatch(/^FAIL unknown@unknown /);
  });

  it.each<[string, number, unknown, RegExp]>([
    ['a refusal', 403, { title: 'Forbidden', detail: 'Developers only.' }, /refused: 403 Developers only\.\n$/],
    [
      'an expired token',
      401,
      { title: 'Unauthorized' },
      /refused: 401 Unauthorized Sign in again and use the new token\.\n$/,
    ],
    ['a redirect', 302, '', /refused: 302\n$/],
    ['a page', 502, '<html>', /refused: 502\n$/],
    ['an answer that is not a certification', 200, { passed: true }, /did not answer with a certification\.\n$/],
    ['an empty answer', 200, null, /did not answer with a certification\.\n$/],
  ])('ends with status 2 after %s', async (_what, status, body, message) => {
    answer = async () => ({ status, body });
    const outcome = await remotely();
    expect(outcome).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });

  it('ends with status 2 when nothing listens at the address', async () => {
    const { status, err } = await remotely('--base-url', 'http://127.0.0.1:9');
    expect(status).toBe(2);
    expect(err).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached: .+\.\n$/);
  });
});

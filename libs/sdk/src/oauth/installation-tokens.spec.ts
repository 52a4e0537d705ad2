import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { installationTokens } from './installation-tokens.js';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A token endpoint that counts its tokens. */
async function endpoint(expiresIn: number, answer?: (response: ServerResponse) => unknown) {
  const seen: { authorization: string | undefined; form: string }[] = [];
  server = createServer(async (request: IncomingMessage, response) => {
    seen.push({ authorization: request.headers.authorization, form: await text(request) });
    if (answer) answer(response);
    else response.end(JSON.stringify({ access_token: `token ${seen.length}`, expires_in: expiresIn }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { clientId: 'app_1', clientSecret: 'a:secret' };
  return { seen, token: installationTokens({ baseUrl, ...credentials, scopes: ['leads', 'tasks'] }) };
}

describe('the tokens of an installation', () => {
  it('are asked for with form-encoded credentials and the scopes', async () => {
    const { seen, token } = await endpoint(900);
    expect(await token()).toBe('token 1');
    const authorization = `Basic ${Buffer.from('app_1:a%3Asecret').toString('base64')}`;
    expect(seen).toEqual([{ authorization, form: 'grant_type=client_credentials&scope=leads+tasks' }]);
  });

  it('are kept until a minute before they end, and asked for once by many calls', async () => {
    const { seen, token } = await endpoint(900);
    expect(await Promise.all([token(), token(), token()])).toEqual(['token 1', 'token 1', 'token 1']);
    expect(await token()).toBe('token 1');
    expect(await token({ fresh: true })).toBe('token 2');
    expect(await token()).toBe('token 2');
    expect(seen).toHaveLength(2);
  });

  it('are not kept when they end within a minute', async () => {
    const { token } = await endpoint(59);
    expect([await token(), await token()]).toEqual(['token 1', 'token 2']);
  });

  it('fail with the error of the platform, and are asked for again afterwards', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'Not valid' });
    const { seen, token } = await endpoint(900, (response) =>
      response.writeHead(401, { 'retry-after': '7' }).end(body),
    );
    const refusal = { name: 'TokenError', code: 'invalid_client', message: 'Not valid', httpStatus: 401 };
    await expect(token()).rejects.toMatchObject({ ...refusal, retryAfterSeconds: 7 });
    await expect(token()).rejects.toMatchObject(refusal);
    expect(seen).toHaveLength(2);
  });

  it('are not asked for elsewhere: no redirect is followed with the secret', async () => {
    const { token } = await endpoint(900, (response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    );
    await expect(token()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('do not come from an answer of another kind', async () => {
    const { token } = await endpoint(900, (response) => response.end('<html>'));
    await expect(token()).rejects.toMatchObject({ code: 'unexpected_answer' });
  });
});

// The backend of a host: serves its page, and mints a token for the user who is signed in to the host.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MintError, mintEmbedToken } from '@crm/sdk/embed/server';
import { demoCredentials } from './demo-credentials.mjs';
import { SETTINGS } from './settings.mjs';
import { signedInUser } from './signed-in-user.mjs';

const { port, embedUrl, clientId, clientSecret } = SETTINGS;
const origin = `http://localhost:${port}`;

const credentials = clientId && clientSecret ? { clientId, clientSecret } : await demoCredentials(origin);

const PAGE = path.join(import.meta.dirname, '..', 'page');
/** The part of the SDK for browsers. With a bundler you write `import { embed } from '@crm/sdk/embed'` and need none of this. */
const SDK = path.dirname(fileURLToPath(import.meta.resolve('@crm/sdk/embed')));

/** @type {Readonly<Record<string, string>>} */
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', origin);
  if (pathname === '/crm-token' && request.method === 'POST') return answerToken(request, response);
  if (pathname === '/settings.js') {
    // Both are public; the secret stays here.
    const text = `export const settings = ${JSON.stringify({ embedUrl, clientId: credentials.clientId })};\n`;
    return response.writeHead(200, { 'content-type': 'text/javascript' }).end(text);
  }
  const file = pathname.startsWith('/sdk/')
    ? path.join(SDK, path.normalize(pathname.slice('/sdk'.length)))
    : path.join(PAGE, path.normalize(pathname === '/' ? '/index.html' : pathname));
  const type = TYPES[path.extname(file)];
  const content = type && (await readFile(file).catch(() => undefined));
  if (!type || !content) return response.writeHead(404).end('Not found');
  response.writeHead(200, { 'content-type': type }).end(content);
});

/**
 * Mints for the user of the host's own session: never for one that the browser names.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answerToken(request, response) {
  // Your framework's protection against forged requests does this: only our own page may ask.
  if (request.headers.origin !== undefined && request.headers.origin !== origin) {
    return response.writeHead(403).end();
  }
  const user = signedInUser(request);
  if (!user) return response.writeHead(401).end();
  try {
    const { token } = await mintEmbedToken({ embedUrl, credentials, user });
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ token }));
  } catch (error) {
    if (!(error instanceof MintError)) throw error;
    process.stderr.write(`No token for ${user.sub}: ${error.code} ${error.message}\n`);
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ code: error.code }));
  }
}

server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`The host is at ${origin}\n`);
});

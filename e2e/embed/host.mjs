import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import path from 'node:path';
import { mintEmbedToken } from '@crm/sdk/embed/server';
import { generate } from 'selfsigned';
import { inRoot } from '../../scripts/root.mjs';

/**
 * A host: its backend mints tokens for one user, its page embeds the CRM with the SDK as it is published.
 * @typedef {object} Host
 * @property {number} port on loopback; the browser is told to find the host's name there
 * @property {string[]} reasons of the tokens that were fetched
 * @property {(settings: Partial<HostSettings>) => void} set changes what follows
 * @property {() => Promise<void>} stop
 */

/**
 * @typedef {object} HostSettings
 * @property {string} embedUrl
 * @property {{ clientId: string, clientSecret: string }} credentials
 * @property {{ sub: string, email: string, name: string }} user
 * @property {readonly string[]} [scopes]
 * @property {(token: string) => string} [alter] changes a token before the page gets it
 * @property {string} [script] of the page at /react
 * @property {Readonly<Record<string, string>>} [headers] of every answer
 */

const SDK = inRoot('libs', 'sdk', 'dist');

/**
 * @param {HostSettings} settings
 * @returns {Promise<Host>}
 */
export async function startHost(settings) {
  /** @type {string[]} */
  const reasons = [];
  const current = { ...settings };
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'host.example.com' }]);
  const server = createServer({ key, cert }, async (request, response) => {
    const url = new URL(request.url ?? '/', 'https://host.example.com');
    for (const [name, value] of Object.entries(current.headers ?? {})) response.setHeader(name, value);
    if (url.pathname === '/token') {
      reasons.push(url.searchParams.get('reason') ?? '');
      const { embedUrl, credentials, user, scopes } = current;
      await mintEmbedToken({ embedUrl, credentials, user, scopes }).then(
        ({ token }) => response.end(current.alter?.(token) ?? token),
        (error) => response.writeHead(502).end(error.code),
      );
      return;
    }
    if (url.pathname.startsWith('/sdk/')) {
      const file = path.join(SDK, path.normalize(url.pathname.slice('/sdk/'.length)));
      response.setHeader('content-type', 'text/javascript');
      response.end(await readFile(file));
      return;
    }
    if (url.pathname === '/react.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(current.script);
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (url.pathname === '/react') {
      response.end(REACT_PAGE);
      return;
    }
    response.end(url.pathname === '/nested' ? NESTED : page(current));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    reasons,
    set: (changed) => Object.assign(current, changed),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of another origin around the page of the host. */
const NESTED =
  '<!doctype html><title>Around</title><iframe src="https://host.example.com/" width="900" height="600"></iframe>';

/** A host whose page is an application of its own. */
const REACT_PAGE =
  '<!doctype html><html lang="en"><title>React host</title><div id="root"></div><script type="module" src="/react.js"></script></html>';

/** @param {HostSettings} settings */
const page = ({ embedUrl, credentials }) => `<!doctype html>
<html lang="en">
<title>Host</title>
<style>body { margin: 0; font: 15px system-ui; } @media (prefers-color-scheme: dark) { body { background: #14171d; } }</style>
<main id="crm"></main>
<script type="module">
  import { embed } from '/sdk/embed/index.js';
  window.events = [];
  window.start = (options = {}) => {
    window.embedding = embed(document.getElementById('crm'), {
      clientId: ${JSON.stringify(credentials.clientId)},
      embedUrl: ${JSON.stringify(embedUrl)},
      fetchToken: async ({ reason, signal }) => {
        const answer = await fetch('/token?reason=' + reason, { signal });
        if (!answer.ok) throw new Error(await answer.text());
        return answer.text();
      },
      onEvent: (event) => window.events.push({ ...event, code: event.error?.code }),
      ...options,
    });
  };
  if (location.pathname === '/') window.start();
  window.isLoaded = true;
</script>
</html>`;

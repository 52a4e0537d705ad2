import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PAGE_PATHS } from '../../libs/contracts/src/page-paths.js';
import { DEVELOPMENT_PORTS } from '../../libs/contracts/src/services.js';
import { inRoot } from '../root.mjs';

const text = readFileSync(inRoot('deploy', 'compose', 'Caddyfile'), 'utf8');

/** Blocks by the addresses that they are for. */
const blocks = new Map(
  [...text.matchAll(/^(\S[^{\n]*) \{\n([\s\S]*?)\n\}$/gm)].flatMap(([, addresses = '', body = '']) =>
    addresses.split(', ').map((address) => /** @type {const} */ ([address, body])),
  ),
);

const withTls = [...blocks.keys()].filter((address) => !address.startsWith('http://'));

describe('the reverse proxy of an installation on one machine', () => {
  it('has an address with TLS for each edge', () => {
    expect(withTls.map((address) => blocks.get(address)?.trim())).toEqual(
      /** @type {const} */ (['gateway', 'embed-gateway', 'marketplace-admin']).map(
        (edge) => `reverse_proxy 127.0.0.1:${DEVELOPMENT_PORTS[edge]}`,
      ),
    );
  });

  it.each(withTls)(
    'refuses calls to %s that come without TLS: a redirect would hide that a token was sent in the clear',
    (address) => {
      const lines = (blocks.get(`http://${address}`) ?? '').split('\n').map((line) => line.trim());
      expect(lines).toContain('respond "Use https" 403 {');
      expect(lines.join('\n')).not.toContain('reverse_proxy');
      // What redirects names the paths.
      for (const line of lines.filter((line) => line.startsWith('redir'))) expect(line).toMatch(/^redir @pages https:/);
    },
  );

  it('redirects the pages, and no other path', () => {
    const [, paths = ''] = /^\t@pages path (.*)$/m.exec(text) ?? [];
    // A parameter is whatever follows.
    expect(paths.split(' ')).toEqual([...new Set(PAGE_PATHS.map((path) => path.replace(/:.*$/, '*')))]);
    expect(text.match(/^\tredir /gm)).toHaveLength(1);
  });
});

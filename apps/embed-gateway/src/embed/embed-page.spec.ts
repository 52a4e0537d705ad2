import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy } from './embed-page.js';

describe('the embed page', () => {
  it.each([
    [['https://host.example', 'https://b.example:8443'], 'https://host.example https://b.example:8443'],
    [[], "'none'"],
  ])(
    'can be framed by the declared origins %j only, with no inline script, and with styles of its own scripts alone',
    (origins, ancestors) => {
      const policy = contentSecurityPolicy(origins, 'https://crm.example', 'bm9uY2U=');
      for (const directive of [
        `frame-ancestors ${ancestors}`,
        "default-src 'none'",
        "style-src 'self' 'nonce-bm9uY2U=';",
        'connect-src https://crm.example;',
      ])
        expect(policy).toContain(directive);
      expect(policy).not.toContain('unsafe-inline');
    },
  );
});

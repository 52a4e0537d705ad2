import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isAmbiguous, presentedHookId, ROUTES, routeFor, upstreamFor } from './routing.js';

/** Paths from pieces that parsers are known to disagree about. */
const hostilePath = fc
  .array(
    fc.constantFrom(
      ...['/', '//', '/.', '/..', '.', '%2e', '%2F', '%5c', '\\', '%252e', '%00', ';', '?', '#', ' ', '\t'],
      ...['/api', '/auth', '/crm', '/custom', '/leads', '/v1', '/automations', '/%61pi', 'a', '%c3%a4'],
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((pieces) => pieces.join(''));

describe('routing', () => {
  it('refuses every path that a URL parser would change', () => {
    fc.assert(
      fc.property(hostilePath, (path) => {
        const sent = path.split('?', 1)[0] as string;
        if (isAmbiguous(sent)) return;
        expect(new URL(`http://host${sent}`).pathname).toBe(sent);
      }),
      { numRuns: 2000 },
    );
  });

  it('never routes a path that would reach another service once decoded', () => {
    fc.assert(
      fc.property(hostilePath, (path) => {
        const sent = path.split('?', 1)[0] as string;
        const service = isAmbiguous(sent) ? undefined : upstreamFor(sent);
        if (service !== undefined) expect(upstreamFor(decodeURIComponent(sent))).toBe(service);
      }),
      { numRuns: 2000 },
    );
  });

  it('lists a longer prefix before a shorter one that covers it', () => {
    ROUTES.forEach(([prefix], index) => {
      for (const [earlier] of ROUTES.slice(0, index)) expect(prefix.startsWith(`${earlier}/`)).toBe(false);
    });
  });

  it('reads the workflow id from the path of a hook', () => {
    expect(presentedHookId('/api/crm/automations/hooks/w-1/secret')).toBe('w-1');
    expect(presentedHookId('/api/crm/automations/hooks/w-1')).toBeUndefined();
    expect(presentedHookId('/api/crm/automations/runs/1')).toBeUndefined();
  });

  it.each([
    ['/api/crm/automations/hooks/w-1/secret', 'hook', true, 256 * 1024],
    ['/api/crm/automations/runs', 'caller', false, 1024 * 1024],
    ['/api/auth/login', 'address', true, 16 * 1024],
    ['/api/auth/oidc/exchange', 'address', true, 16 * 1024],
    ['/api/auth/login/passkey', 'address', true, 16 * 1024],
    ['/api/auth/login/passkey/options', 'address', true, 16 * 1024],
    ['/api/auth/passkeys', 'caller', false, 1024 * 1024],
    ['/api/auth/oauth/token', 'address', true, 16 * 1024],
    ['/api/auth/oauth/introspect', 'address', true, 16 * 1024],
    ['/api/auth/oauth/authorize', 'address', true, 16 * 1024],
    ['/api/auth/oauth/requests/x/decision', 'caller', false, 1024 * 1024],
    ['/api/auth/sessions', 'caller', false, 1024 * 1024],
    ['/api/marketplace/developer/apps/acme/listen', 'caller', false, 1024 * 1024],
  ])('counts %s by the %s', (path, limit, ignoresToken, bodyBytes) => {
    expect(routeFor(path)?.routeClass).toMatchObject({ limit, ignoresToken, bodyBytes });
  });
});

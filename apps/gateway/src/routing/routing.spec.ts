import { isAmbiguous } from '@crm/runtime/proxy';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { presentedHookId, ROUTES, routeFor } from './routing.js';

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

/** Paths of the table with some characters escaped, and something behind. */
const escapedPath = fc
  .tuple(
    fc.constantFrom(...ROUTES.map(([prefix]) => prefix)),
    fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
    fc.constantFrom('', '/x', '/%78', '/listen', 'x', '%20', '/%c3%a4', '%3b'),
  )
  .map(([prefix, dice, rest]) => {
    const escaped = (character: string) => `%${character.charCodeAt(0).toString(16)}`;
    const isEscaped = (character: string) => character !== '/' && dice.next().value === 0;
    return [...prefix].map((character) => (isEscaped(character) ? escaped(character) : character)).join('') + rest;
  });

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

  it('never routes a path that would be of another service or class once decoded', () => {
    fc.assert(
      fc.property(fc.oneof(hostilePath, escapedPath), (path) => {
        const sent = path.split('?', 1)[0] as string;
        const route = isAmbiguous(sent) ? undefined : routeFor(sent);
        if (route !== undefined) expect(routeFor(decodeURIComponent(sent))).toEqual(route);
      }),
      { numRuns: 4000 },
    );
  });

  it('refuses the escape of every character that needs none, and of no other', () => {
    for (let code = 0x20; code < 0x7f; code += 1) {
      const character = String.fromCharCode(code);
      const escaped = `%${code.toString(16)}`;
      const isRefused = /[\w.~/\\%-]/.test(character);
      expect([character, isAmbiguous(`/api/x${escaped}`)]).toEqual([character, isRefused]);
      expect(isAmbiguous(`/api/x${escaped.toUpperCase()}`)).toBe(isRefused);
    }
    expect(isAmbiguous('/api/auth/%6cogin')).toBe(true);
    expect(isAmbiguous('/api/crm/custom/gr%C3%B6%C3%9Fe')).toBe(false);
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
    ['/api/auth/step-up/oidc/x', 'caller', false, 1024 * 1024],
    ['/api/auth/login/passkey', 'address', true, 16 * 1024],
    ['/api/auth/login/passkey/options', 'address', true, 16 * 1024],
    ['/api/auth/passkeys', 'caller', false, 1024 * 1024],
    ['/api/auth/oauth/token', 'address', true, 16 * 1024],
    ['/api/auth/oauth/introspect', 'address', true, 16 * 1024],
    ['/api/auth/oauth/authorize', 'address', true, 16 * 1024],
    ['/api/auth/oauth/requests/x/decision', 'caller', false, 1024 * 1024],
    ['/api/auth/sessions', 'caller', false, 1024 * 1024],
    ['/api/marketplace/developer/apps/acme/listen', 'caller', false, 1024 * 1024],
    ['/docs/certification/MAN-001', 'caller', false, 1024 * 1024],
  ])('counts %s by the %s', (path, limit, ignoresToken, bodyBytes) => {
    expect(routeFor(path)?.routeClass).toMatchObject({ limit, ignoresToken, bodyBytes });
  });
});

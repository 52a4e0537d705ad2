import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inEnvelope } from './messages.js';
import { parseHostMessage, parsePageMessage } from './parse.js';

const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const RECORD = '0199c0de-0000-7000-8000-000000000001';

const IGNORED = { kind: 'ignored' };

describe('messages of the host', () => {
  it.each([
    [{ type: 'token', token: TOKEN }],
    [{ type: 'token-failed' }],
    [{ type: 'navigate', view: { object: 'leads' } }],
    [{ type: 'navigate', view: { object: 'custom:site_visit', recordId: RECORD } }],
    [{ type: 'theme', theme: { colorScheme: 'dark', colors: { accent: '#FF0080' }, radius: 4, fontSize: 16 } }],
    [{ type: 'theme', theme: {} }],
    [{ type: 'locale', locale: 'de-CH' }],
    [{ type: 'destroyed' }],
  ] as const)('are read: %j', (message) => {
    expect(parseHostMessage(inEnvelope(message))).toEqual({ kind: 'message', message });
  });

  it.each([
    ['a token that could end a header', { type: 'token', token: `${TOKEN}\r\nx-evil: 1` }],
    ['a token that is none', { type: 'token', token: 'secret' }],
    ['a token of another type', { type: 'token', token: { toString: (): string => TOKEN } }],
    ['a token without end', { type: 'token', token: `a.b.${'c'.repeat(10_000)}` }],
    ['an object with a path', { type: 'navigate', view: { object: '../auth/me' } }],
    ['an object of another type', { type: 'navigate', view: { object: ['leads'] } }],
    ['a record id with a path', { type: 'navigate', view: { object: 'leads', recordId: '../../auth/me' } }],
    ['a colour that is a style sheet', { type: 'theme', theme: { colors: { accent: 'red;background:url(//evil)' } } }],
    ['a colour of another name', { type: 'theme', theme: { colors: { '--x': '#000000' } } }],
    ['a radius out of bounds', { type: 'theme', theme: { radius: 1e9 } }],
    ['a font size that is not a number', { type: 'theme', theme: { fontSize: Number.NaN } }],
    ['a locale that is none', { type: 'locale', locale: '"><script>' }],
    ['a locale without end', { type: 'locale', locale: `en-${'a'.repeat(1000)}` }],
    ['a message of the page', { type: 'ready' }],
    ['a type of a prototype', { type: 'constructor' }],
  ])('are ignored with %s', (_, message) => expect(parseHostMessage(inEnvelope(message))).toEqual(IGNORED));

  it('are read with the British spelling of before 0.1, which ends with 0.2', () => {
    const theme = { colourScheme: 'dark', colours: { accent: '#FF0080' } };
    const message = { type: 'theme', theme: { colorScheme: 'dark', colors: { accent: '#FF0080' } } };
    expect(parseHostMessage(inEnvelope({ type: 'theme', theme } as never))).toEqual({ kind: 'message', message });
  });

  it('are read without the fields that they do not have', () => {
    const message = { ...inEnvelope({ type: 'locale', locale: 'en' }), extra: '<b>', __proto__: { theme: 1 } };
    expect(parseHostMessage(message)).toEqual({ kind: 'message', message: { type: 'locale', locale: 'en' } });
  });
});

describe('messages of the page', () => {
  it.each([
    [{ type: 'ready' }],
    [{ type: 'token-wanted', reason: 'expiring' }],
    [{ type: 'error', code: 'token_refused', message: 'The session has ended' }],
    [{ type: 'resize', height: 812 }],
    [{ type: 'navigate', view: { object: 'tasks', recordId: RECORD } }],
  ] as const)('are read: %j', (message) => {
    expect(parsePageMessage(inEnvelope(message))).toEqual({ kind: 'message', message });
  });

  it.each([
    ['a height without end', { type: 'resize', height: Number.POSITIVE_INFINITY }],
    ['a negative height', { type: 'resize', height: -1 }],
    ['a height as text', { type: 'resize', height: '100vh' }],
    ['an unknown error', { type: 'error', code: 'pwned', message: 'x' }],
    ['an unknown reason', { type: 'token-wanted', reason: 'please' }],
    ['a message of the host', { type: 'token', token: TOKEN }],
  ])('are ignored with %s', (_, message) => expect(parsePageMessage(inEnvelope(message))).toEqual(IGNORED));
});

describe('anything else that arrives at a window', () => {
  it('is ignored, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }), (data) => {
        expect([parseHostMessage(data), parsePageMessage(data)]).toEqual([IGNORED, IGNORED]);
      }),
    );
  });

  it('never becomes a message with something that was not checked, in our envelope', () => {
    const types = ['token', 'token-failed', 'navigate', 'theme', 'locale', 'destroyed', 'ready', 'resize', 'error'];
    const any = fc.anything();
    const members = { token: any, view: any, theme: any, locale: any, height: any };
    const fields = fc.record({ type: fc.constantFrom(...types), ...members });
    fc.assert(
      fc.property(fields, (message) => {
        const parsed = parseHostMessage(inEnvelope(message));
        if (parsed.kind !== 'message') return;
        expect(['token-failed', 'destroyed', 'theme', 'locale', 'token', 'navigate']).toContain(parsed.message.type);
        expect(JSON.stringify(parsed.message).length).toBeLessThan(9000);
      }),
    );
  });

  it.each([2, 0, 99])('of version %d is reported as such', (version) => {
    const data = { ...inEnvelope({ type: 'ready' }), version };
    for (const parse of [parseHostMessage, parsePageMessage]) {
      expect(parse(data)).toEqual({ kind: 'other-version', version });
    }
  });

  it.each(['1', null, 1.5, { valueOf: () => 1 }])('of the version %j is ignored', (version) => {
    expect(parsePageMessage({ ...inEnvelope({ type: 'ready' }), version })).toEqual(IGNORED);
  });
});

import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MASKED_VALUE, maskHeaders, resolveHeaders } from './custom-headers.js';

/** Pointer and code of each problem; none when the headers are accepted. */
function problemsOf(given: Record<string, unknown>, kept: Record<string, string> = {}): string[] {
  try {
    resolveHeaders(given, kept);
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'VALIDATION_FAILED') throw error;
    return (error.extra.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

const named = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'y']));

describe('custom headers', () => {
  it('are kept by name in lower case', () => {
    expect(resolveHeaders({ Authorization: 'Bearer a b', "x-!#$%&'*+.^_`|~": '~' }, {})).toEqual({
      authorization: 'Bearer a b',
      "x-!#$%&'*+.^_`|~": '~',
    });
  });

  it.each([
    ...['Webhook-Id', 'webhook-signature', 'x-platform-signature', 'X-Platform-Anything'],
    ...['content-type', 'Content-Length', 'content-encoding', 'user-agent', 'host'],
    ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
    ...['proxy-authorization', 'accept-encoding', 'http2-settings', 'via', 'forwarded', 'x-forwarded-for'],
    ...['cookie', 'traceparent', 'tracestate', 'baggage'],
  ])('do not include %s', (name) => {
    expect(problemsOf({ [name]: 'x', 'x-fine': 'x' })).toEqual([`/headers/${name} RESERVED_HEADER`]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an empty name', { '': 'x' }, ['/headers/ INVALID_HEADER_NAME']],
    ['a name with a space', { 'x y': 'x' }, ['/headers/x y INVALID_HEADER_NAME']],
    ['a name with a colon', { 'x:': 'x' }, ['/headers/x: INVALID_HEADER_NAME']],
    ['a name with a line break', { 'x\n': 'x' }, ['/headers/x\n INVALID_HEADER_NAME']],
    ['a name beyond ASCII', { 'x-ü': 'x' }, ['/headers/x-ü INVALID_HEADER_NAME']],
    ['a name whose pointer is escaped', { 'x/~y': 'x' }, ['/headers/x~1~0y INVALID_HEADER_NAME']],
    ['a name that is too long', { ['x'.repeat(65)]: 'x' }, [`/headers/${'x'.repeat(65)} TOO_LONG`]],
    ['a name in two cases', { 'x-a': '1', 'X-A': '2' }, ['/headers/X-A DUPLICATE_HEADER']],
    ['a number', { x: 1 }, ['/headers/x INVALID_TYPE']],
    ['null', { x: null }, ['/headers/x INVALID_TYPE']],
    ['a value that is too long', { x: 'y'.repeat(1001) }, ['/headers/x TOO_LONG']],
    ['the mask without a stored value', { x: MASKED_VALUE }, ['/headers/x MISSING_VALUE']],
    ['too many', named(21), ['/headers TOO_MANY_ITEMS']],
    ['two faults', { 'x y': 'x', z: 'ä' }, ['/headers/x y INVALID_HEADER_NAME', '/headers/z INVALID_HEADER_VALUE']],
  ])('are refused: %s', (_, given, problems) => {
    expect(problemsOf(given)).toEqual(problems);
  });

  it.each(['', ' a', 'a ', 'a\tb', 'a\n', 'a\r\nwebhook-id: b', 'ä', '\u007f'])('do not have the value %j', (value) => {
    expect(problemsOf({ x: value })).toEqual(['/headers/x INVALID_HEADER_VALUE']);
  });

  it('are accepted up to the limits', () => {
    expect(problemsOf({ ['x'.repeat(64)]: 'y'.repeat(1000) })).toEqual([]);
    expect(problemsOf(named(20))).toEqual([]);
    const full = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'y'.repeat(1000)]));
    expect(problemsOf({ ...full, e: 'y'.repeat(91) })).toEqual([]);
    expect(problemsOf({ ...full, e: 'y'.repeat(92) })).toEqual(['/headers TOO_LONG']);
  });

  it('keep the stored value of a name that is given with the mask', () => {
    const kept = { 'x-a': 'stored', 'x-b': 'dropped' };
    expect(maskHeaders(kept)).toEqual({ 'x-a': MASKED_VALUE, 'x-b': MASKED_VALUE });
    expect(resolveHeaders({ 'X-A': MASKED_VALUE, 'x-c': 'new' }, kept)).toEqual({ 'x-a': 'stored', 'x-c': 'new' });
  });

  it('are headers of the Fetch standard wherever they are accepted', () => {
    const names = fc.oneof(fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,8}$/), fc.string({ maxLength: 4 }));
    const values = fc.oneof(fc.stringMatching(/^[\x20-\x7e]{1,8}$/), fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(
      fc.property(names, values, (name, value) => {
        if (problemsOf({ [name]: value }).length > 0) return;
        const resolved = resolveHeaders({ [name]: value }, {});
        expect(Object.fromEntries(new Headers(resolved))).toEqual(resolved);
        expect(resolved).toEqual({ [name.toLowerCase()]: value });
      }),
    );
  });
});

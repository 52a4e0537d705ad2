import { describe, expect, it } from '@jest/globals';
import { outgoingHeaders } from './exchange.js';

/** The list as pairs, sorted by name. */
function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_none, at): [string, string] => [
    list[2 * at]!,
    list[2 * at + 1]!,
  ]).sort();
}

describe('outgoingHeaders', () => {
  it('gives the same for an object and for a list', () => {
    const expected = [
      ['accept-encoding', 'identity'],
      ['user-agent', 'ours'],
      ['x-a', '1'],
    ];
    expect(pairs(outgoingHeaders({ 'X-A': '1' }, 'ours'))).toEqual(expected);
    expect(pairs(outgoingHeaders(['X-A', '1'], 'ours'))).toEqual(expected);
  });

  it('keeps the last value of a header, whatever the case of its name', () => {
    const given = ['x-a', '1', 'X-A', '2', 'User-Agent', 'theirs'];
    expect(pairs(outgoingHeaders(given, 'ours'))).toEqual([
      ['accept-encoding', 'identity'],
      ['user-agent', 'theirs'],
      ['x-a', '2'],
    ]);
  });

  it.each(['Host', 'connection', 'Content-Length', 'transfer-encoding', 'upgrade', 'accept-encoding', 'expect'])(
    'leaves out %s, which the client sets alone',
    (name) => {
      const ours = outgoingHeaders({}, 'ours');
      expect(outgoingHeaders({ [name]: 'x' }, 'ours')).toEqual(ours);
      expect(outgoingHeaders([name, 'x'], 'ours')).toEqual(ours);
    },
  );

  it('rejects a name without a value', () => {
    expect(() => outgoingHeaders(['x-a'], 'ours')).toThrow(TypeError);
  });
});

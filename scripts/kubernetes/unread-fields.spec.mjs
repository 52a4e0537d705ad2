import { describe, expect, it } from '@jest/globals';
import { unreadFields } from './unread-fields.mjs';

describe('the fields that a check never looked at', () => {
  it('are named by their place', () => {
    const data = { known: 1, 'odd/name': 2, list: [{ known: 1, unknown: 2 }] };
    const { result, unread } = unreadFields(data, ({ known, list }) => known + list[0].known);
    expect(result).toBe(2);
    expect(unread).toEqual(['/odd~1name', '/list/0/unknown']);
  });

  it('add up over all readers of the same object', () => {
    const { unread } = unreadFields({ inner: { a: 1, b: 2 } }, (data) => [data.inner.a, data.inner.b]);
    expect(unread).toEqual([]);
  });

  it('do not begin inside an object that nobody looked into: it has no schema', () => {
    expect(unreadFields({ free: { any: { thing: 1 } } }, (data) => data.free).unread).toEqual([]);
  });

  it('are the same when the same data is checked again', () => {
    const data = { inner: { a: 1, b: 2 } };
    const check = (/** @type {any} */ watched) => watched.inner.a;
    expect(unreadFields(data, check).unread).toEqual(['/inner/b']);
    expect(unreadFields(data, check).unread).toEqual(['/inner/b']);
  });
});

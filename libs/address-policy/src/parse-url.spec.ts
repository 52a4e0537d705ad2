import { expect, it } from '@jest/globals';
import { parseUrl } from './parse-url.js';

it.each([
  ['https://example.com', 'https://example.com/'],
  ['https://bücher.de/ä', 'https://xn--bcher-kva.de/%C3%A4'],
  ['example.com', undefined],
  ['', undefined],
  ['https://', undefined],
  ['https://a b/', undefined],
])('%j is %s', (text, href) => expect(parseUrl(text)?.href).toBe(href));

it('reads a relative one from its base', () => {
  expect(parseUrl('../b', 'https://example.com/a/c')?.href).toBe('https://example.com/b');
  expect(parseUrl('../b', 'nowhere')).toBeUndefined();
});

it('does not change its mind after many calls', () => {
  const wrong = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.de/')).filter((url) => url === undefined);
  expect(wrong).toEqual([]);
});

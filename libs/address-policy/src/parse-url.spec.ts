import { expect, it } from '@jest/globals';
import { parseUrl } from './url.js';

it.each([
  ['https://example.com', 'https://example.com/'],
  ['https://bücher.de/ä', 'https://xn--bcher-kva.de/%C3%A4'],
  ['example.com', undefined],
  ['', undefined],
  ['https://', undefined],
  ['https://a b/', undefined],
])('parses %j to %s', (text, href) => expect(parseUrl(text)?.href).toBe(href));

it('resolves a relative URL against its base', () => {
  expect(parseUrl('../b', 'https://example.com/a/c')?.href).toBe('https://example.com/b');
  expect(parseUrl('../b', 'nowhere')).toBeUndefined();
});

it('gives the same answer for a URL with an umlaut after thousands of calls', () => {
  const wrong = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.de/')).filter((url) => url === undefined);
  expect(wrong).toEqual([]);
});

import { expect, it } from '@jest/globals';
import { eachSource } from '../test/evaluate.js';
import { codePointLength, compareText, isCleanText } from './text.js';

eachSource<[length: number]>([
  ['', 0],
  [['\u{10000}', '\u{10ffff}'], 1],
  [['abc', '\u{1f600}\u{1f600}\u{1f600}'], 3],
  ['a\u{1f600}b\u{1f601}', 4],
  // A lone surrogate counts as one.
  [['\ud83d', '\ude00'], 1],
  [['\ud83da', '\ud83d\ud83d\ude00', '\ude00\ud83d', '\ud7ff\udc00', '\udbff\udbff', '\udbff\ue000'], 2],
  [['\ud800\udbff', '\udc00\udc00'], 2],
])('the length of a text in code points of %j is %i', (text, length) => expect(codePointLength(text)).toBe(length));

it('texts are ordered by code point', () => {
  const ordered = [
    ...['', '\u0001', 'A', 'a', 'aa', 'ab', 'a\ud7ff', 'a\ue000', 'a\uf7ff', 'a\uf800', 'a\uffff', 'a\u{10000}'],
    ...['a\u{10001}', 'a\u{103ff}', 'a\u{10400}', 'a\u{10ffff}', 'b'],
  ];
  for (const [index, text] of ordered.entries()) {
    for (const [other, than] of ordered.entries()) {
      expect([text, than, Math.sign(compareText(text, than))]).toEqual([text, than, Math.sign(index - other)]);
    }
  }
});

eachSource<[clean: boolean]>([
  [['abc', '\u{1f600}', '\ufffe\uffff'], true],
  [['a\0', 'a\u{10ffff}', 'a\ud83d', '\ude00a'], false],
])('the text %j can be stored: %s', (text, clean) => expect(isCleanText(text)).toBe(clean));

import { describe, expect, it } from '@jest/globals';
import { tokensOf } from './markdown-tokens.js';

describe('a text in Markdown', () => {
  it.each([
    ['> **Call** back', 'blockquote'],
    ['>'.repeat(50), 'blockquote'],
    ['1. '.repeat(20), 'list'],
  ])('%j has parts', (text, type) => {
    expect(tokensOf(text)?.map((token) => token.type)).toEqual([type]);
  });

  // The lexer itself ends at some thousands; what the page would make of a thousand is no better.
  it.each([
    ['>', 1_000],
    ['>', 10_000],
    ['1. ', 1_000],
    ['1. ', 3_300],
  ])('%j is a plain text when it stands there %d times', (mark, times) => {
    expect(tokensOf(mark.repeat(times))).toBeUndefined();
  });
});

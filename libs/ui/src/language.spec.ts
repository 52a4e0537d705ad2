import { describe, expect, it } from '@jest/globals';
import { languageOf, localeTag } from './language.js';

describe('the locale that a browser names', () => {
  it.each([
    ['de-AT', 'de-AT', 'de'],
    ['en-US@posix', 'en-US', 'en'],
    ['de_DE.UTF-8', 'de-DE', 'de'],
    ['C', 'en', 'en'],
    ['POSIX.UTF-8@x', 'posix', 'en'],
    ['', 'en', 'en'],
  ])('%j is read as %s', (named, tag, language) => {
    expect([localeTag(named), languageOf(named)]).toEqual([tag, language]);
    expect(() => new Intl.NumberFormat(localeTag(named)).format(1)).not.toThrow();
  });
});

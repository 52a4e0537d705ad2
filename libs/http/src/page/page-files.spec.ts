import { describe, expect, it } from '@jest/globals';
import { newNonce, withAttributes } from './page-files.js';

describe('the document of a page', () => {
  it('says what it is told as attributes of its element, which end no attribute and no element', () => {
    const page = withAttributes('<!doctype html>\n<html lang="en">', { nonce: 'a+/=', 'data-x': '$& "><script>' });
    expect(page).toBe('<!doctype html>\n<html nonce="a+/=" data-x="$&amp; &quot;>&lt;script>" lang="en">');
  });

  it('has a nonce that nobody guesses', () => {
    expect(newNonce()).toMatch(/^[\w+/]{22}==$/);
    expect(newNonce()).not.toBe(newNonce());
  });
});

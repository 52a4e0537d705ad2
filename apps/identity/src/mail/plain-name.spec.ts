import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plainName } from './mail-text.js';

describe('the name of a workspace in a mail', () => {
  it.each([
    ['Acme', 'Acme'],
    ['Müller & Söhne GmbH', 'Müller & Söhne GmbH'],
    ['Acme Inc.', 'Acme Inc.'],
    ['会社', '会社'],
    ['Line\r\nBreakers', 'Line Breakers'],
    ['Claim at https://evil.example/x now', 'Claim at https evil example x now'],
    ['www.evil.example', 'www evil example'],
    ['evil\u3002example', 'evil example'],
    ['ｅｖｉｌ．ｅｘａｍｐｌｅ', 'evil example'],
    ['mail me@evil.example', 'mail me evil example'],
    ['abc\u202Eexe.cod', 'abcexe cod'],
    ['zero\u200Bwidth', 'zerowidth'],
    ['a\u2028b\u0000c', 'a b c'],
    ['\u202E\u2066', 'a workspace'],
    ['<b>Bold</b>', 'b Bold b'],
  ])('%j becomes %j', (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });

  it('is what the caller says when nothing is left of it', () => {
    expect(plainName('\u202E/', 'an app')).toBe('an app');
  });

  it('has at most 60 characters, however long it is', () => {
    expect([...plainName('🦉'.repeat(200))]).toHaveLength(60);
  });

  it('never has a line break, a control or format character, or anything that becomes a link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const plain = plainName(name);
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/@:\\]|\.\S/u);
        expect(plain.trim()).not.toBe('');
      }),
    );
  });
});

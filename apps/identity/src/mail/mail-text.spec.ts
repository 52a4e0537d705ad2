import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { plainName, plainText, quotedReason } from './mail-text.js';

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

describe('a text of someone else in a mail', () => {
  it.each([
    ['It loses data. Please repair it!', 'It loses data. Please repair it!'],
    ['Two things (too long): 1.2.0 is not 1.2.1.', 'Two things (too long): 1.2.0 is not 1.2.1.'],
    ['Der Datenfluß ist unklar, siehe Punkt 3.', 'Der Datenfluß ist unklar, siehe Punkt 3.'],
    ['数据丢失。', '数据丢失。'],
    ['First\r\n\r\nHello,\n\nyour password has expired.', 'First Hello, your password has expired.'],
    ['See https://evil.example/x?y=1 now', 'See https evil example x?y=1 now'],
    ['See www.evil.example.', 'See www evil example.'],
    ['evil\u3002example', 'evil example'],
    ['ｅｖｉｌ．ｅｘａｍｐｌｅ', 'evil example'],
    ['1.com and 4.2.evil', '1 com and 4.2 evil'],
    ['mailto:me@evil.example', 'mailto me evil example'],
    ['<https://evil.example>', 'https evil example'],
    ['abc\u202Eexe.cod\u2066', 'abcexe cod'],
    ['zero\u200Bwidth', 'zerowidth'],
    ['a\u2028b\u0000c\u0085d', 'a b c d'],
    ['1.0.0-evil.com', '1.0.0-evil com'],
    ['\u202E\u2066', ''],
  ])('%j becomes %j', (text, plain) => {
    expect(plainText(text, 200)).toBe(plain);
  });

  it('is shortened, and says so', () => {
    expect(plainText('🦉'.repeat(11), 10)).toBe(`${'🦉'.repeat(10)} …`);
    expect(plainText('🦉'.repeat(10), 10)).toBe('🦉'.repeat(10));
  });

  it('never has a line break, a control or format character, or anything that becomes a link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const plain = plainText(text, 100);
        expect(plain).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/@<>\\]|:\S|[^0-9][.\u3002\uff61]\S|[.\u3002\uff61][^\s0-9.]/u,
        );
        expect(plain).toBe(plain.trim());
      }),
    );
  });
});

describe('the reason in a mail', () => {
  it('is an indented paragraph of at most 1,000 characters, and nothing without a reason', () => {
    expect(quotedReason('It sends\nspam')).toEqual(['The reason given:', '', '  It sends spam', '']);
    expect(quotedReason('x'.repeat(2000))[2]).toBe(`  ${'x'.repeat(1000)} …`);
    for (const nothing of [undefined, '', ' \n', '\u202E']) expect(quotedReason(nothing)).toEqual([]);
  });
});

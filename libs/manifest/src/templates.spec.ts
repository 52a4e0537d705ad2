import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TEMPLATE_LIMITS, TemplateBudget, TemplateError } from './template-budget.js';
import {
  isUrlTemplateFixed,
  parseTemplate,
  renderHeader,
  renderTemplate,
  renderUrl,
  renderValue,
  templateKeys,
} from './templates.js';

const RECORD = { id: 'r1', address: { city: 'Köln' } };
const DATA = { name: 'Ann', hours: 3, ok: true, none: null, list: [1, 'a'], record: RECORD, 'a.b': 'dotted' };

describe('templates', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['Hello {{name}}!', 'Hello Ann!'],
    ['{{ name }}{{hours}}', 'Ann3'],
    ['{{record.address.city}}', 'Köln'],
    ['{{a.b}}', 'dotted'],
    ['{{ok}} {{none}} {{missing}} {{record.missing.deep}}', 'true   '],
    ['{{list}} {{list.1}}', '[1,"a"] a'],
    ['{name} }} {', '{name} }} {'],
    ['{{constructor}}{{__proto__}}{{name.length}}', ''],
  ])('renders %j as %j', (text, expected) => expect(renderTemplate(text, DATA)).toBe(expected));

  it.each(['{{', '{{name', '{{}}', '{{ }}', '{{a{b}}', 'a {{b} c'])('rejects the malformed template %j', (text) => {
    expect(() => parseTemplate(text)).toThrow(TemplateError);
  });

  it('lists each name once, with its position', () => {
    expect(templateKeys('{{a}} {{b.c}} {{ a }}')).toEqual(['a', 'b.c']);
    expect(parseTemplate('x{{a}}y')).toEqual([{ text: 'x' }, { path: 'a', position: 1 }, { text: 'y' }]);
  });

  it('keeps the type of a value that consists of a single placeholder', () => {
    const all = ['{{list}}', '{{missing}}', 7, null];
    const rendered = renderValue({ hours: '{{hours}}', title: '{{name}} {{hours}}', all, '{{name}}': true }, DATA);
    expect(rendered).toEqual({ hours: 3, title: 'Ann 3', all: [[1, 'a'], null, 7, null], '{{name}}': true });
  });

  it('does not fill in placeholders that come from a value', () => {
    expect(renderTemplate('{{x}}', { x: '{{name}}', name: 'Ann' })).toBe('{{name}}');
  });

  it('percent-encodes values in a URL', () => {
    expect(renderUrl('https://a.example.com/{{x}}?q={{x}}', { x: 'a/b?c=d&e#f@g ü' })).toBe(
      'https://a.example.com/a%2Fb%3Fc%3Dd%26e%23f%40g%20%C3%BC?q=a%2Fb%3Fc%3Dd%26e%23f%40g%20%C3%BC',
    );
    expect(renderUrl('https://a.example.com/{{x}}', { x: '\ud800' })).toBe('https://a.example.com/%EF%BF%BD');
    expect(() => renderUrl('https://a.example.com/{{x}}/b', { x: '..' })).toThrow(TemplateError);
    expect(() => renderUrl('https://{{x}}/', { x: 'a' })).toThrow(TemplateError);
  });

  const fixed = ['', '?{{x}}', '/{{x}}', '/{{x}}#top'].map((rest) => `https://a.example.com${rest}`);
  const open = ['{{x}}', ':{{x}}/', '\\{{x}}', '/#{{x}}', '/{{x}}#{{x}}'].map((rest) => `https://a.example.com${rest}`);
  it.each([
    ...fixed.map((text) => [text, true] as const),
    ...[...open, 'https://{{x}}/', '{{x}}', '{{x}}://a.example.com/', 'https:{{x}}/'].map(
      (text) => [text, false] as const,
    ),
  ])('recognises whether scheme, host and port of %s are fixed: %s', (text, fixed) => {
    expect(isUrlTemplateFixed(text)).toBe(fixed);
  });

  it('does not let a value change the host or the number of path segments', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (x) => {
        fc.pre(x !== '.' && x !== '..');
        const url = new URL(renderUrl('https://a.example.com/p/{{x}}/end?q={{x}}', { x }));
        expect(url.host).toBe('a.example.com');
        expect(url.pathname.split('/')).toHaveLength(4);
        expect([...url.searchParams.keys()]).toEqual(['q']);
      }),
    );
  });

  it('rejects line breaks in a header value', () => {
    expect(renderHeader('Bearer {{x}}', { x: 'a' })).toBe('Bearer a');
    expect(() => renderHeader('{{x}}', { x: 'a\r\nb: c' })).toThrow(TemplateError);
  });
});

describe('the bound of what templates give', () => {
  const TOO_LARGE = expect.objectContaining({ code: 'TEMPLATE_TOO_LARGE' });
  const { characters, stepCharacters } = TEMPLATE_LIMITS;

  it('is the number of characters of a text, and not one more', () => {
    expect(renderTemplate('{{x}}y', { x: 'a'.repeat(characters - 1) })).toHaveLength(characters);
    expect(() => renderTemplate('{{x}}y', { x: 'a'.repeat(characters) })).toThrow(TOO_LARGE);
  });

  it('ends 10 KB of placeholders for 250 KB of payload before the second value is joined', () => {
    let looks = 0;
    const data = {
      get p() {
        looks += 1;
        return 'a'.repeat(250_000);
      },
    };
    expect(() => renderTemplate('{{p}}'.repeat(2_000), data)).toThrow(TOO_LARGE);
    expect(looks).toBe(2);
  });

  it('holds for values that are passed on whole, each of which is sent although none is copied', () => {
    const data = { p: { text: 'a'.repeat(100_000) } };
    expect(renderValue({ one: '{{p}}', two: '{{p}}' }, data)).toEqual({ one: data.p, two: data.p });
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`member${index}`, '{{p}}']));
    expect(() => renderValue(many, data)).toThrow(TOO_LARGE);
  });

  it('is that of a step for all of its texts together', () => {
    const budget = new TemplateBudget();
    const data = { p: 'a'.repeat(characters) };
    renderTemplate('{{p}}', data, budget);
    renderValue(['{{p}}'], data, budget);
    expect(() => renderTemplate('x', data, budget)).toThrow(TOO_LARGE);
    expect(stepCharacters).toBe(2 * characters);
  });

  it('counts what encoding for a URL and escapes in JSON add', () => {
    const budget = () => new TemplateBudget({ characters: 20, stepCharacters: 100 });
    expect(() => renderUrl('https://a.io/{{x}}', { x: 'üü' }, budget())).toThrow(TOO_LARGE);
    expect(() => renderTemplate('{{x}}', { x: { a: '\n\n\n\n\n\n\n\n' } }, budget())).toThrow(TOO_LARGE);
  });

  it('needs no recursion for a value that is nested deeply', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    expect(() => renderTemplate('{{x}}', { x: value })).toThrow(TOO_LARGE);
  });

  it('is never passed, whatever the template and the data', () => {
    const limits = { characters: 200, stepCharacters: 300 };
    const template = fc.array(fc.oneof(fc.constant('{{a}}'), fc.constant('{{b}}'), fc.string()), { maxLength: 20 });
    fc.assert(
      fc.property(template, fc.string(), fc.jsonValue(), (parts, a, b) => {
        const text = parts.join('').replace(/\{(?!\{[ab]\}\})/g, '');
        try {
          expect(renderTemplate(text, { a, b }, new TemplateBudget(limits)).length).toBeLessThanOrEqual(200);
        } catch (error) {
          if (!(error instanceof TemplateError)) throw error;
        }
      }),
    );
  });
});

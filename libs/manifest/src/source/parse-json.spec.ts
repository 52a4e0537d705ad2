import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonSource } from './json-source.js';
import { MAX_SOURCE, parseJson } from './parse-json.js';

/** `line:column+length pointer message` of each problem. */
function problemsOf(text: string): string[] {
  const source = new JsonSource(text);
  if (source.parsed.ok) return [];
  return source.parsed.problems.map(({ start, end, pointer, message }) => {
    const { line, column, length } = source.rangeOf(start, end);
    return `${line}:${column}+${length} ${pointer} ${message}`;
  });
}

const NUMBER = 'This is not a JSON number, such as 0.5, -3 or 1e6.';

describe('parseJson', () => {
  it.each<[string, string, string]>([
    ['nothing', '', '1:1+1  The document ends where a value is expected.'],
    ['white space alone', ' \n ', '2:2+1  The document ends where a value is expected.'],
    ['an open object', '{', '1:2+1  The document ends without the closing "}".'],
    ['an object cut after a member', '{"a":1', '1:7+1  The document ends without the closing "}".'],
    ['an object cut after a comma', '{"a":1,', '1:8+1  The document ends without the closing "}".'],
    ['an object cut after a colon', '{"a":', '1:6+1 /a The document ends where a value is expected.'],
    ['an open list', '[1,\n2', '2:2+1  The document ends without the closing "]".'],
    ['an open text', '{"a": "b\n}', '1:7+1 /a The text that starts here is not closed.'],
    ['a text cut by the end', '["a', '1:2+1 /0 The text that starts here is not closed.'],
    ['a comma after the last member', '{"a":1,\n}', '1:7+1  A comma is not allowed after the last member.'],
    ['a comma after the last entry', '[1, ]', '1:3+1  A comma is not allowed after the last entry.'],
    ['a comma too many', '[1,,2]', '1:4+1 /1 A value is missing before this ",".'],
    ['a missing comma', '{"a":1 "b":2}', '1:8+1  A comma or "}" is expected here.'],
    ['a missing comma in a list', '[1 2]', '1:4+1  A comma or "]" is expected here.'],
    ['the wrong bracket', '[1}', '1:3+1  A comma or "]" is expected here.'],
    ['a missing colon', '{"a" 1}', '1:6+1  A colon is expected after the key "a".'],
    ['a missing value', '{"a":}', '1:6+1 /a A value is missing before this "}".'],
    ['a key without quotes', '{a:1}', '1:2+1  A key in double quotes is expected here.'],
    ['single quotes', "['a']", '1:2+1 /0 Texts and keys must be in straight double quotes.'],
    ['a line comment', '// a\n{}', '1:1+2  JSON has no comments.'],
    ['a block comment', '{"a":1 /* b */}', '1:8+2  JSON has no comments.'],
    ['a stray character', '[@]', '1:2+1 /0 A value is expected here.'],
    ['a second document', '{} {}', '1:4+1  Nothing is allowed after the document.'],
    ['a word', '[undefined]', '1:2+9 /0 "undefined" is not a JSON value. Texts must be in double quotes.'],
    ['True', '[True]', '1:2+4 /0 "True" is not a JSON value. JSON writes true.'],
    ['a leading zero', '[01]', `1:2+2 /0 ${NUMBER}`],
    ['a leading plus', '[+1]', `1:2+2 /0 ${NUMBER}`],
    ['a leading dot', '[.5]', `1:2+2 /0 ${NUMBER}`],
    ['a trailing dot', '[1.]', `1:2+2 /0 ${NUMBER}`],
    ['a hexadecimal number', '[0x1f]', `1:2+4 /0 ${NUMBER}`],
    ['an exponent without digits', '[1e]', `1:2+2 /0 ${NUMBER}`],
    ['a number beyond a double', '[1e999]', '1:2+5 /0 The number is too large.'],
    ['an unknown escape', '["a\\x"]', '1:4+2 /0 This is not a JSON escape; write a backslash as \\\\.'],
    ['a short escape', '["\\u00g0"]', '1:3+2 /0 This is not a JSON escape; write a backslash as \\\\.'],
    ['a tab in a text', '["a\tb"]', '1:4+1 /0 Write a control character in a text as \\u0009.'],
    ['the key __proto__', '{"a":{"__proto__":{}}}', '1:7+11 /a/__proto__ The key "__proto__" is not allowed.'],
    ['an escaped __proto__', '{"\\u005f_proto__":{}}', '1:2+16 /__proto__ The key "__proto__" is not allowed.'],
    ['depth', '['.repeat(70), `1:66+1 ${'/0'.repeat(65)} The document is nested deeper than 64 levels.`],
    ['very many values', `[${'0,'.repeat(100_001)}0]`, '1:200000+1 /99999 The document has more than 100000 values.'],
    ['a very long text', ' '.repeat(MAX_SOURCE + 1), `1:1+1  The file is longer than ${MAX_SOURCE} characters.`],
  ])('rejects %s', (_what, text, problem) => expect(problemsOf(text)).toEqual([problem]));

  it('reports every duplicate key with its position and that of the first one', () => {
    expect(problemsOf('{\r\n  "a": 1,\r  "b": [{"c": 1, "c": 2}],\n  "\\u0061": 2, "a": 3 }')).toEqual([
      '3:18+3 /b/0/c The key "c" appears twice in this object, first in line 3.',
      '4:3+8 /a The key "a" appears twice in this object, first in line 2.',
      '4:16+3 /a The key "a" appears twice in this object, first in line 2.',
    ]);
  });

  it('reports one more duplicate key than a result shows', () => {
    expect(problemsOf(`{"a":0${',"a":0'.repeat(500)}}`)).toHaveLength(101);
  });

  it('skips a byte order mark', () => {
    expect(parseJson('\ufeff[]')).toMatchObject({ ok: true, root: { start: 1, end: 3 } });
  });

  it('parses what JSON.parse accepts to the same value', () => {
    const indent = fc.constantFrom('', '  ', '\t', '\r\n ');
    fc.assert(
      fc.property(fc.jsonValue(), indent, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed = parseJson(text);
        const hasProto = text.includes('"__proto__":');
        if (!hasProto) expect(parsed).toMatchObject({ ok: true });
        if (parsed.ok) expect(parsed.root.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts nothing that JSON.parse rejects, and never throws', () => {
    const pieces = fc.constantFrom(...'{}[],:"\\\'/ \n019.-+eEtfn', 'true', 'null', '"a":', '"b"', '\\u00e4', '\u0000');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
        const text = parts.join('');
        if (parseJson(text).ok) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: process.env.DEEP ? 200_000 : 2_000 },
    );
  });
});

describe('JsonSource', () => {
  const source = new JsonSource('{\n  "a/b": [10, { "c~": "ü" }],\n  "d": {\n    "e": true\n  }\n}');

  it.each<[string, 'key' | 'value', { line: number; column: number; length: number }]>([
    ['', 'value', { line: 1, column: 1, length: 1 }],
    ['/a~1b', 'value', { line: 2, column: 10, length: 19 }],
    ['/a~1b', 'key', { line: 2, column: 3, length: 5 }],
    ['/a~1b/0', 'value', { line: 2, column: 11, length: 2 }],
    ['/a~1b/0', 'key', { line: 2, column: 11, length: 2 }],
    ['/a~1b/1/c~0', 'value', { line: 2, column: 23, length: 3 }],
    ['/d', 'value', { line: 3, column: 8, length: 1 }],
    ['/d/e', 'value', { line: 4, column: 10, length: 4 }],
    ['/d/missing/further', 'value', { line: 3, column: 8, length: 1 }],
    ['/a~1b/9', 'value', { line: 2, column: 10, length: 19 }],
  ])('locates %s (%s)', (pointer, about, range) => expect(source.locate(pointer, about)).toEqual(range));

  it('locates the first problem of a text that is not JSON', () => {
    expect(new JsonSource('[\n1 2]').locate('/0')).toEqual({ line: 2, column: 3, length: 1 });
    expect(new JsonSource('[\n1 2]').value).toBeUndefined();
  });

  it('returns the text of a line without its line break', () => {
    const { lines } = new JsonSource('[\r\n  1\r]\n');
    expect([1, 2, 3, 4, 5].map((line) => lines.lineText(line))).toEqual(['[', '  1', ']', '', '']);
  });
});

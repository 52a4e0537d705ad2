// Whatever reads a text that someone else has written has a bound and takes time in proportion to what it reads: this table has them
// all, and looks for a text of which four times as much takes far more than four times as long.
import { describe, expect, it } from '@jest/globals';
import { readCsv } from '../apps/console/src/features/records/import/csv-file.js';
import { searchedText } from '../apps/custom-objects/src/finding/search-text.js';
import { checkHostname, checkUrl } from '../libs/address-policy/src/index.js';
import { compilePattern, fieldTypes, foldForSearch, foldForUniqueness } from '../libs/fields/src/index.js';
import { checkFormula, parseDate, parseInstant } from '../libs/formula/src/index.js';
import { countValues, refuseBadBody, refuseHugeBody } from '../libs/http/src/dto/json-value.js';
import {
  cronProblem,
  hasPlaceholder,
  isVersion,
  JsonSource,
  parseTemplate,
  renderTemplate,
} from '../libs/manifest/src/index.js';
import { secretsIn } from '../libs/manifest/src/secrets.js';
import { parseNumber } from '../libs/records-ui/src/objects/number-input.js';
import { tokensOf } from '../libs/records-ui/src/timeline/markdown-tokens.js';

/** Parses a value of a field that takes any such value. */
const parse = (/** @type {string} */ type) => (/** @type {string} */ text) => fieldTypes.get(type)?.parse(text, {}, {});
const readers = /** @type {const} */ ([
  ['Markdown of a note', 10_000, tokensOf],
  ['a CSV file', 50_000, (/** @type {string} */ text) => readCsv('x.csv', text)],
  ['a number as people write it', 1_000, (/** @type {string} */ text) => parseNumber(text, 'de')],
  ['a text', 255, parse('text')],
  ['a long text', 50_000, parse('textarea')],
  ['a mail address', 254, parse('email')],
  ['a phone number', 1_000, parse('phone')],
  ['an address of the web', 2_048, parse('url')],
  ['a date', 1_000, parseDate],
  ['an instant', 1_000, parseInstant],
  ['a fold for search', 50_000, foldForSearch],
  ['a fold for uniqueness', 50_000, foldForUniqueness],
  ['a search', 200, searchedText],
  ['a formula', 4_000, (/** @type {string} */ text) => checkFormula(text, new Map([['a', 'number']]))],
  ['a pattern', 500, compilePattern],
  ['a template', 4_000, (/** @type {string} */ text) => hasPlaceholder(text) && parseTemplate(text)],
  ['a filled-in template', 4_000, (/** @type {string} */ text) => renderTemplate(text, { a: 'b' })],
  ['values of a body', 200_000, countValues],
  ['a body', 200_000, (/** @type {string} */ text) => [refuseHugeBody(text), refuseBadBody(text, text)]],
  ['a package with places', 50_000, (/** @type {string} */ text) => new JsonSource(text).value],
  ['secrets in a package', 50_000, (/** @type {string} */ text) => secretsIn({ text })],
  ['a schedule', 1_000, cronProblem],
  ['a version', 1_000, isVersion],
  ['a URL', 10_000, (/** @type {string} */ text) => checkUrl(`https://${text}`)],
  ['a host name', 10_000, (/** @type {string} */ text) => checkHostname(text)],
]);

/** What parsers have stumbled over, begun over and over; of two, each is half of the text. @type {[string, string?][]} */
const PIECES = [
  [',', 'a\n'],
  ['a\n', ','],
  ['**', '1.'],
  ...[
    ...['**1.', '***1.', '_1.', ' +', '> ', '1. ', '[a](', '![', '`a', '~~a', '<a ', '- a\n ', '|-\n', '**www.', '\\'],
    ...[
      '"',
      '""',
      ';"',
      ',\n',
      '\t',
      'a',
      ' ',
      '1',
      '1.',
      '-',
      'é',
      'ß',
      '\u0301',
      '😀',
      'İ',
      '+',
      '0049',
      '@',
      'a@',
      'a.',
    ],
    ...[
      'a+',
      '(',
      '((',
      'NOT ',
      '-(',
      '"a"&',
      'a,',
      'IF(',
      '{{',
      '{{a}}',
      '{{ ',
      '}}',
      '[',
      '{"a":',
      '[1,',
      '"\\u0',
      '1e',
    ],
    ...['*/', '1-', '0,', 'eyJ', 'bearer ', 'token  ', 'sk-', 'a://', '%', ':', '/', 'xn--', '(a*)*', 'a{9}', '.*'],
  ].map((piece) => /** @type {[string]} */ ([piece])),
];

/** Milliseconds of this thread's processor: the least of some runs, as other work disturbs. @param {() => unknown} work */
function timeOf(work, runs = 3) {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage();
    try {
      work();
    } catch {
      // A refusal is an answer like any other.
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Less is nothing that anybody notices, whatever it grows by: the whole text is as long as the bound, or as linear readers need. */
const NOTICED_MS = 60;
/** Four, and what caches and the collector of garbage add; a square gives sixteen. */
const LARGEST_GROWTH = 9;

describe('a reader of texts of others', () => {
  it.each(readers)('takes as long as its text: %s, up to %d characters', (_, longest, read) => {
    const slow = PIECES.filter(([first, second = first]) => {
      const half = (/** @type {string} */ piece, /** @type {number} */ length) =>
        piece.repeat(Math.ceil(length / 2 / piece.length)).slice(0, length / 2);
      const text = (/** @type {number} */ length) => half(first, length) + half(second, length);
      const [whole, quarter] = [text(longest), text(longest / 4)];
      if (timeOf(() => read(whole), 1) < NOTICED_MS) return false;
      const most = timeOf(() => read(whole));
      return most > NOTICED_MS && most > LARGEST_GROWTH * timeOf(() => read(quarter));
    });
    expect(slow).toEqual([]);
  });
});

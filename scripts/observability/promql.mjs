/**
 * A metric that an expression asks for.
 * @typedef {object} Selector
 * @property {string} name
 * @property {string[]} labels that it is narrowed by
 */

/**
 * What an expression narrows a metric by.
 * @typedef {object} Matcher
 * @property {string} name of the metric
 * @property {string} label
 * @property {boolean} isPattern whether the value is a regular expression
 * @property {string} value
 */

/** Words of the language that stand where a metric could. */
const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'by', 'without', 'on', 'ignoring', 'inf', 'nan']);

/**
 * The metrics that an expression of Prometheus asks for, one of Grafana's with its variables too.
 * @param {string} expression
 * @returns {Selector[]}
 */
export function selectorsOf(expression) {
  const plain = expression
    .replace(/"(?:\\.|[^"\\])*"/g, '""')
    .replace(/#.*$/gm, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    // Numbers with a unit or an exponent.
    .replace(/\b\d[\w.]*/g, ' ');
  return [...plain.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()\s*(\{[^}]*\})?/g)]
    .filter(([, name]) => !WORDS.has((name ?? '').toLowerCase()))
    .filter(({ index }) => !isInBraces(plain, index))
    .map(([, name = '', braces = '']) => ({
      name,
      labels: [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }));
}

/**
 * The values that an expression asks for, of each metric and label.
 * @param {string} expression
 * @returns {Matcher[]}
 */
export const matchersOf = (expression) =>
  [...expression.matchAll(/([a-zA-Z_:][\w:]*)\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\}/g)].flatMap(
    ([, name = '', braces = '']) =>
      [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:\\.|[^"\\])*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({
          name,
          label,
          isPattern: operator.endsWith('~'),
          value,
        }),
      ),
  );

/**
 * @param {string} text
 * @param {number} index
 */
const isInBraces = (text, index) => text.lastIndexOf('{', index) > text.lastIndexOf('}', index - 1);

/**
 * The labels that an expression groups by.
 * @param {string} expression
 * @returns {string[]}
 */
export const groupingsOf = (expression) =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );

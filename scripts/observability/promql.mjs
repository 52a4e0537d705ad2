/** Words of the language that stand where a metric could. */
const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'by', 'without', 'on', 'ignoring', 'inf', 'nan']);

/** The metrics that an expression of Prometheus asks for, one of Grafana's with its variables too.
 * @param {string} expression @returns {{ name: string, labels: string[] }[]} labels: those that it is narrowed by */
export function selectorsOf(expression) {
  const plain = expression
    .replace(/"(?:\\.|[^"\\])*"/g, '""')
    .replace(/#.*$/gm, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    // Numbers with a unit or an exponent.
    .replace(/\b\d[\w.]*/g, ' ');
  const isInBraces = (/** @type {number} */ at) => plain.lastIndexOf('{', at) > plain.lastIndexOf('}', at - 1);
  return [...plain.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()\s*(\{[^}]*\})?/g)]
    .filter(({ 1: name = '', index }) => !WORDS.has(name.toLowerCase()) && !isInBraces(index))
    .map(([, name = '', braces = '']) => ({
      name,
      labels: [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }));
}

/** The labels that an expression groups by. @param {string} expression */
export const groupingsOf = (expression) =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );

const [QUOTE, COMMA, BACKSLASH, SPACE, ZERO] = [0x22, 0x2c, 0x5c, 0x20, 0x30];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds members of a JSON object without parsing their values, which may be long and are mostly passed on unchanged.
 * @param text as PostgreSQL or JSON.stringify writes it; the keys are whole numbers
 * @param positions by key, the index in `parts` of the JSON of the value; other members are passed over
 */
export function sliceMembers(text: string, positions: readonly (number | undefined)[], parts: string[]): void {
  const end = text.length - 1;
  let at = 1;
  while (at < end) {
    // After the quote before the key.
    at += text.charCodeAt(at) === SPACE ? 2 : 1;
    let key = 0;
    for (let digit = text.charCodeAt(at); digit !== QUOTE && at < end; digit = text.charCodeAt(++at))
      key = key * 10 + digit - ZERO;
    // After the quote behind it and the colon.
    at += text.charCodeAt(at + 2) === SPACE ? 3 : 2;
    const start = at;
    at = endOfValue(text, start);
    const position = positions[key];
    if (position !== undefined) parts[position] = text.slice(start, at);
    at += 1;
  }
}

/** The index after the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  let at = start;
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) {
    for (let code = first; code !== COMMA && code !== CLOSE_OBJECT; code = text.charCodeAt(at)) {
      if (++at > text.length) throw notJson();
    }
    return at;
  }
  for (let depth = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw notJson();
}

/** A quote ends the string if an even number of backslashes precedes it. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote > 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  throw notJson();
}

/** Instead of a search without end. */
const notJson = () => new Error('The stored data of a record is not JSON');

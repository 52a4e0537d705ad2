/** A piece of a template: literal text or a placeholder `{{name}}`. */
export type TemplatePart = { text: string } | { path: string; position: number };

/** A malformed template, or a value that is not allowed at its place. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Parses the placeholders of a text. A placeholder is `{{name}}`, with optional spaces around the name. The name is a
 * key of the payload, an earlier step, or a dotted path into one of them (`{{record.email}}`). Single braces are
 * literal text.
 *
 * @throws TemplateError when a placeholder is not closed, is empty or contains another brace
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('{{', at);
    if (start < 0) break;
    const end = text.indexOf('}}', start + 2);
    if (end < 0) throw new TemplateError('A placeholder "{{" is not closed by "}}".');
    const path = text.slice(start + 2, end).trim();
    if (path === '') throw new TemplateError('The placeholder "{{}}" is empty.');
    if (/[{}]/.test(path)) throw new TemplateError(`A placeholder contains a brace: "{{${path}}}".`);
    if (start > at) parts.push({ text: text.slice(at, start) });
    parts.push({ path, position: start });
    at = end + 2;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** The names and paths in a text's placeholders, each once, in order. Throws like {@link parseTemplate}. */
export function templateKeys(text: string): string[] {
  return [...new Set(parseTemplate(text).flatMap((part) => ('path' in part ? [part.path] : [])))];
}

/** Whether a text contains a placeholder or the beginning of one. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{');
}

/** The data for placeholders: the payload's keys and the earlier steps' results. */
export type TemplateData = Readonly<Record<string, unknown>>;

/** Looks up a path: first the whole path as one key, then step by step. Reads own properties only. */
export function lookupPath(data: TemplateData, path: string): unknown {
  if (Object.hasOwn(data, path)) return data[path];
  let value: unknown = data;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** A value as part of a text: empty for null and missing values, JSON for lists and objects. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function render(text: string, data: TemplateData, encode: (value: string) => string): string {
  return parseTemplate(text)
    .map((part) => ('text' in part ? part.text : encode(asText(lookupPath(data, part.path)))))
    .join('');
}

/** Fills in the placeholders of a text. Throws like {@link parseTemplate}. */
export function renderTemplate(text: string, data: TemplateData): string {
  return render(text, data, (value) => value);
}

/**
 * Fills in the placeholders in the texts of a JSON value, but not in its keys. A text that consists of a single
 * placeholder becomes the value itself with its type, or null when it is missing.
 */
export function renderValue(value: unknown, data: TemplateData): unknown {
  if (typeof value === 'string') {
    const parts = parseTemplate(value);
    const [only] = parts;
    if (parts.length === 1 && only && 'path' in only) return lookupPath(data, only.path) ?? null;
    return renderTemplate(value, data);
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, data));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renderValue(member, data)]));
  }
  return value;
}

/**
 * Fills in the placeholders of a URL, percent-encoded, so that a value stays within its segment or parameter.
 *
 * @throws TemplateError when a placeholder comes before the path, or a value would be a dot segment
 */
export function renderUrl(text: string, data: TemplateData): string {
  if (!isUrlTemplateFixed(text))
    throw new TemplateError('Placeholders are allowed only in the path and query of a URL.');
  return render(text, data, (value) => {
    // "." and ".." move through the path in every encoding (WHATWG URL, double-dot path segment).
    if (/^\.{1,2}$/.test(value)) throw new TemplateError('A value for a URL must not be "." or "..".');
    return encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
  });
}

/** Whether all placeholders of a URL are in its path and query, not in scheme, host, port or fragment. */
export function isUrlTemplateFixed(text: string): boolean {
  const start = text.indexOf('{{');
  if (start < 0) return true;
  return (
    !text.slice(0, text.lastIndexOf('{{')).includes('#') &&
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+[/?]/i.test(text.slice(0, start))
  );
}

/** Fills in the placeholders of a header value. Throws TemplateError when it would contain a line break. */
export function renderHeader(text: string, data: TemplateData): string {
  const value = renderTemplate(text, data);
  if (/[\r\n\0]/.test(value)) throw new TemplateError('A header value must not contain a line break.');
  return value;
}

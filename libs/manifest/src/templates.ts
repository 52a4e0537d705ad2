/** A piece of a template: text that stands as it is, or a placeholder `{{name}}`. */
export type TemplatePart = { text: string } | { path: string; position: number };

/** A template that cannot be read or whose value does not fit the place where it stands. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/**
 * Reads the placeholders of a text. A placeholder is `{{name}}`, spaces around the name do not matter; the
 * name is a key of the payload, an earlier step, or a path into one of them with dots (`{{record.email}}`).
 * Braces that are not doubled stand as they are.
 *
 * @throws TemplateError when a placeholder is not closed, is empty or holds another brace
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
    if (path === '') throw new TemplateError('A placeholder "{{}}" names nothing.');
    if (/[{}]/.test(path)) throw new TemplateError(`A placeholder contains a brace: "{{${path}}}".`);
    if (start > at) parts.push({ text: text.slice(at, start) });
    parts.push({ path, position: start });
    at = end + 2;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** The names and paths that a text's placeholders use, each once, in order. Throws as {@link parseTemplate}. */
export function templateKeys(text: string): string[] {
  return [...new Set(parseTemplate(text).flatMap((part) => ('path' in part ? [part.path] : [])))];
}

/** Whether a text has a placeholder or the beginning of one. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{');
}

/** What placeholders read: the payload's keys and the earlier steps' results. */
export type TemplateData = Readonly<Record<string, unknown>>;

/** The value of a path: the whole path as one key first, then step by step. Only own properties are read. */
export function lookupPath(data: TemplateData, path: string): unknown {
  if (Object.hasOwn(data, path)) return data[path];
  let value: unknown = data;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** A value inside a text: nothing for null and what is missing, JSON for lists and objects. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function render(text: string, data: TemplateData, encode: (value: string) => string): string {
  return parseTemplate(text)
    .map((part) => ('text' in part ? part.text : encode(asText(lookupPath(data, part.path)))))
    .join('');
}

/** A text with its placeholders filled in. Throws as {@link parseTemplate}. */
export function renderTemplate(text: string, data: TemplateData): string {
  return render(text, data, (value) => value);
}

/**
 * A JSON value with the placeholders in its texts filled in; keys stay as they are. A text that is one
 * placeholder and nothing else becomes the value itself with its type, null when it is missing.
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
 * A URL with its placeholders filled in, percent-encoded, so that a value stays within its segment or parameter.
 *
 * @throws TemplateError when a placeholder stands before the path, or a value would be a dot segment
 */
export function renderUrl(text: string, data: TemplateData): string {
  if (!isUrlTemplateFixed(text)) throw new TemplateError('Placeholders may stand only in the path and query of a URL.');
  return render(text, data, (value) => {
    // "." and ".." move through the path in every encoding (WHATWG URL, double-dot path segment).
    if (/^\.{1,2}$/.test(value)) throw new TemplateError('A value for a URL must not be "." or "..".');
    return encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
  });
}

/** Whether all placeholders of a URL stand in its path and query: not in scheme, host and port, nor in a fragment. */
export function isUrlTemplateFixed(text: string): boolean {
  const start = text.indexOf('{{');
  if (start < 0) return true;
  return (
    !text.slice(0, text.lastIndexOf('{{')).includes('#') &&
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+[/?]/i.test(text.slice(0, start))
  );
}

/** A header value with its placeholders filled in. Throws TemplateError when it would contain a line break. */
export function renderHeader(text: string, data: TemplateData): string {
  const value = renderTemplate(text, data);
  if (/[\r\n\0]/.test(value)) throw new TemplateError('A header value must not contain a line break.');
  return value;
}

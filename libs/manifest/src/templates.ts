import { type TemplateAllowance, TemplateBudget, TemplateError } from './template-budget.js';

/** A piece of a template: literal text or a placeholder `{{name}}`. */
export type TemplatePart = { text: string } | { path: string; position: number };

/**
 * Parses the placeholders of a text. A placeholder is `{{name}}`, with optional spaces around the name. The name is a
 * key of the payload, an earlier step, or a dotted path into one of them (`{{record.email}}`). Single braces are
 * literal text.
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

/** A value as part of a text: empty for null and missing values, JSON for lists and objects. It is counted before it is made. */
function asText(value: unknown, allowance: TemplateAllowance): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return counted(String(value), allowance);
  const length = allowance.takeJson(value);
  const json = JSON.stringify(value);
  allowance.take(Math.max(0, json.length - length));
  return json;
}

function counted(text: string, allowance: TemplateAllowance): string {
  allowance.take(text.length);
  return text;
}

/** @param encode changes a value that has been counted; what it adds is counted before it is joined to the result */
function render(
  text: string,
  data: TemplateData,
  budget: TemplateBudget,
  encode: (value: string) => string = (value) => value,
): string {
  const allowance = budget.begin();
  let result = '';
  for (const part of parseTemplate(text)) {
    if ('text' in part) {
      result += counted(part.text, allowance);
      continue;
    }
    const value = asText(lookupPath(data, part.path), allowance);
    const encoded = encode(value);
    allowance.take(Math.max(0, encoded.length - value.length));
    result += encoded;
  }
  return result;
}

/**
 * Fills in the placeholders of a text.
 * @param budget of the step that the text belongs to; by default the text is the only one of its step
 * @throws TemplateError as {@link parseTemplate}; TEMPLATE_TOO_LARGE when the result would be longer than the limits
 */
export function renderTemplate(text: string, data: TemplateData, budget = new TemplateBudget()): string {
  return render(text, data, budget);
}

/**
 * Fills in the placeholders in the texts of a JSON value, but not in its keys. A text that consists of a single
 * placeholder becomes the value itself with its type, or null when it is missing; it counts by the length of its JSON,
 * although it is not copied, because it will be when it is sent.
 * @throws TemplateError as {@link renderTemplate}
 */
export function renderValue(value: unknown, data: TemplateData, budget = new TemplateBudget()): unknown {
  if (typeof value === 'string') {
    const parts = parseTemplate(value);
    const [only] = parts;
    if (parts.length === 1 && only && 'path' in only) return wholeValue(lookupPath(data, only.path), budget);
    return render(value, data, budget);
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, data, budget));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renderValue(member, data, budget)]));
  }
  return value;
}

function wholeValue(value: unknown, budget: TemplateBudget): unknown {
  const allowance = budget.begin();
  if (typeof value === 'string') allowance.take(value.length);
  else if (typeof value === 'object' && value !== null) allowance.takeJson(value);
  return value ?? null;
}

/**
 * Fills in the placeholders of a URL, percent-encoded, so that a value stays within its segment or parameter.
 *
 * @throws TemplateError when a placeholder comes before the path, or a value would be a dot segment; as
 *   {@link renderTemplate}
 */
export function renderUrl(text: string, data: TemplateData, budget = new TemplateBudget()): string {
  if (!isUrlTemplateFixed(text))
    throw new TemplateError('Placeholders are allowed only in the path and query of a URL.');
  return render(text, data, budget, (value) => {
    // "." and ".." move through the path in every encoding (WHATWG URL, double-dot path segment).
    if (/^\.{1,2}$/.test(value)) throw new TemplateError('A value for a URL must not be "." or "..".');
    return encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'));
  });
}

/** Returns whether all placeholders of a URL are in its path and query, not in scheme, host, port or fragment. */
export function isUrlTemplateFixed(text: string): boolean {
  const start = text.indexOf('{{');
  if (start < 0) return true;
  return (
    !text.slice(0, text.lastIndexOf('{{')).includes('#') &&
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+[/?]/i.test(text.slice(0, start))
  );
}

/** Fills in the placeholders of a header value. Throws TemplateError when it would contain a line break. */
export function renderHeader(text: string, data: TemplateData, budget = new TemplateBudget()): string {
  const value = renderTemplate(text, data, budget);
  if (/[\r\n\0]/.test(value)) throw new TemplateError('A header value must not contain a line break.');
  return value;
}

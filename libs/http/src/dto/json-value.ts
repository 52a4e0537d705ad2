import { escapePointer, PlatformError } from '@crm/contracts';

/** What can be said of a JSON text without parsing it, or without walking what it parses to. */

/** Values in one body, members and elements included. More of them block every other call while they are looked at. */
export const MAX_VALUES = 100_000;
/** A text has no more values than every other character. */
const SHORT_ENOUGH = 2 * MAX_VALUES;

/** Deeper bodies have no use and would exhaust the stack of recursive code. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/** Returns whether a JSON text has more than MAX_VALUES values. Parsing them costs many times as much as counting them. */
const hasTooManyValues = (text: string): boolean => text.length >= SHORT_ENOUGH && countValues(text) > MAX_VALUES;

/** How many values a JSON text has; of a text that is not JSON any number. */
export function countValues(text: string): number {
  let values = 1;
  let previous = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || opens(code)) values += 1;
    // An empty list or object: there was no value after its beginning.
    else if (closes(code) && opens(previous)) values -= 1;
    previous = code;
  }
  return values;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/** A number that could be beyond a double, 1.8e308. A match within a string only costs a walk. */
const MAY_BE_ENDLESS = /(?:^|[\s,:[])-?(?:\d[\d.]*[eE]\+?\d{3}|\d{200})/;

/** U+0000 is an escape in JSON, and so is half a character in every text that was UTF-8. */
const mayHoldBadText = (text: string): boolean =>
  text.includes('\\u') || !text.isWellFormed() || mayBeTooDeep(text) || MAY_BE_ENDLESS.test(text);

function mayBeTooDeep(text: string): boolean {
  let left = MAX_DEPTH;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (left === 0) return true;
      left -= 1;
    }
  }
  return false;
}

declare global {
  interface String {
    /** ES2024, which the library of the compiler's target does not have yet. */
    isWellFormed(): boolean;
  }
}

interface Container {
  readonly value: object;
  readonly depth: number;
  readonly parent?: Container;
  readonly key: string | number;
}

/** Postgres stores neither U+0000 and lone surrogates nor numbers beyond a double; deeper than 64 is malformed too. */
export function refuseBadText(value: unknown, problem: (pointer: string) => PlatformError): void {
  const pending: Container[] = [];
  const visit = (item: unknown, key: string | number, parent?: Container): void => {
    if (isBadScalar(item)) throw problem(pointerTo(key, parent));
    if (typeof item !== 'object' || item === null) return;
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH)
      throw new PlatformError('MALFORMED_REQUEST', `The body is nested more than ${MAX_DEPTH} levels deep`);
    pending.push({ value: item, depth, parent, key });
  };
  visit(value, '');
  for (let container = pending.pop(); container; container = pending.pop()) {
    const members = container.value;
    if (Array.isArray(members)) {
      for (let index = 0; index < members.length; index += 1) visit(members[index], index, container);
      continue;
    }
    for (const key of Object.keys(members)) {
      if (isBadText(key)) throw problem(pointerTo('', container));
      visit((members as Record<string, unknown>)[key], key, container);
    }
  }
}

/** @throws PlatformError MALFORMED_REQUEST for more values than a body may have */
export function refuseHugeBody(text: string): void {
  if (!hasTooManyValues(text)) return;
  throw new PlatformError('MALFORMED_REQUEST', `The body has more than ${MAX_VALUES.toLocaleString('en')} values`);
}

/** @throws PlatformError VALIDATION_FAILED that names the value; nearly every text shows that there is none */
export function refuseBadBody(text: string, body: unknown): void {
  if (!mayHoldBadText(text)) return;
  refuseBadText(
    body,
    (pointer) =>
      new PlatformError('VALIDATION_FAILED', undefined, {
        errors: [{ pointer, code: 'INVALID_CHARACTER', detail: "Contains a character or number that can't be stored" }],
      }),
  );
}

/** Returns whether no column can store it. */
export const isBadText = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

const isBadScalar = (item: unknown): boolean =>
  typeof item === 'string' ? isBadText(item) : typeof item === 'number' && !Number.isFinite(item);

function pointerTo(key: string | number, parent: Container | undefined): string {
  const parts = [key];
  for (let at = parent; at?.parent; at = at.parent) parts.unshift(at.key);
  return parent ? `/${parts.map((part) => escapePointer(String(part))).join('/')}` : '';
}

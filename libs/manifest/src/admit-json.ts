import { isCleanText } from '@crm/formula';
import { pointer } from './json-pointer.js';
import type { Problem } from './problem.js';

/** Deeper than any package; the sections nest 7 deep, the schema of a tool some more. */
export const MAX_DEPTH = 64;

/** Values, lists and objects included. A package of 100 objects with 2,000 rich fields has about 40,000. */
export const MAX_NODES = 100_000;

/** All texts and keys together, in UTF-16 units: 2 MiB of them. */
export const MAX_TEXT = 2 * 1024 * 1024;

type Step = { value: unknown; depth: number; path: Path | undefined };
type Path = { up: Path | undefined; step: string | number };

/**
 * Looks whether a value is JSON of bearable size before anything recursive touches it. The walk keeps its own
 * stack, so depth cannot exhaust the machine's; a cyclic value ends at the bound of the depth.
 *
 * @returns the first obstacle, or undefined
 */
export function admitJson(document: unknown): Problem | undefined {
  const stack: Step[] = [{ value: document, depth: 0, path: undefined }];
  let nodes = 0;
  let text = 0;
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { value, depth, path } = step;
    nodes++;
    if (depth > MAX_DEPTH) return refusal(path, `The document nests deeper than ${MAX_DEPTH} levels.`);
    if (nodes > MAX_NODES) return refusal(undefined, `The document has more than ${MAX_NODES} values.`);
    if (typeof value === 'string') {
      text += value.length;
      if (!isCleanText(value)) return refusal(path, 'The text contains U+0000 or half of a surrogate pair.');
    } else if (Array.isArray(value)) {
      if (nodes + value.length > MAX_NODES) return refusal(path, `The document has more than ${MAX_NODES} values.`);
      for (let i = value.length - 1; i >= 0; i--)
        stack.push({ value: value[i], depth: depth + 1, path: { up: path, step: i } });
    } else if (isPlainObject(value)) {
      for (const key of Object.keys(value).reverse()) {
        text += key.length;
        const child = { up: path, step: key };
        if (!isCleanText(key)) return refusal(path, 'A key contains U+0000 or half of a surrogate pair.');
        if (key === '__proto__') return refusal(child, 'The key "__proto__" is not allowed.');
        stack.push({ value: value[key], depth: depth + 1, path: child });
      }
    } else if (!isJsonScalar(value)) {
      return refusal(path, 'The value is not JSON.');
    }
    if (text > MAX_TEXT)
      return refusal(undefined, `The texts of the document are longer than ${MAX_TEXT} characters together.`);
  }
  return undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  // Objects of another realm count too; anything with behaviour of its own (dates, maps, buffers) does not.
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

function refusal(path: Path | undefined, message: string): Problem {
  const steps: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.up) steps.unshift(at.step);
  return { pointer: pointer(...steps), message };
}

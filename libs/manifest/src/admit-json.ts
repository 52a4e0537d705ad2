import { isCleanText } from '@crm/formula';
import { pointer } from './json-pointer.js';
import type { Problem } from './problem.js';

/** Deeper than any real package: sections nest 7 levels deep, the schema of a tool somewhat deeper. */
export const MAX_DEPTH = 64;

/** Number of values, including lists and objects. A package of 100 objects with 2,000 rich fields has about 40,000. */
export const MAX_NODES = 100_000;

export const MAX_TEXT = 2 * 1024 * 1024;

/**
 * Checks that a value is JSON of acceptable size before anything else uses it. The walk stops at the maximum depth, so
 * neither deep nesting nor a cycle can exhaust the stack.
 * @returns the first obstacle, or undefined
 */
export function admitJson(document: unknown): Problem | undefined {
  return new Admission().obstacleIn(document);
}

class Admission {
  /** The steps to the current value; shared by the whole walk. */
  private readonly path: (string | number)[] = [];
  private nodes = 0;
  private text = 0;

  obstacleIn(value: unknown): Problem | undefined {
    this.nodes++;
    if (this.path.length > MAX_DEPTH) return this.refuse(`The document is nested deeper than ${MAX_DEPTH} levels.`);
    if (this.nodes > MAX_NODES) return this.refuse(`The document has more than ${MAX_NODES} values.`);
    if (typeof value === 'string') return this.textObstacle(value, 'The text');
    if (Array.isArray(value)) return this.listObstacle(value);
    if (isPlainObject(value)) return this.objectObstacle(value);
    return isJsonScalar(value) ? undefined : this.refuse('The value is not JSON.');
  }

  private listObstacle(list: readonly unknown[]): Problem | undefined {
    if (this.nodes + list.length > MAX_NODES) return this.refuse(`The document has more than ${MAX_NODES} values.`);
    for (let i = 0; i < list.length; i++) {
      const obstacle = this.memberObstacle(i, list[i]);
      if (obstacle) return obstacle;
    }
    return undefined;
  }

  private objectObstacle(object: Readonly<Record<string, unknown>>): Problem | undefined {
    for (const key of Object.keys(object)) {
      const ofKey = key === '__proto__' ? this.protoProblem() : this.textObstacle(key, 'A key');
      const obstacle = ofKey ?? this.memberObstacle(key, object[key]);
      if (obstacle) return obstacle;
    }
    return undefined;
  }

  private memberObstacle(step: string | number, value: unknown): Problem | undefined {
    this.path.push(step);
    const obstacle = this.obstacleIn(value);
    this.path.pop();
    return obstacle;
  }

  private textObstacle(text: string, what: string): Problem | undefined {
    this.text += text.length;
    if (this.text > MAX_TEXT) {
      return { pointer: '', message: `The texts of the document have more than ${MAX_TEXT} characters in total.` };
    }
    return isCleanText(text)
      ? undefined
      : this.refuse(`${what} contains U+0000, U+10FFFF, or half of a surrogate pair.`);
  }

  private protoProblem(): Problem {
    return { pointer: pointer(...this.path, '__proto__'), message: 'The key "__proto__" is not allowed.' };
  }

  private refuse(message: string): Problem {
    return { pointer: pointer(...this.path), message };
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  // Accepts objects of another realm, but nothing with behaviour (dates, maps, buffers).
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isJsonScalar(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

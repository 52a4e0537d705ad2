import { nearestName } from '@crm/formula';

/** Limits the cost of a hint. */
const MAX_CANDIDATES = 500;

/** ` Did you mean "x"?`, or an empty string when no known name is similar. */
export function suggestion(name: string, known: Iterable<string>): string {
  const near = nearestName(name, first(known, MAX_CANDIDATES));
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
}

export interface Problem {
  /** JSON pointer (RFC 6901) to the value, or to the unknown key. */
  pointer: string;
  message: string;
}

/** What a problem concerns besides its place. Not a property, because API answers contain problems unchanged. */
const marks = new WeakMap<Problem, 'key' | 'advice'>();

const marked =
  (mark: 'key' | 'advice' | undefined) =>
  (pointer: string, message: string): Problem => {
    const problem = { pointer, message };
    if (mark) marks.set(problem, mark);
    return problem;
  };

/** Creates a problem with the key that the pointer ends in, not with its value. */
export const keyProblem = marked('key');

/** Creates a problem that does not reject the package, whatever the severity of the check. */
export const advice = marked('advice');

export const isAboutKey = (problem: Problem): boolean => marks.get(problem) === 'key';

export const isAdvice = (problem: Problem): boolean => marks.get(problem) === 'advice';

/**
 * Maximum number of findings per check; the check is asked for one more to learn whether there are more. Which ones are
 * shown does not depend on the order of keys, because all checks read the manifest in canonical order.
 */
export const MAX_FINDINGS = 100;

const LONGEST_TEXT = 500;

/**
 * Limits the length of a problem's texts, whatever the package contains: a long pointer is shortened to the nearest
 * enclosing value, a long message ends with `…`.
 */
export function bounded(problem: Problem): Problem {
  const { pointer, message } = problem;
  if (pointer.length <= LONGEST_TEXT && message.length <= LONGEST_TEXT) return problem;
  const end = pointer.length <= LONGEST_TEXT ? pointer.length : pointer.lastIndexOf('/', LONGEST_TEXT);
  return marked(marks.get(problem))(copy(pointer.slice(0, end)), excerpt(message, LONGEST_TEXT));
}

export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  return copy(`${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`);
}

/** Copies a text: a slice would keep the whole original in memory. */
function copy(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** Ends a message from another library with a full stop. */
export function asSentence(message: string): string {
  return /[.?!]$/.test(message) ? message : `${message}.`;
}

/** Compares problems in reading order, advice last: by pointer, list entries by number, then by message. */
export function compareProblems(a: Problem, b: Problem): number {
  if (isAdvice(a) !== isAdvice(b)) return isAdvice(a) ? 1 : -1;
  const left = a.pointer.split('/');
  const right = b.pointer.split('/');
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareSteps(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return left.length - right.length || compareTexts(a.message, b.message);
}

function compareSteps(a: string, b: string): number {
  const bothNumbers = /^\d{1,9}$/.test(a) && /^\d{1,9}$/.test(b);
  return bothNumbers ? Number(a) - Number(b) : compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

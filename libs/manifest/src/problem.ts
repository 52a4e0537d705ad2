/** One place of a document that is not as it must be. */
export interface Problem {
  /** JSON pointer (RFC 6901) to the value, or to the unknown key. */
  pointer: string;
  message: string;
}

/** Problems with a key itself. Kept beside them, because problems go out in answers of the API as they are. */
const keyProblems = new WeakSet<Problem>();

/** A problem with the key that the pointer ends in, not with its value. */
export function keyProblem(pointer: string, message: string): Problem {
  const problem = { pointer, message };
  keyProblems.add(problem);
  return problem;
}

/** Whether a problem of this run is one with a key. */
export function isAboutKey(problem: Problem): boolean {
  return keyProblems.has(problem);
}

/**
 * More findings of one check than a person reads at once; a check is asked for one more, to know that there are more.
 * Which ones are shown does not depend on the order of keys, since all checks read the manifest in canonical order.
 */
export const MAX_FINDINGS = 100;

/** The longest pointer and the longest message of a result, in UTF-16 units. */
const LONGEST_TEXT = 500;

/**
 * A problem whose texts are not longer than a result carries, whatever the package put into them: the pointer leads to
 * the nearest place that can be said, the message ends with `…`.
 */
export function bounded(problem: Problem): Problem {
  const { pointer, message } = problem;
  if (pointer.length <= LONGEST_TEXT && message.length <= LONGEST_TEXT) return problem;
  const end = pointer.length <= LONGEST_TEXT ? pointer.length : pointer.lastIndexOf('/', LONGEST_TEXT);
  const make = isAboutKey(problem)
    ? keyProblem
    : (at: string, text: string): Problem => ({ pointer: at, message: text });
  return make(copy(pointer.slice(0, end)), excerpt(message, LONGEST_TEXT));
}

/** The beginning of a text that is longer than `length` UTF-16 units, or the text. */
export function excerpt(text: string, length: number): string {
  if (text.length <= length) return text;
  return copy(`${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`);
}

/** A text of its own: what is sliced from a long text keeps all of it in memory. */
function copy(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** A message of another library as a sentence. */
export function asSentence(message: string): string {
  return /[.?!]$/.test(message) ? message : `${message}.`;
}

/** Orders problems as a reader meets them: by place, list entries by number, then by message. */
export function compareProblems(a: Problem, b: Problem): number {
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

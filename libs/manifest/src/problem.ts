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

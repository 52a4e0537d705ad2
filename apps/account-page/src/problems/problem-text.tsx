import { ApiProblem, problemInWords } from '@crm/api-client';
import { type Locale, plural, useLocale } from '@crm/ui';
import { PROBLEM_TEXTS } from './problem.texts.js';

/** What codes of problems mean in a view; others have the same meaning everywhere. */
export type Words = Readonly<Record<string, string>>;

export interface ProblemTextProps {
  readonly problem: unknown;
  readonly words?: Words;
}

/** Why something was refused, in words, at the place where it was tried. Read out when it appears. */
export function ProblemText({ problem, words }: ProblemTextProps) {
  const locale = useLocale();
  return (
    <p className="problem" role="alert">
      {problemText(problem, locale, words)}
    </p>
  );
}

/** A problem in the words of somebody who does not know the API. */
export function problemText(problem: unknown, { tag, language }: Locale, words: Words = {}): string {
  if (!(problem instanceof ApiProblem)) return PROBLEM_TEXTS[language].unknown;
  const { code, status, retryAfterSeconds } = problem;
  const known = words[code] ?? PROBLEM_TEXTS[language].codes[code];
  if (known) return known;
  if (status === 429 && retryAfterSeconds !== undefined) return waitText(tag, language, retryAfterSeconds);
  const { title, text } = problemInWords(problem, language);
  return `${title}. ${text}`;
}

function waitText(tag: string, language: Locale['language'], seconds: number): string {
  const { tooMany, minutes, seconds: forms } = PROBLEM_TEXTS[language];
  return tooMany(seconds < 90 ? plural(tag, Math.ceil(seconds), forms) : plural(tag, Math.ceil(seconds / 60), minutes));
}

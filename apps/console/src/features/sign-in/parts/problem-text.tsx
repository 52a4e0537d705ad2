import { ApiProblem, problemInWords } from '@crm/api-client';
import { catalogue, type Locale, plural, useLocale } from '@crm/ui';
import { Alert } from '@mantine/core';

/** What the codes of the API mean wherever this page meets them. */
const PROBLEM_TEXTS = catalogue({
  en: {
    codes: {
      INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
      WEAK_PASSWORD: 'Choose another password.',
      EMAIL_TAKEN: 'The address has an account by now. Sign in to that one, or choose another address.',
    } as Readonly<Record<string, string>>,
    tooMany: (time: string) => `Too many attempts. Try again in ${time}.`,
    minutes: { one: '# minute', other: '# minutes' },
    seconds: { one: '# second', other: '# seconds' },
    unknown: 'Something went wrong on this page. Load it again.',
  },
  de: {
    codes: {
      INVALID_CREDENTIALS: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      WEAK_PASSWORD: 'Wählen Sie ein anderes Passwort.',
      EMAIL_TAKEN:
        'Die Adresse hat inzwischen ein Konto. Melden Sie sich dort an, oder wählen Sie eine andere Adresse.',
    },
    tooMany: (time) => `Zu viele Versuche. Versuchen Sie es in ${time} noch einmal.`,
    minutes: { one: '# Minute', other: '# Minuten' },
    seconds: { one: '# Sekunde', other: '# Sekunden' },
    unknown: 'Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.',
  },
});

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
    <Alert role="alert" color="red" variant="light" py="xs">
      {problemText(problem, locale, words)}
    </Alert>
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

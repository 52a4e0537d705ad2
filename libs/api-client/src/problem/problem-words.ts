import { ApiProblem } from './api-problem.js';

/** What people read about a problem. */
export interface ProblemWords {
  readonly title: string;
  readonly text: string;
}

const EN = {
  offline: { title: 'No connection', text: 'The CRM cannot be reached. Check your connection and try again.' },
  forbidden: { title: 'Not allowed', text: 'You do not have the rights for this.' },
  missing: { title: 'Not found', text: 'This does not exist, or you cannot see it.' },
  limited: { title: 'Too many requests', text: 'Wait a moment, then try again.' },
  limitedFor: { title: 'Too many attempts', text: 'Try again in {time}.' },
  unavailable: { title: 'Not available', text: 'A part of the CRM does not answer. Try again in a moment.' },
  conflict: {
    title: 'Changed meanwhile',
    text: 'Somebody else has changed this record. What you wrote is still here; saving again replaces their values.',
  },
  unique: { title: 'Already taken', text: 'Another record has this value, which must be unique.' },
  invalid: { title: 'Not saved', text: 'Some values cannot be saved. They are marked below.' },
  ended: { title: 'Your session has ended', text: 'Your access was ended or could not be renewed.' },
  other: { title: 'Something went wrong', text: 'Try again. If it stays like this, tell your administrator.' },
};

const DE: Readonly<Record<keyof typeof EN, ProblemWords>> = {
  offline: {
    title: 'Keine Verbindung',
    text: 'Das CRM ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  },
  forbidden: { title: 'Nicht erlaubt', text: 'Dafür fehlen Ihnen die Rechte.' },
  missing: { title: 'Nicht gefunden', text: 'Das gibt es nicht, oder Sie können es nicht sehen.' },
  limitedFor: { title: 'Zu viele Versuche', text: 'Versuchen Sie es in {time} erneut.' },
  limited: { title: 'Zu viele Anfragen', text: 'Warten Sie einen Moment und versuchen Sie es dann erneut.' },
  unavailable: {
    title: 'Nicht verfügbar',
    text: 'Ein Teil des CRM antwortet nicht. Versuchen Sie es gleich noch einmal.',
  },
  conflict: {
    title: 'Inzwischen geändert',
    text: 'Jemand anderes hat diesen Datensatz geändert. Ihre Eingaben sind noch da; erneutes Speichern ersetzt die fremden Werte.',
  },
  unique: { title: 'Schon vergeben', text: 'Ein anderer Datensatz hat diesen Wert, der eindeutig sein muss.' },
  invalid: {
    title: 'Nicht gespeichert',
    text: 'Einige Werte können nicht gespeichert werden. Sie sind unten markiert.',
  },
  ended: { title: 'Ihre Sitzung ist beendet', text: 'Ihr Zugang wurde beendet oder konnte nicht erneuert werden.' },
  other: {
    title: 'Etwas ist schiefgegangen',
    text: 'Versuchen Sie es erneut. Bleibt es dabei, wenden Sie sich an Ihre Administration.',
  },
};

const TEXTS = { en: EN, de: DE } as const;

/** A problem in the words of a person who does not know the API. */
export function problemInWords(problem: unknown, language: keyof typeof TEXTS): ProblemWords {
  if (!(problem instanceof ApiProblem)) return TEXTS[language].other;
  const { title, text } = TEXTS[language][kindOf(problem)];
  return { title, text: text.replace('{time}', waitOf(problem.retryAfterSeconds ?? 0, language)) };
}

function waitOf(seconds: number, language: string): string {
  const [unit, length] = seconds < 90 ? ['second', 1] : ['minute', 60];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: unit as string, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / (length as number)));
}

function kindOf({ code, status, retryAfterSeconds }: ApiProblem): keyof typeof EN {
  if (code === 'UNIQUE_VIOLATION') return 'unique';
  if (status === 0) return 'offline';
  if (status === 401) return 'ended';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  if (status === 412) return 'conflict';
  if (status === 400 || status === 422) return 'invalid';
  if (status === 429) return retryAfterSeconds === undefined ? 'limited' : 'limitedFor';
  return status >= 500 ? 'unavailable' : 'other';
}

/** A text in every language of the pages. */
export interface Texts {
  readonly en: string;
  readonly de: string;
}

export interface ScopeEntry {
  /** What is behind it, as the consent of the OAuth API says: "See and change …". */
  readonly noun: string;
  readonly label: Texts;
  readonly reads: Texts;
  readonly writes: Texts;
  /** Its calls require an administrator's role. */
  readonly administered?: true;
  /** How far the API key page offers it. */
  readonly offered: readonly ('read' | 'write')[];
}

const BOTH = ['read', 'write'] as const;

/**
 * The catalogue of scopes that can be granted to a token or an app, with the words of the pages. A scope allows reading and writing;
 * with `:read` only reading.
 */
export const SCOPE_CATALOGUE = {
  leads: {
    noun: 'leads',
    label: { en: 'Leads', de: 'Leads' },
    reads: { en: 'See your leads', de: 'Ihre Leads sehen' },
    writes: { en: 'See, add, change and delete leads', de: 'Leads sehen, hinzufügen, ändern und löschen' },
    offered: BOTH,
  },
  contacts: {
    noun: 'contacts',
    label: { en: 'Contacts', de: 'Kontakte' },
    reads: { en: 'See your contacts', de: 'Ihre Kontakte sehen' },
    writes: { en: 'See, add, change and delete contacts', de: 'Kontakte sehen, hinzufügen, ändern und löschen' },
    offered: BOTH,
  },
  companies: {
    noun: 'companies',
    label: { en: 'Companies', de: 'Firmen' },
    reads: { en: 'See your companies', de: 'Ihre Firmen sehen' },
    writes: { en: 'See, add, change and delete companies', de: 'Firmen sehen, hinzufügen, ändern und löschen' },
    offered: BOTH,
  },
  pipeline: {
    noun: 'opportunities',
    label: { en: 'Opportunities', de: 'Verkaufschancen' },
    reads: { en: 'See your opportunities', de: 'Ihre Verkaufschancen sehen' },
    writes: {
      en: 'See, add, change and delete opportunities',
      de: 'Verkaufschancen sehen, hinzufügen, ändern und löschen',
    },
    offered: BOTH,
  },
  tasks: {
    noun: 'tasks',
    label: { en: 'Tasks', de: 'Aufgaben' },
    reads: { en: 'See your tasks', de: 'Ihre Aufgaben sehen' },
    writes: { en: 'See, add, change and delete tasks', de: 'Aufgaben sehen, hinzufügen, ändern und löschen' },
    offered: BOTH,
  },
  custom_objects: {
    noun: 'records of custom objects that the app can see',
    label: { en: 'Your own lists', de: 'Ihre eigenen Listen' },
    reads: { en: 'See records of your own lists', de: 'Datensätze Ihrer eigenen Listen sehen' },
    writes: {
      en: 'See, add, change and delete records of your own lists',
      de: 'Datensätze Ihrer eigenen Listen sehen, hinzufügen, ändern und löschen',
    },
    offered: BOTH,
  },
  automations: {
    noun: 'workflows and their runs',
    label: { en: 'Workflows', de: 'Workflows' },
    reads: { en: 'See workflows and their runs', de: 'Workflows und ihre Läufe sehen' },
    writes: {
      en: 'Set up and change workflows that act by themselves',
      de: 'Workflows einrichten und ändern, die von selbst handeln',
    },
    offered: ['read'],
  },
  webhooks: {
    noun: 'webhook subscriptions and their deliveries',
    label: { en: 'Webhooks', de: 'Webhooks' },
    reads: { en: 'See where events are sent', de: 'Sehen, wohin Ereignisse geschickt werden' },
    writes: {
      en: 'Send events of your workspace to other addresses',
      de: 'Ereignisse Ihres Arbeitsbereichs an andere Adressen schicken',
    },
    administered: true,
    offered: ['write'],
  },
  agent: {
    noun: 'conversations with assistants',
    label: { en: 'Assistants', de: 'Assistenten' },
    reads: { en: 'See what assistants do', de: 'Sehen, was Assistenten tun' },
    writes: { en: 'Let assistants act in your workspace', de: 'Assistenten in Ihrem Arbeitsbereich handeln lassen' },
    offered: [],
  },
} as const satisfies Readonly<Record<string, ScopeEntry>>;

export type ScopeName = keyof typeof SCOPE_CATALOGUE;

export const SCOPE_NAMES = Object.keys(SCOPE_CATALOGUE) as ScopeName[];

export type Scope = ScopeName | `${ScopeName}:read`;

/** Every known scope, full ones first, in catalogue order. */
export const SCOPES: readonly Scope[] = [...SCOPE_NAMES, ...SCOPE_NAMES.map((name): Scope => `${name}:read`)];

/** Scopes that no app can request, because they would let it act as the platform. */
export const RESERVED_SCOPES: readonly string[] = ['admin', 'platform', 'operator', 'internal'];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

/**
 * Whether the granted scopes allow an access.
 * @param granted scopes of the token; an unknown name grants nothing
 * @param name the scope's name without `:read`
 * @param mode the kind of access
 */
export function scopeAllows(granted: readonly string[], name: ScopeName, mode: 'read' | 'write'): boolean {
  return granted.includes(name) || (mode === 'read' && granted.includes(`${name}:read`));
}

/** The entry of a scope, with or without `:read`; undefined for one that this version does not know. */
export function scopeEntry(scope: string): ScopeEntry | undefined {
  const name = scope.replace(/:read$/, '');
  return Object.hasOwn(SCOPE_CATALOGUE, name) ? SCOPE_CATALOGUE[name as ScopeName] : undefined;
}

/** Whether holding `granted` covers `needed`; the full scope covers its `:read`. */
export function coversScope(granted: readonly string[], needed: Scope): boolean {
  const [name, read] = needed.split(':') as [ScopeName, 'read' | undefined];
  return scopeAllows(granted, name, read ? 'read' : 'write');
}

import { PlatformError } from '@crm/contracts';

interface Known {
  readonly code: string;
  readonly detail: string;
  knows(value: string): boolean;
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const currencies = new Set(Intl.supportedValuesOf('currency'));

/** What there is, as far as the data of this runtime say (IANA, ISO 3166-1 and ISO 4217). */
const KNOWN = {
  timeZone: {
    code: 'TIME_ZONE',
    detail: 'Unknown time zone. Use an IANA name such as Europe/Berlin',
    knows: isTimeZone,
  },
  country: {
    code: 'COUNTRY',
    detail: 'Unknown country. Use an ISO 3166-1 code such as DE',
    knows: (code) => regions.of(code) !== undefined,
  },
  currency: {
    code: 'CURRENCY',
    detail: 'Unknown currency. Use an ISO 4217 code such as EUR',
    knows: (code) => currencies.has(code),
  },
} as const satisfies Record<string, Known>;

type Settings = { readonly [Name in keyof typeof KNOWN]?: string | null };

/** @param at where the settings stand in the body @throws PlatformError VALIDATION_FAILED, naming each that is unknown */
export function assertKnown(settings: Settings, at = ''): void {
  const errors = (Object.keys(KNOWN) as (keyof Settings)[]).flatMap((name) => {
    const { code, detail, knows } = KNOWN[name];
    const value = settings[name];
    return typeof value !== 'string' || knows(value) ? [] : [{ pointer: `${at}/${name}`, code, detail }];
  });
  if (errors.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
